// The state of a recorded run after each of its events: keys, messages, workers.
//
// What the slider of the HTML report shows. A state is a list of named cells; only their changes
// are kept.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fuzz/world/recorder.hpp"

namespace picklock::race {

struct States {
  std::vector<std::string> cells;  ///< Their names.
  /// After event i these cells hold these texts.
  std::vector<std::vector<std::pair<std::size_t, std::string>>> changes;
};

States tell_states(const Recorder& recorder);

}  // namespace picklock::race
