// How a lock is held and waited for.
//
// Plain values with defaults that suit a server in the same data centre. All times are
// std::chrono durations; a lock checks them when it is asked to do something and answers
// invalid_argument, never by holding a lock that cannot be held.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <picklock/clock.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// How a waiter that does not listen for wake-ups spaces its tries.
struct Backoff {
  enum class Kind : std::uint8_t {
    constant,      ///< Always `first`.
    exponential,   ///< `first`, doubled each time, up to `most`.
    decorrelated,  ///< A random time between `first` and three times the last one, up to `most`.
  };
  Kind kind = Kind::decorrelated;
  Duration first{std::chrono::milliseconds{10}};
  Duration most{std::chrono::seconds{1}};
  /// If set, decides instead: the pause before try `n` (from 1), given 64 random bits.
  std::function<Duration(std::uint32_t n, std::uint64_t random)> own{};
};

struct LockOptions {
  /// How long the server keeps the lock for us without a renewal. Whole milliseconds, at least 5
  /// (less leaves nothing after the allowance for drift), at most 100 years.
  Duration ttl{std::chrono::seconds{30}};
  /// Renews the hold every ttl/3 until it is released: the watchdog.
  bool renew = false;
  /// With `renew`: how long in all. Afterwards the hold runs out. 0: no limit.
  Duration max_hold{};
  /// Waiters subscribe to a channel on which releases are announced; otherwise they only poll.
  bool listen = true;
  Backoff backoff{};
  /// How long an answer may take before the request is sent again, or the node counts as failed.
  /// Redlock takes at most 5 % of the ttl.
  Duration answer_within{std::chrono::milliseconds{500}};
  /// How long an operation that never heard an answer goes on trying.
  Duration give_up_after{std::chrono::seconds{2}};
  /// How fast clocks may differ: this part of the ttl, plus `drift_floor`, is not counted on.
  double drift = 0.01;
  Duration drift_floor{std::chrono::milliseconds{2}};
  /// How long the server remembers acquisitions that are over, so that no request of theirs that
  /// comes late takes the lock again; 0: as long as the ttl.
  Duration memory{};
  /// How long a place in a queue is kept for a waiter that is not heard of (fair locks, read-write
  /// locks, semaphores).
  Duration waiter_lease{std::chrono::seconds{5}};
  /// How many replicas must confirm the acquisition (WAIT) within `replicas_within`; failing that
  /// the lock is released again. Not for Redlock.
  int replicas = 0;
  Duration replicas_within{std::chrono::milliseconds{500}};
};

/// Monotone over all holders of a fenced lock: what a later holder has is greater.
struct FencingToken {
  std::int64_t epoch = 0;
  std::int64_t sequence = 0;
  auto operator<=>(const FencingToken&) const = default;
  std::string to_string() const;
};

/// What has happened, for logs and metrics. Views are valid during the call.
struct LockEvent {
  enum class Kind : std::uint8_t {
    acquired,
    not_acquired,
    extended,
    released,
    lost,
    retried,  ///< A request was sent again, because no answer came or the connection broke.
  };
  Kind kind = Kind::acquired;
  std::string_view name;
  std::string_view owner;
  Instant at{};
  Duration waited{};  ///< Of acquired and not_acquired: since it was asked for.
};

/// Counted by a client over all its locks. `waits[i]` counts acquisitions that took less than 2^i
/// ms, the last one all longer ones.
struct LockCounters {
  std::uint64_t acquired = 0;
  std::uint64_t not_acquired = 0;
  std::uint64_t extended = 0;
  std::uint64_t released = 0;
  std::uint64_t lost = 0;
  std::uint64_t retried = 0;
  std::uint64_t requests = 0;
  std::uint64_t waits[16] = {};
};

}  // namespace picklock

#pragma GCC visibility pop
