// All that a server holds, as text, so that two servers can be compared.
//
// Used where a dataset moves as a whole: RDB files, replicas. Holds nothing; one thread.
#pragma once

#include <map>
#include <string>

#include "tests/support/target.hpp"

namespace picklock::test {

/// For each key, by database and name: its deadline, its encoding, and its DUMP, canonical where
/// Redis leaves an order open. For each library of functions, by name, its code. `channel` has to
/// be in database 0, and is again afterwards.
std::map<std::string, std::string> dataset(Channel& channel);

/// What is in one of both only, or not the same there, a line each; empty for equal datasets.
std::string difference(const std::map<std::string, std::string>& theirs,
                       const std::map<std::string, std::string>& ours);

}  // namespace picklock::test
