// When and how often a key was used, in the 24 bits that Redis keeps of it.
//
// Under most policies they are a clock of whole seconds; under the LFU policies the last 16 bits of
// the minute of the last use and a counter that grows by chance, the slower the higher it is. As in
// Redis, the bits are not converted when the policy changes. Values and pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emulator/base/random.hpp"

namespace picklock {

/// The settings of the same names.
struct UseCounting {
  bool lfu = false;  ///< Whether maxmemory-policy is one of LFU.
  std::int64_t lfu_log_factor = 10;
  std::int64_t lfu_decay_time = 1;
};

/// Redis 7.0, robj.lru and evict.c.
class UseClock {
 public:
  static constexpr std::uint32_t kMax = (1 << 24) - 1;

  std::uint32_t bits() const {
    return bits_[0] | std::uint32_t{bits_[1]} << 8 | std::uint32_t{bits_[2]} << 16;
  }

  void start(const UseCounting& counting, std::int64_t now_ms) {
    set(counting.lfu ? pack(now_ms, kFirst) : seconds(now_ms));
  }
  /// Counts one use.
  void use(const UseCounting& counting, std::int64_t now_ms, Random& random) {
    if (!counting.lfu) {
      set(seconds(now_ms));
      return;
    }
    std::uint32_t count = frequency(counting, now_ms);
    const std::int64_t above = std::max<std::int64_t>(std::int64_t{count} - kFirst, 0);
    if (count < kMostFrequent &&
        random.below(static_cast<std::uint64_t>(above * counting.lfu_log_factor) + 1) == 0)
      ++count;
    set(pack(now_ms, count));
  }
  /// As if it had last been used so long ago (RESTORE ... IDLETIME).
  void set_idle(std::int64_t idle, std::int64_t now_ms) {
    std::int64_t at = static_cast<std::int64_t>(seconds(now_ms)) - idle;
    if (at < 0) at += kMax;
    set(static_cast<std::uint32_t>(at) & kMax);
  }
  void set_frequency(std::int64_t frequency, std::int64_t now_ms) {
    set(pack(now_ms, static_cast<std::uint32_t>(frequency)));
  }

  /// Whole seconds since the last use.
  std::int64_t idle_seconds(std::int64_t now_ms) const {
    const std::uint32_t now = seconds(now_ms);
    return now >= bits() ? now - bits() : std::int64_t{now} + (kMax - bits());
  }
  /// The counter, less one for each lfu-decay-time minutes since the last use.
  std::uint32_t frequency(const UseCounting& counting, std::int64_t now_ms) const {
    const std::uint32_t then = bits() >> 8;
    const std::uint32_t now = minutes(now_ms);
    const std::uint32_t passed = now >= then ? now - then : 65535 - then + now;
    const std::uint32_t count = bits() & 255;
    if (counting.lfu_decay_time <= 0) return count;
    return count - static_cast<std::uint32_t>(
                       std::min<std::int64_t>(passed / counting.lfu_decay_time, count));
  }

 private:
  static constexpr std::uint32_t kFirst = 5;  // What a new key starts from.
  static constexpr std::uint32_t kMostFrequent = 255;

  static std::uint32_t seconds(std::int64_t now_ms) {
    return static_cast<std::uint32_t>(now_ms / 1000) & kMax;
  }
  static std::uint32_t minutes(std::int64_t now_ms) {
    return static_cast<std::uint32_t>(now_ms / 60'000) & 65535;
  }
  static std::uint32_t pack(std::int64_t now_ms, std::uint32_t count) {
    return minutes(now_ms) << 8 | count;
  }

  void set(std::uint32_t bits) {
    bits_ = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
             static_cast<std::uint8_t>(bits >> 16)};
  }

  std::array<std::uint8_t, 3> bits_{};  // No more, for there is one in each key's entry.
};

}  // namespace picklock
