// The clocks of one server or worker, beside the world's time that nobody in it can read.
//
// A monotonic clock that may run fast or slow, and a wall clock on top of it that may jump.
// Integers only: the same on every machine. Plain values.
#pragma once

#include <cstdint>
#include <optional>

#include <picklock/clock.hpp>

namespace picklock::race {

class LocalClock {
 public:
  void start(Instant world) {
    start_ = world;
    ppm_ = 0;
    offset_ = Duration{};
    frozen_.reset();
  }
  /// The wall clock stands still from `world` on; the monotonic one goes on.
  void freeze(Instant world) { frozen_ = wall(world); }
  std::optional<Instant> frozen() const { return frozen_; }
  void run_fast(std::int64_t ppm) { ppm_ = ppm; }
  void jump(Duration by) {
    offset_ += by;
    if (frozen_) *frozen_ += by;
  }
  bool is_plain() const { return ppm_ == 0 && offset_ == Duration{} && !frozen_; }
  Duration offset() const { return offset_; }
  std::int64_t ppm() const { return ppm_; }

  Instant monotonic(Instant world) const {
    if (ppm_ == 0) return world;
    return world + Duration{(world - start_).count() * ppm_ / kMillion};
  }
  Instant wall(Instant world) const { return frozen_ ? *frozen_ : monotonic(world) + offset_; }
  /// The first world time at which wall() is at least `wall`, which lies ahead; Instant::max() if
  /// that never comes.
  Instant world_at_wall(Instant wall) const {
    if (frozen_) return Instant::max();
    return is_plain() ? wall : world_at(wall - offset_);
  }

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
    if (frozen_) return to_unix_ms(*frozen_) <= to_unix_ms(local) ? Instant::max() : Instant{};
    return world_until(local - offset_);
  }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  Instant start_{};
  std::int64_t ppm_ = 0;
  Duration offset_{};
  std::optional<Instant> frozen_;
};

}  // namespace picklock::race
