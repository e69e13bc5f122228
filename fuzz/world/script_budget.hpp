// How long a script may run in a search, and how it shows that one has run for longer.
#pragma once

#include <cstdint>
#include <string>

#include <picklock/emulator.hpp>

#include "emulator/base/numbers.hpp"

namespace picklock::race {

/// In instructions: no lock's script comes near, and one that never ends takes a second at most. An
/// emulator by itself would let it go on ten times as long.
inline constexpr std::uint64_t kScriptBudget = 50'000'000;
/// What they take, in steps of a run. What scripts usually execute is part of their step.
inline std::uint64_t steps_of_script(std::uint64_t instructions) {
  return instructions / 1'000'000 * 20'000;
}

/// Nobody sends SCRIPT KILL while a script runs: what says so is the budget.
inline bool has_run_too_long(const Reply& reply) {
  return reply.is_error() && reply.text().starts_with("ERR Script killed by user with SCRIPT KILL");
}
inline std::string phrase_run_too_long() {
  return "nothing: its script was stopped after " +
         std::string{to_text(static_cast<std::int64_t>(kScriptBudget))} +
         " instructions; a script that waits in a loop waits for ever, since the server serves "
         "nobody else meanwhile: let it answer, and its client try again";
}

}  // namespace picklock::race
