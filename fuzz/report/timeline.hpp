// A run as text: lanes of workers and servers, time going down.
#pragma once

#include <string>

#include "fuzz/world/recorder.hpp"

namespace picklock::race {

inline constexpr std::size_t kTimelineColumns = 100;
inline constexpr std::size_t kTimelineLines = 40;

/// Draws the run, at most 100 columns wide and 40 lines high; the middle of a longer one is left
/// out, with a line that says so. Ends with a newline.
std::string draw_timeline(const Recorder& recorder);

}  // namespace picklock::race
