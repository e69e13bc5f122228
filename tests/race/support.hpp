// What the tests of the simulated world share.
#pragma once

#include <string>
#include <string_view>

#include <picklock/race.hpp>

namespace picklock::race {

/// Options of a quiet world: no faults, messages arrive at once.
inline ExploreOptions quiet(std::uint64_t schedules = 200) {
  ExploreOptions options;
  options.schedules = schedules;
  options.faults = {.pauses = 0, .crashes = 0};
  options.max_delay = std::chrono::milliseconds{0};
  return options;
}

}  // namespace picklock::race
