// The clocks of one server or worker, beside the world's time that nobody in it can read.
//
// A monotonic clock that may run fast or slow, and a wall clock on top of it that may jump.
// Integers only: the same on every machine. Plain values.
#pragma once

#include <cstdint>

#include <picklock/clock.hpp>

namespace picklock::race {

class LocalClock {
 public:
  void start(Instant world) {
    start_ = world;
    ppm_ = 0;
    offset_ = Duration{};
  }
  void run_fast(std::int64_t ppm) { ppm_ = ppm; }
  void jump(Duration by) { offset_ += by; }
  bool is_plain() const { return ppm_ == 0 && offset_ == Duration{}; }
  Duration offset() const { return offset_; }
  std::int64_t ppm() const { return ppm_; }

  Instant monotonic(Instant world) const {
    if (ppm_ == 0) return world;
    return world + Duration{(world - start_).count() * ppm_ / kMillion};
  }
  Instant wall(Instant world) const { return monotonic(world) + offset_; }

  /// The first world time at which monotonic() is at least `local`. Instant::max() stays.
  Instant world_at(Instant local) const {
    if (ppm_ == 0 || local == Instant::max()) return local;
    Instant world = start_ + Duration{(local - start_).count() * kMillion / (kMillion + ppm_)};
    while (monotonic(world) >= local) world -= Duration{1};
    while (monotonic(world) < local) world += Duration{1};
    return world;
  }
  /// The last world time at which monotonic() is at most `local`.
  Instant world_until(Instant local) const {
    if (ppm_ == 0 || local == Instant::max()) return local;
    return world_at(local + Duration{1}) - Duration{1};
  }
  /// The last world time at which the wall clock, in whole milliseconds, is at most `local`: as
  /// long as a key with this deadline lives.
  Instant world_until_wall_ms(Instant local) const {
    if (is_plain()) return local;
    return world_until(local - offset_);
  }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  Instant start_{};
  std::int64_t ppm_ = 0;
  Duration offset_{};
};

}  // namespace picklock::race
