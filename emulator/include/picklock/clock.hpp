// Where the emulator takes its time from.
//
// A Clock is injected into every emulator; the default is a SimClock, which stands still until a
// test moves it. Part of the base layer. A clock is read and moved by one thread at a time.
#pragma once

#if __cplusplus < 202002L
#error "picklock needs C++20: compile with -std=c++20"
#endif

#include <chrono>
#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)

namespace picklock {

/// Every span of time in the public interface; a std::chrono literal converts to it.
using Duration = std::chrono::microseconds;
/// An instant in microseconds since the Unix epoch, the finest unit that Redis shows (TIME).
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

/// Milliseconds since the Unix epoch, rounded down: the unit of every Redis deadline.
constexpr std::int64_t to_unix_ms(Instant instant) {
  return std::chrono::floor<std::chrono::milliseconds>(instant).time_since_epoch().count();
}
/// The reverse of to_unix_ms(); `ms` up to kLastInstantMs either way.
constexpr Instant from_unix_ms(std::int64_t ms) { return Instant{std::chrono::milliseconds{ms}}; }
/// The last millisecond that an Instant can hold.
inline constexpr std::int64_t kLastInstantMs = 9'223'372'036'854'775;

/// Where an emulator takes its time from. Derive from it for a clock of your own.
class Clock {
 public:
  virtual ~Clock() = default;
  /// The present instant. An emulator asks once a command.
  virtual Instant now() const = 0;
  /// Lets `duration` pass (DEBUG SLEEP): a simulated clock moves, a real one makes its thread wait.
  virtual void sleep_for(Duration duration) = 0;
};

/// 2020-01-01T00:00:00Z, where a simulated clock starts unless told otherwise.
inline constexpr Instant kDefaultStart{std::chrono::seconds{1'577'836'800}};

/// A clock that moves only when told.
class SimClock final : public Clock {
 public:
  /// Stands at `start` until it is moved.
  explicit SimClock(Instant start = kDefaultStart) : now_(start) {}
  Instant now() const override { return now_; }
  void sleep_for(Duration duration) override { now_ += duration; }
  /// Moves to `instant`, backwards too. Nothing fires: Emulator::set_time() does that.
  void set(Instant instant) { now_ = instant; }

 private:
  Instant now_;
};

/// The machine's wall clock.
class SystemClock final : public Clock {
 public:
  Instant now() const override;
  void sleep_for(Duration duration) override;
};

/// Real time that flows, plus an offset that a test may add to: for clients that sleep by
/// themselves.
class OffsetClock final : public Clock {
 public:
  Instant now() const override { return system_.now() + offset_; }
  void sleep_for(Duration duration) override { system_.sleep_for(duration); }
  /// Adds `duration` to what is shown from now on.
  void advance(Duration duration) { offset_ += duration; }

 private:
  SystemClock system_;
  Duration offset_{0};
};

class LocalClock;

/// A clock that goes wrong when told: it shows what another one shows, but fast or slow, ahead or
/// behind, or not at all. Several servers on one hidden time each have one:
/// `NodeClock clock{hidden}; Emulator redis{{}, clock};`. It never shows less than 1970 or more
/// than the year 9999.
class NodeClock final : public Clock {
 public:
  /// Shows what `hidden`, which must outlive it, shows.
  explicit NodeClock(Clock& hidden);
  ~NodeClock() override;
  Instant now() const override;
  void sleep_for(Duration duration) override { hidden_->sleep_for(duration); }

  /// Runs `ppm` parts in a million fast from now on; negative: slow; 0: at the usual speed. Throws
  /// std::invalid_argument unless -900,000 <= ppm <= 1,000,000.
  void drift(std::int64_t ppm);
  /// Jumps by `duration`, backwards if it is negative. Nothing fires: that is for the next request,
  /// or whoever moves the hidden clock. Throws std::invalid_argument if it would leave 1970 to
  /// 9999.
  void step(Duration duration);
  /// Stands still from now on.
  void freeze();
  /// Goes on from where it stood.
  void thaw();
  /// How fast it runs, in parts in a million.
  std::int64_t ppm() const;
  /// Whether it stands still.
  bool is_frozen() const;
  /// How far it is ahead of the hidden clock; negative: behind.
  Duration ahead() const { return now() - hidden_->now(); }
  /// The first instant of the hidden clock at which this one shows at least `instant`, which lies
  /// ahead; Instant::max() if that never comes.
  Instant hidden_at(Instant instant) const;
  /// The clock beneath.
  Clock& hidden() const { return *hidden_; }

 private:
  Clock* hidden_;
  std::unique_ptr<LocalClock> local_;
};

}  // namespace picklock

#pragma GCC visibility pop
