#include "fuzz/check/clients.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "emulator/base/numbers.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

constexpr int kMostRepeats = 3;
constexpr int kBeats = 3;  ///< How often a watchdog renews within a hold.

/// What the workers of one schedule share.
struct Shared {
  LockCheck check;
  Footprint footprint;
  Duration lease{};
  Node* redis = nullptr;
  Exclusive* section = nullptr;
};

/// One client and what its placeholders stand for.
struct Self {
  SlotValues values;
  std::optional<Instant> until;  ///< While it holds the lock.
};

std::int64_t wall_ms(const Worker& worker) { return to_unix_ms(worker.wall_clock()); }

/// What a server says when it is not ready, or not able: no answer of the lock.
bool is_refusal(const Reply& reply) {
  constexpr std::array<std::string_view, 5> kCodes{"LOADING", "READONLY", "OOM", "BUSY",
                                                   "MASTERDOWN"};
  return reply.is_error() && std::any_of(kCodes.begin(), kCodes.end(), [&](std::string_view code) {
           return reply.text().starts_with(code);
         });
}

/// Sends a request; once more if its answer got lost and the client does so.
Task<Reply> ask(Worker& worker, const Shared& shared, const std::vector<std::string>& words) {
  std::vector<std::string_view> views{words.begin(), words.end()};
  for (int repeats = 0;; ++repeats) {
    try {
      const Call call = worker.call(*shared.redis, std::span<const std::string_view>{views});
      Reply reply = co_await call;
      co_return reply;
    } catch (const ConnectionLost&) {
      if (!shared.check.retry || repeats == kMostRepeats) throw;
    }
  }
}

/// EVALSHA, and EVAL when the server does not know the script; or the command.
Task<Reply> send(Worker& worker, const Shared& shared, const CheckStep& step,
                 const SlotValues& values) {
  std::vector<std::string> words;
  if (!step.script.empty()) words = {"EVALSHA", step.digest};
  for (const Word& word : step.words) words.push_back(word.fill(values));
  Reply reply = co_await ask(worker, shared, words);
  const bool unknown = reply.is_error() && reply.text().starts_with("NOSCRIPT");
  if (step.script.empty() || !unknown) co_return reply;
  words[0] = "EVAL";
  words[1] = step.script;
  reply = co_await ask(worker, shared, words);
  co_return reply;
}

/// Whether the operation succeeded. An error that is no refusal ends the run: the lock cannot be
/// used so.
Task<bool> perform(Worker& worker, const Shared& shared, const Requests& operation, Self& self,
                   std::string_view name) {
  for (std::size_t i = 0; i < operation.size(); ++i) {
    const CheckStep& step = operation[i];
    const Reply reply = co_await send(worker, shared, step, self.values);
    if (is_refusal(reply)) co_return false;
    if (reply.is_error())
      throw std::runtime_error{std::string{name} + " answered " + phrase_exact(reply)};
    const bool succeeded = matches(step.success, reply, self.values, wall_ms(worker));
    const bool last = i + 1 == operation.size();
    const bool goes_on = matches(step.goes_on, reply, self.values, wall_ms(worker));
    const bool done = succeeded && (last || !step.goes_on.empty());
    const bool texted = reply.type() == Reply::Type::bulk || reply.type() == Reply::Type::status;
    at(self.values, Slot::heard) = texted ? reply.text() : "";
    if (done) co_return true;
    if (!goes_on && !(succeeded && step.goes_on.empty())) co_return last&& step.success.empty();
  }
  co_return true;
}

bool is_valid(const Worker& worker, const Self& self) { return worker.now() < *self.until; }

/// Tries for three leases, with pauses between a fifth of a lease and a whole one. The validity
/// counts from before the request was sent: the server's deadline can only be later.
Task<bool> acquire(Worker& worker, const Shared& shared, Self& self) {
  const Duration beat = std::max<Duration>(shared.lease, milliseconds{10});
  const Instant give_up = worker.now() + 3 * beat;
  while (true) {
    const Instant asked = worker.now();
    // As the acquisition that succeeds leaves it: a release may need it.
    at(self.values, Slot::until_ms) = to_text(wall_ms(worker) + shared.lease / milliseconds{1});
    const bool taken = co_await perform(worker, shared, shared.check.acquire, self, kAcquire);
    self.until = asked + shared.lease;
    if (taken) co_return true;
    if (worker.now() >= give_up) co_return false;
    co_await worker.pause(beat / 5, beat);
  }
}

