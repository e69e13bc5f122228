// What the painters of a drawing share: the run, its lanes and rows, and colours.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/report/drawing.hpp"
#include "fuzz/report/lanes.hpp"
#include "fuzz/report/phrases.hpp"

namespace picklock::race {

struct Canvas {
  Canvas(const Recorder& run, const std::vector<std::string>& all_tokens, std::string name);

  /// The middle of the row of event `index`.
  int y_of(std::size_t index) const {
    return kHeadHeight + static_cast<int>(rows[index]) * kRowHeight + kRowHeight / 2;
  }
  int bottom() const { return height - 4; }
  std::string colour(std::string_view token) const;
  std::string time(Instant instant) const { return phrase_time(instant, recorder.start); }

  const Recorder& recorder;
  const std::vector<std::string>& tokens;
  std::string id;
  Lanes lanes;
  std::vector<std::size_t> rows;  ///< Of each event.
  std::size_t row_count = 0;
  int height = 0;
};

/// A row has room for one text in each lane; a cut connection has no text of its own.
inline bool has_row(const Event& event) { return event.kind != Event::Kind::cut; }

/// A cross in the middle of a lane: lost, or crashed.
std::string svg_cross(int x, int y);

/// Holds on the servers; below what the workers believe, and their pauses (bars.cpp).
std::string draw_bars(const Canvas& canvas);
/// Requests and replies as lines along the links (messages.cpp).
std::string draw_messages(const Canvas& canvas);

}  // namespace picklock::race
