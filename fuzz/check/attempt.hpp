// One operation of a checked lock, by one client on an emulator.
#pragma once

#include <picklock/emulator.hpp>

#include "fuzz/check/lock_check.hpp"

namespace picklock::race {

struct Attempt {
  Reply reply;  ///< To the last request that was sent.
  bool succeeded = false;
  bool has_rule = true;  ///< Whether that request had a success rule.
  std::vector<Rule> rules;
};

/// Sends the operation's requests on one connection (a transaction is several of them), if asked to
/// without the words that hold the ttl.
Attempt attempt(Emulator& emulator, const Requests& operation, SlotValues& values,
                bool leave_out_ttl = false);

}  // namespace picklock::race
