// The clocks of one machine, beside a time that nobody on it can read.
//
// A monotonic clock that may run fast or slow, and a wall clock on top of it that may jump or stand
// still. Integers only: the same on every machine. Plain values. `world` is the hidden time.
#pragma once

#include <cstdint>
#include <optional>

#include <picklock/clock.hpp>

namespace picklock {

class LocalClock {
 public:
  void start(Instant world) { *this = LocalClock{world}; }
  LocalClock() = default;
  explicit LocalClock(Instant world) : start_(world), base_(world) {}

  /// The wall clock stands still from `world` on; the monotonic one goes on.
  void freeze(Instant world) { frozen_ = wall(world); }
  /// The wall clock goes on from where it stood.
  void thaw(Instant world) {
    if (frozen_) offset_ = *frozen_ - monotonic(world);
    frozen_.reset();
  }
  std::optional<Instant> frozen() const { return frozen_; }
  /// Both clocks run `ppm` parts in a million fast from `world` on; negative: slow.
  void run_fast(std::int64_t ppm, Instant world) {
    base_ = monotonic(world);
    start_ = world;
    ppm_ = ppm;
  }
  void jump(Duration by) {
    offset_ += by;
    if (frozen_) *frozen_ += by;
  }
  bool is_plain() const {
    return ppm_ == 0 && base_ == start_ && offset_ == Duration{} && !frozen_;
  }
  /// How far jumps, and drifts that are over, have set the wall clock ahead.
  Duration skew() const { return offset_ + (base_ - start_); }
  std::int64_t ppm() const { return ppm_; }

  Instant monotonic(Instant world) const {
    const Duration passed = world - start_;
    return base_ + passed + (ppm_ == 0 ? Duration{} : scaled(passed, ppm_, kMillion));
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
    if (local == Instant::max()) return local;
    if (ppm_ == 0) return start_ + (local - base_);
    Instant world = start_ + scaled(local - base_, kMillion, kMillion + ppm_);
    while (monotonic(world) >= local) world -= Duration{1};
    while (monotonic(world) < local) world += Duration{1};
    return world;
  }
  /// The last world time at which monotonic() is at most `local`.
  Instant world_until(Instant local) const {
    if (local == Instant::max()) return local;
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
  /// `duration` × `factor` / `divisor`, towards zero, without its product.
  static Duration scaled(Duration duration, std::int64_t factor, std::int64_t divisor) {
    const std::int64_t count = duration.count();
    return Duration{count / divisor * factor + count % divisor * factor / divisor};
  }

  Instant start_{};  // When it took up its present speed...
  Instant base_{};   // ...and what the monotonic clock showed then.
  std::int64_t ppm_ = 0;
  Duration offset_{};
  std::optional<Instant> frozen_;
};

}  // namespace picklock
