// A recorded run as SVG: time goes down, a row an event; servers left, then faults, links, workers.
#pragma once

#include <string>
#include <vector>

#include "fuzz/world/recorder.hpp"

namespace picklock::race {

struct Drawing {
  std::string svg;
  /// The row of each event.
  std::vector<std::size_t> rows;
};

inline constexpr int kRowHeight = 22;
inline constexpr int kHeadHeight = 30;
/// How many colours there are for tokens.
inline constexpr std::size_t kColours = 8;

/// The tokens of all these runs in order of their appearance: their places are their colours.
std::vector<std::string> tokens_of(const std::vector<const Recorder*>& runs);

/// Draws the run; events before `same_events` are those of the other run as well. `id` makes the
/// names within the drawing its own.
Drawing draw_run(const Recorder& recorder, const std::vector<std::string>& tokens,
                 std::size_t same_events, const std::string& id);

}  // namespace picklock::race