/// False if the lock's end stands in its value: then its key may be another's before it goes.
bool keeps_ttl(const Shared& shared) { return shared.footprint.holder != Slot::until_ms; }

/// Inside, for a time that the search chooses, but not beyond the hold's validity.
Task<> stay(Worker& worker, const Shared& shared, const Self& self, Duration longest) {
  if (!is_valid(worker, self)) co_return;
  Claim claim{.until = self.until};
  if (shared.footprint.holder && keeps_ttl(shared)) {
    claim.node = shared.redis;
    claim.key = shared.footprint.key;
    claim.token = at(self.values, *shared.footprint.holder);
  }
  Turn turn = shared.section->enter(worker, claim);
  co_await worker.pause(Duration{}, std::min(longest, *self.until - worker.now()));
  turn.leave();
}

/// Extends; false if the lock is lost.
Task<bool> extend(Worker& worker, const Shared& shared, Self& self) {
  const Instant asked = worker.now();
  const bool extended = co_await perform(worker, shared, shared.check.extend, self, kExtend);
  if (extended) self.until = asked + shared.lease;
  co_return extended;
}

/// What a holder does: takes the lock again as often as it is deep, is inside, gives the inner
/// holds back, extends the outer one, and is inside in between. It is never inside while it waits
/// for a reply, which may come after its time.
Task<> hold(Worker& worker, const Shared& shared, Self& self) {
  const LockCheck& check = shared.check;
  int depth = 1;
  for (; depth < check.depth && is_valid(worker, self); ++depth) {
    const bool again = co_await perform(worker, shared, check.acquire, self, kAcquire);
    if (!again) break;
  }
  if (depth == check.depth) co_await stay(worker, shared, self, shared.lease);
  for (; depth > 1; --depth) {
    co_await perform(worker, shared, check.release, self, kRelease);
    if (depth == 2) co_await stay(worker, shared, self, shared.lease);
  }
  const int beats = check.extend.empty() ? 0 : check.watchdog ? kBeats : 1;
  for (int beat = 0; beat < beats && is_valid(worker, self); ++beat) {
    const bool extended = co_await extend(worker, shared, self);
    if (!extended) break;
    co_await stay(worker, shared, self, check.watchdog ? shared.lease / 3 : shared.lease);
  }
}

Task<> live(Worker& worker, const Shared& shared, int client) {
  for (int round = 1; round <= shared.check.rounds; ++round) {
    Self self{slot_values(shared.check, client, round), std::nullopt};
    const bool taken = co_await acquire(worker, shared, self);
    if (!taken) continue;
    co_await hold(worker, shared, self);
    co_await perform(worker, shared, shared.check.release, self, kRelease);
  }
}

}  // namespace

Scenario make_scenario(const LockCheck& check, const Footprint& footprint) {
  const auto shared = std::make_shared<Shared>();
  shared->check = check;
  shared->footprint = footprint;
  shared->lease = lease_of(check);
  return [shared](World& world) {
    Node& redis = world.redis("redis", [&](Emulator& emulator) {
      Client client = emulator.connect();
      for (const Requests* operation :
           {&shared->check.acquire, &shared->check.release, &shared->check.extend}) {
        for (const CheckStep& step : *operation) {
          if (!step.script.empty()) client.call("SCRIPT", "LOAD", step.script);
        }
      }
    });
    shared->redis = &redis;
    shared->section = &world.exclusive("section");
    if (keeps_ttl(*shared)) world.lock_key(redis, shared->footprint.key);
    for (int i = 0; i < shared->check.clients; ++i) {
      world.spawn(client_name(i),
                  [shared = shared.get(), i](Worker& worker) { return live(worker, *shared, i); });
    }
  };
}

}  // namespace picklock::race
