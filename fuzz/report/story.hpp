// What is shown of a failure: the run that broke, and the nearest one that holds.
//
// Made by the search, kept by the Verdict; drawn as a page, exported as JSON.
#pragma once

#include <optional>
#include <string>

#include "fuzz/world/recorder.hpp"

namespace picklock::race {

struct Story {
  Recorder broken;
  /// The run that goes with it for the longest time and breaks nothing.
  std::optional<Recorder> holds;
};

/// How many events two runs begin with alike.
std::size_t common_events(const Recorder& a, const Recorder& b);

}  // namespace picklock::race
