// The trial of a checked lock before its search: one client at a time on an emulator of its own.
//
// Does it compile, does the reply to a free lock count as success, does a release free it; and what
// do acquisitions with bad ttls leave behind? A script that fails half-way rolls nothing back.
#pragma once

#include <string>
#include <vector>

#include "fuzz/check/clients.hpp"
#include "fuzz/check/lock_check.hpp"

namespace picklock::race {

struct Trial {
  /// Why nothing can be searched: "release does not compile: ..."; empty if it can be.
  std::string unusable;
  Footprint footprint;
  /// What is broken whatever the schedule, a line each.
  std::vector<std::string> findings;
};

Trial try_lock(const LockCheck& check);

/// The findings of bad ttls: 0, negative, fractional, not a number, too large, missing. Equal ones
/// are told once, with all the ttls that they are of.
std::vector<std::string> try_arguments(const LockCheck& check, const Footprint& footprint);

}  // namespace picklock::race
