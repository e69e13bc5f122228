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
  /// How the pauses grow.
  enum class Kind : std::uint8_t {
    constant,      ///< Always `first`.
    exponential,   ///< `first`, doubled each time, up to `most`.
    decorrelated,  ///< A random time between `first` and three times the last one, up to `most`.
  };
  /// Which of them.
  Kind kind = Kind::decorrelated;
  /// The shortest pause: at least 1 ms.
  Duration first{std::chrono::milliseconds{10}};
  /// The longest pause: not below `first`.
  Duration most{std::chrono::seconds{1}};
  /// If set, decides instead: the pause before try `n` (from 1), given 64 random bits. One that
  /// throws leaves it to `kind`. All acquisitions of a lock share it: it should remember nothing.
  std::function<Duration(std::uint32_t n, std::uint64_t random)> own{};
};

/// How a lock is held, waited for and given up; a value. What is out of range makes operations fail
/// with invalid_argument.
struct LockOptions {
  /// How long the server keeps the lock for us without a renewal. Whole milliseconds, at least 5
  /// (less leaves nothing after the allowance for drift), at most 100 years.
  Duration ttl{std::chrono::seconds{30}};
  /// Renews the hold every ttl/3 until it is released: the watchdog.
  bool renew = false;
  /// With `renew`: how long in all, at least 5 ms. Afterwards the hold runs out, unless the caller
  /// has extended it beyond. 0: no limit.
  Duration max_hold{};
  /// Waiters subscribe to a channel on which releases are announced; otherwise they only poll.
  bool listen = true;
  /// Between tries of a waiter that polls, and of a request that failed.
  Backoff backoff{};
  /// How long an answer may take before the request is sent again, or the node counts as failed.
  /// Redlock takes at most 5 % of the ttl.
  Duration answer_within{std::chrono::milliseconds{500}};
  /// How long an operation that never heard an answer goes on trying.
  Duration give_up_after{std::chrono::seconds{2}};
  /// How fast clocks may differ: this part of the ttl, from 0 to 0.5, plus `drift_floor`, is not
  /// counted on.
  double drift = 0.01;
  /// What is not counted on however short the ttl is.
  Duration drift_floor{std::chrono::milliseconds{2}};
  /// How long the server remembers acquisitions that are over, so that no request of theirs that
  /// comes late takes the lock again; 0: as long as the ttl.
  Duration memory{};
  /// How long a place in a queue is kept for a waiter that is not heard of (fair locks, read-write
  /// locks, semaphores): from 15 ms to a day.
  Duration waiter_lease{std::chrono::seconds{5}};
  /// How many replicas must confirm the acquisition (WAIT) within `replicas_within`; failing that
  /// the lock is released again. On one server only, so not for Redlock.
  int replicas = 0;
  /// How long WAIT may take: at least 1 ms.
  Duration replicas_within{std::chrono::milliseconds{500}};
};

/// Monotone over all holders of a fenced lock: what a later holder has is greater.
struct FencingToken {
  /// Grows when the server has lost its memory; by its clock for those who knew no token, so a test
  /// that empties a server lets a millisecond pass.
  std::int64_t epoch = 0;
  std::int64_t sequence = 0;  ///< Grows with every hold of one epoch.
  /// By epoch first.
  auto operator<=>(const FencingToken&) const = default;
  /// "epoch.sequence", for people and logs.
  std::string to_string() const;
};

/// What has happened, for logs and metrics. Views are valid during the call.
struct LockEvent {
  /// What has happened.
  enum class Kind : std::uint8_t {
    acquired,      ///< A hold began.
    not_acquired,  ///< An attempt ended without one.
    extended,      ///< By the watchdog, or by Hold::extend().
    released,      ///< By its holder.
    lost,          ///< It ended without a release: see Loss.
    retried,       ///< A request was sent again, because no answer came or the connection broke.
  };
  Kind kind = Kind::acquired;  ///< What has happened.
  std::string_view name;       ///< Of the lock.
  std::string_view owner;      ///< The id of the hold.
  Instant at{};                ///< On the link's clock.
  Duration waited{};           ///< Of acquired and not_acquired: since it was asked for.
};

/// Counted by a client over all its locks. `waits[i]` counts acquisitions that took less than 2^i
/// ms, the last one all longer ones.
struct LockCounters {
  std::uint64_t acquired = 0;      ///< Holds that began.
  std::uint64_t not_acquired = 0;  ///< Attempts that ended without one.
  std::uint64_t extended = 0;      ///< Renewals, the watchdog's too.
  std::uint64_t released = 0;      ///< Holds given back.
  std::uint64_t lost = 0;          ///< Holds that ended otherwise.
  std::uint64_t retried = 0;       ///< Requests that were sent again.
  std::uint64_t requests = 0;      ///< Requests sent.
  std::uint64_t waits[16] = {};    ///< See above.
};

}  // namespace picklock

#pragma GCC visibility pop
