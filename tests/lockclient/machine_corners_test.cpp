// The corners of the state machines: what several attempts have left behind, what comes while
// something else is under way, votes that differ.
#include "tests/lockclient/machine_table.hpp"
#include "tests/lockclient/stepped.hpp"

using namespace picklock;
using namespace picklock::test::machine;

namespace {

constexpr auto kExtended = Notice::Kind::extended;

lock::Terms three_nodes(std::optional<Duration> wait, LockOptions options = kOptions) {
  lock::Terms made = terms(wait, std::move(options));
  made.nodes = 3;
  made.quorum = 2;
  return made;
}

}  // namespace

TEST_CASE("machine: what an earlier attempt may still take is given back at the end") {
  play({one_name(),
        terms(130ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {100, kTime, 0, {}, "", {}, Phase::asking, 100},
         // The first request may be late, and take the lock when everybody has forgotten it.
         {100, kTime, 0, {}, "a", {kRetried}, Phase::asking, 130},
         {110, kAnswer, 2, busy(500), "", {}, Phase::waiting, 120},
         {120, kTime, 0, {}, "a", {}, Phase::asking, 220},
         {122, kAnswer, 3, busy(500), "", {}, Phase::waiting, 130},
         {130, kTime, 0, {}, "a", {}, Phase::asking, 230},
         {135, kAnswer, 4, busy(500), "r", {kRefused}, Phase::releasing, 235},
         {140, kAnswer, 5, replies::integer(0), "", {}, Phase::ended, -1}}});
}

TEST_CASE("machine: what was taken back once is not taken back again") {
  play({one_name(),
        terms(150ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {99, kAnswer, 1, held(50), "r", {}, Phase::clearing, 150},
         {100, kAnswer, 2, replies::integer(1), "", {}, Phase::waiting, 109},
         {109, kTime, 0, {}, "a", {}, Phase::asking, 209},
         {110, kAnswer, 3, busy(500), "", {}, Phase::waiting, 120},
         {150, kTime, 0, {}, "a", {}, Phase::asking, 250},
         {151, kAnswer, 4, busy(500), "", {kRefused}, Phase::ended, -1}}});
}

TEST_CASE("machine: who is woken while asking asks again at once") {
  for (const auto& woken : {Event::Kind::message, Event::Kind::listening}) {
    play({one_name(),
          terms(std::nullopt),
          {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
           {5, kAnswer, 1, busy(500), "", {}, Phase::waiting, 15},
           {15, kTime, 0, {}, "a", {}, Phase::asking, 115},
           {16, woken, 0, {}, "", {}, Phase::asking, 115},
           {17, kAnswer, 2, busy(500), "a", {}, Phase::asking, 117},
           // Once: what came before that request has been seen to.
           {18,
            kAnswer,
            3,
            busy(500),
            "",
            {},
            Phase::waiting,
            woken == Event::Kind::listening ? 518 : 28}}});
  }
}

TEST_CASE("machine: over several nodes who is woken waits a little, not the whole back-off") {
  for (const bool woken : {true, false}) {
    LockOptions options = kOptions;
    options.backoff = {.kind = Backoff::Kind::exponential, .first = 10ms, .most = 1s};
    HoldMachine machine{one_name(), three_nodes(std::nullopt, options), 1};
    Instant now = kDefaultStart;
    const auto feed = [&](Event::Kind what, std::uint32_t number = 0, const Reply& reply = kOver) {
      const Wanted actions =
          resume(machine, {.kind = what, .now = now, .request = number, .reply = &reply});
      std::vector<std::uint32_t> requests;
      for (const lock::Requests::Flight& send : actions.sends) requests.push_back(send.request);
      return requests;
    };
    std::vector<std::uint32_t> asked = feed(kStart);
    // Two of three refuse: the third one's vote is taken back, whatever it is.
    const auto refuse = [&] {
      feed(kAnswer, asked.at(0), busy(5000));
      for (const std::uint32_t request : feed(kAnswer, asked.at(1), busy(5000)))
        feed(kAnswer, request, replies::integer(0));
      REQUIRE(machine.phase() == Phase::waiting);
    };
    for (int attempt = 1; attempt < 6; ++attempt) {
      refuse();
      now = machine.wake().value();
      asked = feed(kTime);
    }
    if (woken) feed(kMessage);
    refuse();
    const Duration pause = machine.wake().value() - now;
    CHECK(pause >= 10ms);
    CHECK((pause <= 20ms) == woken);
  }
}

