// The plain client around every founding protocol: asks again when an answer gets lost, retries,
// counts its validity from before it asked, leaves in time.
#include <algorithm>
#include <stdexcept>

#include "fuzz/gallery/founding.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

enum class Result : std::uint8_t { yes, no, refused };

std::int64_t wall_ms(const Worker& worker) { return to_unix_ms(worker.wall_clock()); }

using Words = std::span<const std::string_view>;

/// Sends a request, and once more if the connection breaks before its answer comes.
Task<Reply> ask(Worker& worker, const Bench& bench, const Words& words) {
  for (bool again = false;; again = true) {
    try {
      const Call call = worker.call(*bench.redis, words);
      Reply reply = co_await call;
      co_return reply;
    } catch (const ConnectionLost&) {
      if (again) throw;
    }
  }
}

/// EVALSHA, and EVAL when the server does not know the script; or the command.
Task<Reply> send(Worker& worker, const Bench& bench, const Wording& wording) {
  std::array<std::string_view, 12> words;
  const std::size_t count = std::min(wording.words.size(), words.size());
  std::copy_n(wording.words.begin(), count, words.begin());
  const Words request{words.data(), count};
  Reply reply = co_await ask(worker, bench, request);
  const bool unknown = reply.is_error() && reply.text().starts_with("NOSCRIPT");
  if (wording.script == nullptr || !unknown) co_return reply;
  words[0] = "EVAL";
  words[1] = wording.script->source;
  reply = co_await ask(worker, bench, request);
  co_return reply;
}

/// A server that is not ready, or not able, has said nothing about the lock.
bool is_refusal(const lock::Answer& answer) {
  using Kind = NodeError::Kind;
  const Kind kind = answer.failure;
  return kind == Kind::loading || kind == Kind::busy_script || kind == Kind::read_only ||
         kind == Kind::out_of_memory;
}

/// Throws when the answer is none that the protocol knows: the lock cannot be used so.
Task<Result> perform(Worker& worker, const Bench& bench, Ask what, Bid& bid) {
  bid.demand.step = 0;
  bid.demand.heard = {};
  while (true) {
    const Wording& wording = bench.lock->wording(what, bid);
    const Reply reply = co_await send(worker, bench, wording);
    bid.demand.now_ms = wall_ms(worker);
    lock::Answer answer = bench.lock->read(what, reply, bid);
    switch (answer.kind) {
      case lock::Answer::Kind::yes:
        co_return Result::yes;
      case lock::Answer::Kind::goes_on:
        ++bid.demand.step;
        bid.heard = std::move(answer.text);
        bid.demand.heard = bid.heard;
        break;
      case lock::Answer::Kind::failed:
        if (!is_refusal(answer)) throw std::runtime_error{answer.text};
        co_return Result::refused;
      default:
        co_return Result::no;
    }
  }
}

/// A release that is refused is asked for once more.
Task<Result> release(Worker& worker, const Bench& bench, Bid& bid) {
  Result result = co_await perform(worker, bench, Ask::release, bid);
  if (result == Result::refused) result = co_await perform(worker, bench, Ask::release, bid);
  co_return result;
}

bool is_valid(const Worker& worker, const Bid& bid) {
  return !bid.until || worker.now() < *bid.until;
}

/// Whether the replicas have confirmed what this connection has written; a new one would be told of
/// nothing.
Task<bool> confirm(Worker& worker, const Bench& bench, std::uint64_t connection) {
  if (bench.waits == 0) co_return true;
  const std::string wanted = std::to_string(bench.waits);
  try {
    const Call call = worker.call(*bench.redis, "WAIT", wanted, "100");
    const Reply reply = co_await call;
    co_return worker.link(*bench.redis).connections() == connection&& reply.type() ==
        Reply::Type::integer&& reply.integer() >= bench.waits;
  } catch (const ConnectionLost&) {
  }
  co_return false;
}

