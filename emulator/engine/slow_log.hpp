// SLOWLOG's memory: the requests that took longer than the setting allows, newest first.
//
// A copyable value; knows neither the clock nor the settings.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>

#include "emulator/base/copy_on_write.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class SlowLog {
 public:
  struct Entry {
    std::uint64_t id;
    std::int64_t unix_seconds;
    std::int64_t microseconds;
    std::vector<std::string> words;  ///< Shortened.
    std::string address;
    std::string name;
  };

  /// Keeps a request, and drops the oldest ones beyond `max_size`.
  void add(Args words, Instant now, Duration took, std::string_view address, std::string_view name,
           std::int64_t max_size);
  void trim(std::int64_t max_size);
  void clear() { entries_.reset(); }
  const std::deque<Entry>& entries() const { return *entries_; }

 private:
  CopyOnWrite<std::deque<Entry>> entries_;
  std::uint64_t next_id_ = 0;
};

}  // namespace picklock
