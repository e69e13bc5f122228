// Explanation: the nearest schedule that holds, and the decision that parts it from the failure.
//
// Goes back through the failure's choices, tries what else was possible at each, follows the rest
// as far as it fits, and takes the first run that breaks nothing: the one that goes with the
// failure for the longest time. No fault is added on the way. Deterministic.
#pragma once

#include <optional>
#include <string>

#include <picklock/race.hpp>

#include "fuzz/report/story.hpp"
#include "fuzz/search/trace.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {

/// What explaining may cost, in simulated steps: some milliseconds.
inline constexpr std::size_t kExplainSteps = 20'000;

struct Explanation {
  Recorder holds;
  /// "alice's DEL lock reaches redis before bob's SET lock ...; the other way round it holds".
  std::string decides;
};

/// `broken` is the recorded run of `trace`. Nothing if every run near it breaks as well.
std::optional<Explanation> explain(Simulation& simulation, const Scenario& scenario,
                                   const Trace& trace, const Recorder& broken,
                                   std::size_t step_budget = kExplainSteps);

}  // namespace picklock::race
