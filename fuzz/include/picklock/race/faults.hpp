// What may go wrong in a schedule, and how often: the faults and their budgets.
//
// Plain values. Every fault is one choice of the search; a kind whose budget is 0 is never met.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)

namespace picklock::race {

/// The kinds of faults. The numbers stand in replay strings: never reuse one.
enum class Fault : std::uint8_t {
  pause = 0,
  crash = 1,
  lost_request = 2,
  lost_reply = 3,
  duplicate = 4,
  reset = 5,
  partition = 6,
  restart = 7,
  script_flush = 8,
  clock = 9,
  client_clock = 10,
  drift = 11,
  eviction = 12,
  refusal = 13,
  failover = 14,
  lag = 15,
};

/// How many faults of each kind one schedule may contain.
struct Faults {
  int pauses = 1;   ///< A worker stands still (GC) at an await, up to beyond any armed deadline.
  int crashes = 1;  ///< A worker vanishes at an await.
  /// A request vanishes before it is carried out, and its connection breaks.
  int lost_requests = 0;
  /// A request is carried out, its reply vanishes, and the connection breaks.
  int lost_replies = 0;
  /// A request is carried out twice and answered by the second time: a client library that sends
  /// again behind its caller's back.
  int duplicates = 0;
  /// A connection breaks: all that is in flight on it is lost, and its subscriptions are gone.
  int resets = 0;
  /// Nothing passes on a connection for a while; then everything arrives.
  int partitions = 0;
  /// A server stops and comes back at once or later: with all data, without those of the last
  /// second, or with none. Scripts, subscriptions and connections are gone in any case.
  int restarts = 0;
  int script_flushes = 0;  ///< SCRIPT FLUSH: EVALSHA answers NOSCRIPT.
  int clocks = 0;          ///< A server's clock jumps, forward or back.
  int client_clocks = 0;   ///< A worker's wall clock jumps (Worker::wall_clock), forward or back.
  int drifts = 0;          ///< A server's or a worker's clock runs 1 % fast or slow.
  int evictions = 0;       ///< A lock key is deleted by hand, or evicted.
  int refusals = 0;        ///< A request is answered LOADING, READONLY, OOM or BUSY.
  /// A primary is lost, and a replica takes its place (World::replica_of), without the writes that
  /// it has not heard of: at most the last four.
  int failovers = 0;
  int lags = 0;  ///< A replica hears nothing of its primary for a while.
  /// How many faults of all kinds together; 0: as many as the kinds allow.
  int most = 0;
  bool operator==(const Faults&) const = default;

  /// No fault of any kind.
  static constexpr Faults none() { return {.pauses = 0, .crashes = 0}; }
  /// Up to `count` of every kind.
  static constexpr Faults all(int count = 1);
};

/// A kind of fault, its words and where its budget stands.
struct FaultKind {
  Fault fault;              ///< Its number.
  std::string_view name;    ///< As on the command line.
  std::string_view plural;  ///< As in a verdict's bound.
  int Faults::*budget;      ///< How many of it are allowed.
};

/// Every kind, in the order of its number.
inline constexpr std::array<FaultKind, 16> kFaultKinds{{
    {Fault::pause, "pause", "pauses", &Faults::pauses},
    {Fault::crash, "crash", "crashes", &Faults::crashes},
    {Fault::lost_request, "lost-request", "lost requests", &Faults::lost_requests},
    {Fault::lost_reply, "lost-reply", "lost replies", &Faults::lost_replies},
    {Fault::duplicate, "duplicate", "duplicates", &Faults::duplicates},
    {Fault::reset, "reset", "resets", &Faults::resets},
    {Fault::partition, "partition", "partitions", &Faults::partitions},
    {Fault::restart, "restart", "restarts", &Faults::restarts},
    {Fault::script_flush, "script-flush", "script flushes", &Faults::script_flushes},
    {Fault::clock, "clock", "clock jumps", &Faults::clocks},
    {Fault::client_clock, "client-clock", "client clock jumps", &Faults::client_clocks},
    {Fault::drift, "drift", "drifting clocks", &Faults::drifts},
    {Fault::eviction, "eviction", "evictions", &Faults::evictions},
    {Fault::refusal, "refusal", "refusals", &Faults::refusals},
    {Fault::failover, "failover", "failovers", &Faults::failovers},
    {Fault::lag, "lag", "lagging replicas", &Faults::lags},
}};

constexpr Faults Faults::all(int count) {
  Faults faults;
  for (const FaultKind& kind : kFaultKinds) faults.*kind.budget = count;
  return faults;
}

}  // namespace picklock::race

#pragma GCC visibility pop
