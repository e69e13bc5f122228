// What is recorded of the search in tests/recorded, so that every build can be held against
// it: digests of schedules, and a replay string for each bug of the suite.
//
// record_races writes both files, recorded_test.cpp compares with them. Pure: the same text on
// every machine, under every locale, by every compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::race::recorded {

/// Lines of `digests.txt`: what was searched, and a number for all choices, states and findings.
std::vector<std::string> digests();

/// Lines of `replays.txt`: a bug's id, verdict and property, and the string that shows it.
std::vector<std::string> replays();

struct Replay {
  std::string id;
  std::string verdict;
  std::string property;
  std::string text;  ///< The replay string.
};
/// Reads a line of replays(); false if it is none.
bool read(std::string_view line, Replay& replay);

/// The lines of a recorded file but for its comments. Throws std::runtime_error if there is none.
std::vector<std::string> lines_of(const std::string& path);

}  // namespace picklock::race::recorded
