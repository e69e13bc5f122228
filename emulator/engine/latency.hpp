// LATENCY's memory: for each kind of event, when something took long, and how long.
//
// Redis 7.0, latency.c: the newest 160 samples of an event are kept, one a second. A copyable
// value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "emulator/base/seldom.hpp"

namespace picklock {

class LatencyMonitor {
 public:
  struct Sample {
    std::int64_t unix_seconds;
    std::int64_t milliseconds;
  };
  struct Event {
    std::deque<Sample> samples;  ///< Oldest first; never empty.
    std::int64_t longest_ms = 0;
  };

  void add(std::string_view event, std::int64_t unix_seconds, std::int64_t milliseconds) {
    Event& series = events_.try_emplace(std::string{event}).first->second;
    series.longest_ms = std::max(series.longest_ms, milliseconds);
    if (!series.samples.empty() && series.samples.back().unix_seconds == unix_seconds) {
      auto& last = series.samples.back();
      last.milliseconds = std::max(last.milliseconds, milliseconds);
      return;
    }
    series.samples.push_back({unix_seconds, milliseconds});
    if (series.samples.size() > kKept) series.samples.pop_front();
  }
  /// False if there is no such event.
  bool forget(const std::string& event) { return events_.erase(event) > 0; }
  const std::map<std::string, Event, std::less<>>& events() const { return events_; }

 private:
  static constexpr std::size_t kKept = 160;
  Seldom<std::map<std::string, Event, std::less<>>> events_;
};

}  // namespace picklock