TEST_CASE("machine: an extension that one of three nodes refuses is one by majority") {
  play({one_name(),
        three_nodes(0ms),
        {{0, kStart, 0, {}, "aaa", {}, Phase::asking, 50},
         {1, kAnswer, 1, held(1000), "", {}, Phase::asking, 50},
         {1, kAnswer, 2, held(1000), "", {kAcquired}, Phase::held, 998},
         {300, kExtend, 0, {}, "eee", {}, Phase::held, 350},
         {301, kAnswer, 4, replies::array(0), "", {}, Phase::held, 350},
         {302, kAnswer, 5, held(2000), "", {}, Phase::held, 350},
         {303, kAnswer, 6, held(2000), "", {kExtended}, Phase::held, 2298},
         // Of two the hold is lost.
         {400, kExtend, 0, {}, "eee", {}, Phase::held, 450},
         {401, kAnswer, 7, replies::array(0), "", {}, Phase::held, 450},
         {402,
          kAnswer,
          8,
          replies::array(0),
          "",
          {Notice::Kind::not_extended, kLost},
          Phase::lost,
          -1}}});
}

TEST_CASE("machine: a hold that was lost is not renewed, whatever time it is") {
  LockOptions options = kOptions;
  options.renew = true;
  HoldMachine machine{one_name(), terms(0ms, options), 1};
  const auto feed = [&](Event::Kind what, Duration at, std::uint32_t number, const Reply& reply) {
    const Wanted actions = resume(machine, {.kind = what,
                                            .now = kDefaultStart + at,
                                            .request = number,
                                            .reply = &reply,
                                            .ttl = 2000ms});
    return actions.sends.size();
  };
  feed(kStart, 0ms, 0, kOver);
  feed(kAnswer, 1ms, 1, held(1000));
  feed(kExtend, 100ms, 0, kOver);
  feed(kAnswer, 101ms, 2, replies::array(0));
  REQUIRE(machine.phase() == Phase::lost);
  CHECK_FALSE(machine.wake());
  CHECK(feed(kTime, 500ms, 0, kOver) == 0);
  CHECK(machine.phase() == Phase::lost);
}

namespace {

/// A waiter that has heard that its subscription stands, and has looked again.
struct Subscriber {
  Subscriber() {
    redis.connect().call("SET", "name", "another", "PX", 60'000);
    client.acquire(one_name(), {.ttl = 1000ms}, std::nullopt, redis.now());
  }
  /// Carries out what is on its way; gives the commands.
  std::string settle() {
    std::string commands;
    while (!client.requests.empty()) {
      commands += std::string{client.requests.front().words()[0]} + ' ';
      client.execute();
      client.deliver(redis.now());
    }
    return commands;
  }
  Emulator redis;
  test::SteppedClient client{redis, "waiter"};
};

}  // namespace

TEST_CASE("core: a waiter whose connection broke looks again once the new one listens") {
  Subscriber waiter;
  CHECK(waiter.settle() == "EVAL SUBSCRIBE EVALSHA ");
  waiter.client.core.reconnected(0, waiter.redis.now());
  waiter.client.collect();
  CHECK(waiter.settle() == "SUBSCRIBE EVALSHA ");
}

TEST_CASE("core: what becomes of the old connection's subscription says nothing of the new one's") {
  Subscriber waiter;
  waiter.client.execute();
  waiter.client.deliver(waiter.redis.now());
  REQUIRE(waiter.client.requests.front().words()[0] == "SUBSCRIBE");
  const std::uint64_t old_tag = waiter.client.requests.front().tag;
  waiter.client.requests.clear();
  waiter.client.core.reconnected(0, waiter.redis.now());
  waiter.client.core.answered(old_tag, nullptr, waiter.redis.now());
  waiter.client.collect();
  CHECK(waiter.settle() == "SUBSCRIBE EVALSHA ");
}

TEST_CASE("what a step wanted is taken back if it did not come to its end, and nothing else") {
  lock::Actions actions{2};
  const lock::Shared<void> nobody;
  actions.begin(1, nobody);
  actions.send(0, 1, lock::Call::command({"PING"}));
  actions.tell(Notice::Kind::retried);
  const lock::Actions::Mark before = actions.begin(2, nobody);
  for (const std::size_t node : {0, 1}) actions.send(node, 1, lock::Call::command({"TIME"}));
  actions.tell(Notice::Kind::acquired);
  actions.undo(before);
  CHECK(actions.requests.last_tag() == 1);
  CHECK(actions.requests.find(2) == nullptr);
  REQUIRE(actions.notices.size() == 1);
  CHECK(actions.notices.front().kind == Notice::Kind::retried);
  const auto sent = actions.requests.take_send(10);
  REQUIRE(sent);
  CHECK(sent->words().front() == "PING");
  CHECK_FALSE(actions.requests.take_send(10));
}
