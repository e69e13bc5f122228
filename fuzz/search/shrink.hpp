// Shrinking: the smallest schedule found that still breaks the same property.
//
// Takes choices away and makes them tame, by tolerant replay, until nothing smaller fails. Keeps
// the verdict, the oracle and the resource.
#pragma once

#include <atomic>
#include <vector>

#include <picklock/race.hpp>

#include "fuzz/world/simulation.hpp"

namespace picklock::race {

/// A schedule that ends in `finding`.
struct Failure {
  std::vector<Choice> choices;
  Simulation::Result result;
};

/// What shrinking may cost, in simulated steps (Result::work): about two seconds, which only very
/// long runs take, and scripts that run on and on.
inline constexpr std::size_t kShrinkSteps = 10'000'000;

/// Returns the smallest failure met; at worst `failure` itself. Ends early when `stop` is set; it
/// may be null.
Failure shrink(Simulation& simulation, const Scenario& scenario, Failure failure,
               const std::atomic<bool>* stop = nullptr, std::size_t step_budget = kShrinkSteps);

}  // namespace picklock::race
