// The clients of a checked lock as workers of a simulated world.
#pragma once

#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "fuzz/check/lock_check.hpp"

namespace picklock::race {

/// How the lock looks on the server while it is held, as the trial has seen it.
struct Footprint {
  std::string key;             ///< The key that appears.
  std::optional<Slot> holder;  ///< What its value, or a field of it, is; nothing: something else.
};

/// The scenario in which check.clients clients take the lock check.rounds times each. Keeps what it
/// needs of both.
Scenario make_scenario(const LockCheck& check, const Footprint& footprint);

}  // namespace picklock::race
