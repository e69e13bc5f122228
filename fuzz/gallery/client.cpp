// The client around every protocol: retries, counts its validity, leaves in time.
#include <algorithm>
#include <optional>

#include "fuzz/gallery/protocol.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

/// How long an acquired lock is good for; nullopt: for ever.
std::optional<Duration> lease_of(const LockSettings& settings, const Protocol& protocol) {
  if (settings.ttl_ms == 0 && protocol.zero_is_for_ever) return std::nullopt;
  return protocol.in_seconds ? milliseconds{ttl_seconds(settings) * 1000}
                             : milliseconds{settings.ttl_ms};
}

struct Hold {
  bool held = false;
  std::optional<Instant> until;
};

constexpr std::uint64_t kMostTries = 4;

/// Tries a few times, with pauses between a fifth of a lease and a whole one. The validity
/// counts from before the request was sent: the server's deadline can only be later.
Task<Hold> acquire(Worker& worker, const Bench& bench, const Protocol& protocol,
                   std::string_view token, std::uint64_t round) {
  const std::optional<Duration> lease = lease_of(bench.settings, protocol);
  const Duration beat = std::max<Duration>(lease.value_or(milliseconds{1000}), milliseconds{10});
  for (std::uint64_t tries = 1;; ++tries) {
    worker.digest(round * 16 + tries);
    const Instant asked = worker.now();
    const bool taken = co_await protocol.acquire(worker, bench, token);
    if (taken) {
      Hold hold{true, std::nullopt};
      if (lease) hold.until = asked + *lease;
      co_return hold;
    }
    if (tries == kMostTries) co_return Hold{};
    co_await worker.pause(beat / 5, beat);
  }
}

/// Inside, for a time that the search chooses, but not beyond the hold's validity.
Task<> be_inside(Worker& worker, const Bench& bench, const Hold& hold, std::string_view token) {
  const Claim claim{.node = bench.redis, .key = kLockKey, .token = token, .until = hold.until};
  Turn turn = bench.section->enter(worker, claim);
  const Duration longest = hold.until ? *hold.until - worker.now() : Duration{milliseconds{100}};
  co_await worker.pause(Duration{}, longest);
  turn.leave();
}

}  // namespace

Task<> take_turns(Worker& worker, const Bench& bench, const Protocol& protocol) {
  for (int round = 1; round <= bench.settings.rounds; ++round) {
    std::string token{worker.name()};
    token += ':';
    token += std::to_string(round);
    const Hold hold =
        co_await acquire(worker, bench, protocol, token, static_cast<std::uint64_t>(round));
    if (!hold.held) continue;
    int depth = 1;
    for (; depth < protocol.depth; ++depth) {
      const bool again = co_await protocol.acquire(worker, bench, token);
      if (!again) break;
    }
    // A lock whose time ran out on the way is not used, only given back.
    const bool usable = depth == protocol.depth && (!hold.until || worker.now() < *hold.until);
    if (usable) co_await be_inside(worker, bench, hold, token);
    for (; depth > 0; --depth) co_await protocol.release(worker, bench, token);
  }
}

}  // namespace picklock::race
