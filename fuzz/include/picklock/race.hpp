// Searching for races: run a scenario under many schedules, and show the one that breaks it.
//
//   auto verdict = race::explore({.schedules = 100'000}, [](race::World& world) { ...
//   world.spawn(...) ... }); CHECK(verdict);
//
// A scenario must do the same whenever it is asked the same: no clock, no randomness and no threads
// but the world's. Functions may be called from several threads at once; each call has worlds of
// its own.
#pragma once

#include <functional>
#include <string_view>

#include <picklock/race/choice.hpp>
#include <picklock/race/history.hpp>
#include <picklock/race/task.hpp>
#include <picklock/race/verdict.hpp>
#include <picklock/race/world.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

using Scenario = std::function<void(World&)>;

/// Runs `scenario` under options.schedules random schedules, or until one violates a property. The
/// schedule found is shrunk, drawn and given as a replay string. Throws std::invalid_argument for
/// options that cannot be (a scenario name with other characters, a negative budget).
Verdict explore(const ExploreOptions& options, const Scenario& scenario);

/// Runs `scenario` under the one schedule of `replay_string`, which also brings the faults and the
/// delay. The verdict and its timeline are those of the run that gave the string, byte for byte. A
/// string that cannot be read or does not fit gives Class::unusable with one line that says why. Of
/// `options`, scenario, parameters and configuration must be those of the search; an empty scenario
/// takes those of the string.
Verdict replay(std::string_view replay_string, const Scenario& scenario,
               const ExploreOptions& options = {.scenario = ""});

}  // namespace picklock::race

#pragma GCC visibility pop
