// What a run changes: of the world, of a server, of a worker. Values, which a checkpoint copies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <picklock/race.hpp>

#include "emulator/base/local_clock.hpp"
#include "emulator/base/random.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/standing.hpp"

namespace picklock::race {

class SimulatedConnection;

/// What a run changes beside servers, workers and connections.
struct Moment {
  Instant now_{};
  Instant next_time_{};
  Standing standing_;  ///< Of the workers.
  Indices in_flight_;  ///< Of connections with messages on their way.
  using Budgets = std::array<int, kFaultKinds.size()>;  ///< By the number of a kind.
  Budgets left_{};
  bool faults_left_ = false;  ///< Of any kind.
  std::uint32_t faults_spent_ = 0;
  std::uint32_t steps_ = 0;
  std::uint32_t time_steps_ = 0;
  std::uint64_t hash_ = 0;
  std::uint64_t abstract_ = 0;  ///< The abstract state before the step, if coverage is marked.
};

/// What a run changes of a server, beside what the server itself holds.
struct ServerMoment {
  LocalClock local_clock;
  std::optional<Instant> deadline;  ///< The last instant before something expires, world time.
  bool has_subscribers = false;     ///< Somebody may have subscribed in this run.
  bool has_scripts = false;         ///< Something may be in the script cache.
  bool has_watchers = false;        ///< Somebody may have used WATCH in this run.
  bool cuts_idle = false;           ///< Has `timeout` been set in this run? Some may be cut off.
  Instant back_at{};                ///< Until then it is down.
  /// What survives a restart that loses the last second, and the second that it was taken in.
  bool saves = false;  ///< Whether the scenario wants that.
  std::optional<Snapshot> saved;
  std::int64_t saved_second = 0;
  std::uint64_t saved_digest = 0;
};

/// What Server::digest() was at an instant of the server's clock.
struct KnownDigest {
  bool valid = false;
  Instant at{};
  std::uint64_t value = 0;
};

/// What a run changes of a worker, beside its body.
struct ProcessMoment {
  Instant wake{};  ///< Of a sleeping worker; of a waiting one if `wakes`.
  bool wakes = false;
  std::optional<Instant> alarm;  ///< When the listeners want to be called.
  /// What a waiting worker waits for; null: any reply.
  const SimulatedConnection* connection = nullptr;
  Link::Ticket ticket = 0;
  Duration least{}, most{};  ///< Of a pausing worker.
  Random random;
  std::uint32_t drawn = 0;  ///< How many numbers of `random`.
  LocalClock clock;
  std::uint64_t history = 0;       ///< A hash of all that it has been told, and when.
  Instant told_at{};               ///< The last time.
  bool digested = false;           ///< Worker::digest() was the last.
  std::uint64_t heard = 0;         ///< A hash of all that it has been told, with no times but...
  std::optional<Instant> read_at;  ///< ...those that it read off clocks: the last one.
  std::uint64_t draw() {
    ++drawn;
    return random.next();
  }
  void hear(std::uint64_t value) {
    heard = (heard ^ value) * 0x9e3779b97f4a7c15 + 1;
    heard ^= heard >> 29;
  }
  /// The clock shows what the instant and the jumps that it was told make of it.
  void read_clock(Instant now) {
    hear(read_at ? static_cast<std::uint64_t>((now - *read_at).count()) ^ 0x5eed : 0xc10c);
    read_at = now;
  }
  void tell(Instant now, std::uint64_t value) {
    digested = false;
    hear(value);
    history = (history ^ value) * 0x9e3779b97f4a7c15 +
              static_cast<std::uint64_t>((now - told_at).count());
    history ^= history >> 29;
    told_at = now;
  }
};

}  // namespace picklock::race