/// Tries a few times, with pauses between a fifth of a lease and a whole one. The validity
/// counts from before the request was sent: the server's deadline can only be later.
Task<bool> acquire(Worker& worker, const Bench& bench, Bid& bid) {
  const std::optional<Duration> lease = bench.lock->lease();
  const milliseconds ttl{bench.lock->settings().ttl_ms};
  const Duration beat = std::max<Duration>(lease ? ttl : milliseconds{1000}, milliseconds{10});
  for (int tries = 1;; ++tries) {
    worker.digest(static_cast<std::uint64_t>(bid.round * 16 + tries));
    const Instant asked = worker.now();
    bid.demand.stamp_ms = wall_ms(worker);
    const std::uint64_t connection = worker.link(*bench.redis).connections();
    const Result result = co_await perform(worker, bench, Ask::acquire, bid);
    if (lease) bid.until = asked + *lease;
    if (result == Result::yes) {
      const bool confirmed = co_await confirm(worker, bench, connection);
      if (confirmed) co_return true;
      co_await perform(worker, bench, Ask::release, bid);
    }
    if (tries == bench.lock->tries()) co_return false;
    co_await worker.pause(beat / 5, beat);
  }
}

Turn enter(Worker& worker, const Bench& bench, const Bid& bid) {
  Claim claim{.until = bid.until};
  if (!bench.lock->keeps_time_in_value())
    claim = {.node = bench.redis, .key = kLockKey, .token = bid.token, .until = bid.until};
  return bench.section->enter(worker, claim);
}

/// Inside, for a time that the search chooses, but not beyond the hold's validity.
Task<> be_inside(Worker& worker, const Bench& bench, const Bid& bid) {
  Turn turn = enter(worker, bench, bid);
  const Duration longest = bid.until ? *bid.until - worker.now() : Duration{milliseconds{100}};
  co_await worker.pause(Duration{}, longest);
  turn.leave();
}

/// Takes the lock once more, is inside, gives that level back; the outer level must still be there.
Task<> hold_twice(Worker& worker, const Bench& bench, Bid& bid) {
  const bool trusts = bench.lock->settings().trusts_reentry && bid.until;
  if (trusts && is_valid(worker, bid)) co_await be_inside(worker, bench, bid);
  const Instant asked = worker.now();
  const Result again = co_await perform(worker, bench, Ask::acquire, bid);
  if (again != Result::yes) co_return;
  if (trusts) bid.until = asked + *bench.lock->lease();
  if (is_valid(worker, bid)) {
    bench.key->expect_count(worker, bid.token, 2);
    co_await be_inside(worker, bench, bid);
  }
  co_await release(worker, bench, bid);
  if (!is_valid(worker, bid)) co_return;
  Turn turn = enter(worker, bench, bid);
  turn.leave();
}

/// The timer's work between two stays inside. It stands still when its process does.
Task<> renew(Worker& worker, const Bench& bench, Bid& bid) {
  const Instant asked = worker.now();
  const Result extended = co_await perform(worker, bench, Ask::extend, bid);
  if (extended != Result::yes || !is_valid(worker, bid)) co_return;
  bid.until = asked + *bench.lock->lease();
  if (is_valid(worker, bid)) co_await be_inside(worker, bench, bid);
}

/// The last hold is over: nothing may be sent for it any more. A timer that nobody has stopped
/// does.
Task<> retire(Worker& worker, const Bench& bench, Bid& bid) {
  bench.key->over(worker, bid.token);
  if (!bench.lock->renews_after_release()) co_return;
  co_await worker.sleep(*bench.lock->lease() / 3);
  co_await perform(worker, bench, Ask::extend, bid);
}

}  // namespace

Task<> take_turns(Worker& worker, const Bench& bench, std::size_t index) {
  const Founding& lock = *bench.lock;
  for (int round = 1; round <= lock.settings().rounds; ++round) {
    Bid bid = lock.bid(index, round);
    const bool taken = co_await acquire(worker, bench, bid);
    if (!taken) continue;
    // A lock whose time ran out on the way is not used, only given back.
    if (lock.counts()) {
      co_await hold_twice(worker, bench, bid);
    } else if (is_valid(worker, bid)) {
      co_await be_inside(worker, bench, bid);
    }
    if (lock.is_renewed() && bid.until && is_valid(worker, bid)) co_await renew(worker, bench, bid);
    const Result released = co_await release(worker, bench, bid);
    if (lock.counts() && released != Result::refused) bench.key->expect_count(worker, bid.token, 0);
    if (lock.is_renewed() && bid.until && round == lock.settings().rounds)
      co_await retire(worker, bench, bid);
  }
  worker.digest(0);
}

}  // namespace picklock::race
