// Where SORT leaves to a hash table's random seed in which order its elements come.
//
// The narrow excuses for it of the test of bad input; in every other case orders are compared too.
#pragma once

#include <string_view>

#include "tests/bad_input/mutants.hpp"
#include "tests/support/target.hpp"

namespace picklock::test {

/// Whether two replies to the SORT `words` differ in an order that nobody can know. The emulator's
/// channel is asked for the type of the key, which is the same on both servers.
bool differ_by_unknown_order(const Words& words, std::string_view theirs, std::string_view ours,
                             Channel& emulator);

}  // namespace picklock::test
