// The server's settings under the names of redis.conf, with the types, bounds and errors of
// Redis 7.0.
//
// Every setting of Redis 7.0.15 is there; those that an emulator has no use for are only
// remembered. A copyable value.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/engine/notifications.hpp"
#include "emulator/engine/output_limits.hpp"
#include "emulator/keyspace/encoding_limits.hpp"
#include "emulator/keyspace/use_clock.hpp"

namespace picklock {

struct Setting {
  enum class Kind : std::uint8_t {
    text,
    boolean,
    integer,
    memory,
    choice,
    alias,
    immutable,
    protected_text
  };

  std::string_view name;
  Kind kind;
  std::string_view value;  ///< The default; for an alias the name it stands for.
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view choices = {};  ///< Separated by ", ".
  bool hidden = false;            ///< No pattern of CONFIG GET finds it.
};

/// Every setting, sorted by name.
std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);

/// Settings that commands look at again and again, as numbers: about what is observed, how much may
/// pile up, and when writes are refused.
struct Watching {
  std::int64_t slower_than =
      10'000;  ///< slowlog-log-slower-than, in microseconds; negative: never.
  std::int64_t slow_log_size = 128;
  std::int64_t latency_threshold = 0;  ///< In milliseconds; 0: none.
  bool latency_tracking = true;
  std::int64_t tracking_max_keys = 1'000'000;
  std::int64_t query_buffer_bytes = 1024LL * 1024 * 1024;
  std::int64_t max_memory = 0;             ///< maxmemory, in bytes; 0: no limit.
  std::int64_t min_replicas = 0;           ///< min-replicas-to-write; 0: none.
  std::int64_t min_replicas_max_lag = 10;  ///< In seconds; 0: does not matter.
  std::int64_t idle_seconds = 0;           ///< timeout; 0: clients may be idle for ever.
};

class Config {
 public:
  /// The present value of a setting that exists.
  std::string_view get(std::string_view name) const;
  /// A setting of kind integer or memory.
  std::int64_t number(std::string_view name) const;
  /// Checks `value` and brings it to the form in which it is kept ("1kb" is 1024). Returns the
  /// error that CONFIG SET reports after " - ", or nullopt when the value fits.
  static std::optional<std::string> normalize(const Setting& setting, std::string& value);
  /// Keeps a value without checking it, immutable settings included.
  void put(std::string_view name, std::string_view value);

  std::int64_t max_bulk_bytes() const { return max_bulk_bytes_; }
  const EncodingLimits& limits() const { return limits_; }
  const EventSettings& events() const { return events_; }
  const Watching& watching() const { return watching_; }
  const OutputLimits& output_limits() const { return output_limits_; }
  UseCounting use_counting() const;
  /// A number that is the same for the same settings, put in any order; what was never put counts
  /// nothing.
  std::uint64_t digest() const { return digest_; }

 private:
  std::map<std::string, std::string, std::less<>> changed_;
  std::uint64_t digest_ = 0;
  EncodingLimits limits_;
  EventSettings events_;  // notify-keyspace-events.
  Watching watching_;
  OutputLimits output_limits_;
  std::int64_t max_bulk_bytes_ = 512LL * 1024 * 1024;  // Every request looks at it.
};

}  // namespace picklock
