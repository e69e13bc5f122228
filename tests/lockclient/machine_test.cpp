// The state machines step by step: what comes in, what goes out, in tables.
#include "tests/lockclient/machine_table.hpp"

using namespace picklock;
using namespace picklock::test::machine;

TEST_CASE("machine: taken, extended, released") {
  play({one_name(),
        terms(0ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {5, kAnswer, 1, held(1000), "", {kAcquired}, Phase::held, 998},
         {300, kExtend, 0, {}, "e", {}, Phase::held, 400},
         {310, kAnswer, 2, held(2000), "", {Notice::Kind::extended}, Phase::held, 2298},
         {500, kRelease, 0, {}, "r", {}, Phase::releasing, 600},
         {505, kAnswer, 3, replies::integer(1), "", {kReleased}, Phase::ended, -1}}});
}

TEST_CASE("machine: a lost answer is asked for again, and validity counts from the request") {
  play({one_name(),
        terms(0ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {100, kTime, 0, {}, "", {}, Phase::asking, 100},
         {100, kTime, 0, {}, "a", {kRetried}, Phase::asking, 200},
         {110, kAnswer, 2, held(900), "", {kAcquired}, Phase::held, 998},
         {998, kTime, 0, {}, "", {kLost}, Phase::lost, -1}}});
}

TEST_CASE("machine: nobody answers, and what may have been taken is given back") {
  play({one_name(),
        terms(0ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {0, kClosed, 1, {}, "", {}, Phase::asking, 10},
         {10, kTime, 0, {}, "a", {kRetried}, Phase::asking, 110},
         {400, kTime, 0, {}, "r", {kRefused}, Phase::releasing, 500},
         {500, kTime, 0, {}, "", {}, Phase::releasing, 500},
         {500, kTime, 0, {}, "r", {kRetried}, Phase::releasing, 600},
         {510, kAnswer, 4, replies::integer(0), "", {}, Phase::ended, -1}}});
}

TEST_CASE("machine: a waiter listens, looks again, waits, and is woken") {
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, busy(700), "", {}, Phase::waiting, 11},
         {5, kListening, 0, {}, "a", {}, Phase::asking, 105},
         {6, kAnswer, 2, busy(695), "", {}, Phase::waiting, 701},
         {50, kMessage, 0, {}, "a", {}, Phase::asking, 150},
         {51, kAnswer, 3, held(1000), "", {kAcquired}, Phase::held, 1048}}});
}

TEST_CASE("machine: a waiter's time runs out after a last look") {
  play({one_name(),
        terms(50ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, busy(700), "", {}, Phase::waiting, 11},
         {11, kTime, 0, {}, "a", {}, Phase::asking, 111},
         {45, kAnswer, 2, busy(660), "", {}, Phase::waiting, 50},
         {50, kTime, 0, {}, "a", {}, Phase::asking, 150},
         {51, kAnswer, 3, busy(650), "", {kRefused}, Phase::ended, -1}}});
}

TEST_CASE("machine: with a silent server a limit is kept, and a last look has its time") {
  play({one_name(),
        terms(250ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {100, kTime, 0, {}, "", {}, Phase::asking, 100},
         {100, kTime, 0, {}, "a", {kRetried}, Phase::asking, 200},
         {200, kTime, 0, {}, "", {}, Phase::asking, 200},
         {200, kTime, 0, {}, "a", {kRetried}, Phase::asking, 250},
         {250, kTime, 0, {}, "r", {kRefused}, Phase::releasing, 350}}});
  play({one_name(),
        terms(250ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {240, kAnswer, 1, busy(460), "", {}, Phase::waiting, 250},
         {250, kTime, 0, {}, "a", {}, Phase::asking, 350},
         {350, kTime, 0, {}, "r", {kRefused}, Phase::releasing, 450}}});
}

TEST_CASE("machine: an answer too late to be of use is taken back and tried anew") {
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {99, kAnswer, 1, held(50), "r", {}, Phase::clearing, 199},
         {100, kAnswer, 2, replies::integer(1), "", {}, Phase::waiting, 109},
         {109, kTime, 0, {}, "a", {}, Phase::asking, 209},
         {110, kAnswer, 3, held(1000), "", {kAcquired}, Phase::held, 1107}}});
}

TEST_CASE("machine: an acquisition that is over goes on under another owner id") {
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, kOver, "", {}, Phase::waiting, 11},
         {11, kTime, 0, {}, "a", {}, Phase::asking, 111}}});
}

TEST_CASE("machine: cancelled while asking, while waiting, while held") {
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kCancel, 0, {}, "r", {kRefused}, Phase::releasing, 101},
         {2, kAnswer, 1, held(1000), "", {}, Phase::releasing, 101},
         {3, kAnswer, 2, replies::integer(1), "", {}, Phase::ended, -1}}});
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, busy(500), "", {}, Phase::waiting, 11},
         {2, kCancel, 0, {}, "", {kRefused}, Phase::ended, -1}}});
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, held(1000), "", {kAcquired}, Phase::held, 998},
         {2, kCancel, 0, {}, "", {}, Phase::held, 998}}});
}

TEST_CASE("machine: a refusal that lasts ends it, one that passes is tried again") {
  play({one_name(),
        terms(std::nullopt),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, replies::error("LOADING Redis is loading"), "", {}, Phase::asking, 11},
         {11, kTime, 0, {}, "a", {kRetried}, Phase::asking, 111},
         {12,
          kAnswer,
          2,
          replies::error("NOAUTH Authentication required."),
          "",
          {kRefused},
          Phase::ended,
          -1}}});
  play({one_name(),
        terms(0ms),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, replies::bulk("1"), "", {kRefused}, Phase::ended, -1}}});
}

TEST_CASE("machine: replicas confirm, or the lock is given back") {
  LockOptions options = kOptions;
  options.replicas = 1;
  options.replicas_within = 50ms;
  play({one_name(),
        terms(0ms, options),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, held(1000), "W", {}, Phase::confirming, 151},
         {40, kAnswer, 2, replies::integer(1), "", {kAcquired}, Phase::held, 998}}});
  play({one_name(),
        terms(0ms, options),
        {{0, kStart, 0, {}, "a", {}, Phase::asking, 100},
         {1, kAnswer, 1, held(1000), "W", {}, Phase::confirming, 151},
         {51, kAnswer, 2, replies::integer(0), "r", {kRefused}, Phase::releasing, 151},
         {52, kAnswer, 3, replies::integer(1), "", {}, Phase::ended, -1}}});
}

TEST_CASE("machine: three nodes, a majority decides, a minority is taken back") {
  lock::Terms three = terms(0ms);
  three.nodes = 3;
  three.quorum = 2;
  play({one_name(),
        three,
        {{0, kStart, 0, {}, "aaa", {}, Phase::asking, 50},
         {1, kAnswer, 1, held(1000), "", {}, Phase::asking, 50},
         {2, kAnswer, 3, held(900), "", {kAcquired}, Phase::held, 898},
         {3, kRelease, 0, {}, "rrr", {}, Phase::releasing, 53},
         {4, kAnswer, 4, replies::integer(1), "", {}, Phase::releasing, 53},
         {5, kAnswer, 6, replies::integer(1), "", {kReleased}, Phase::releasing, 53},
         {53, kTime, 0, {}, "", {}, Phase::releasing, 53},
         {53, kTime, 0, {}, "r", {kRetried}, Phase::releasing, 103},
         {54, kAnswer, 7, replies::integer(0), "", {}, Phase::ended, -1}}});
  play({one_name(),
        three,
        {{0, kStart, 0, {}, "aaa", {}, Phase::asking, 50},
         {1, kAnswer, 1, held(1000), "", {}, Phase::asking, 50},
         {2, kAnswer, 2, busy(500), "", {}, Phase::asking, 50},
         {3, kAnswer, 3, busy(500), "rrr", {kRefused}, Phase::releasing, 53}}});
}

TEST_CASE("machine: the watchdog asks every third of the ttl, and sooner after a failure") {
  LockOptions options = kOptions;
  options.renew = true;
  HoldMachine machine{one_name(), terms(0ms, options), 1};
  const Instant start = kDefaultStart;
  resume(machine, {.kind = kStart, .now = start});
  const Reply taken = held(1000);
  resume(machine, {.kind = kAnswer, .now = start + 1ms, .request = 1, .reply = &taken});
  const auto first = machine.wake().value();
  CHECK(first - start > 295ms);
  CHECK(first - start <= 335ms);
  const Wanted actions = resume(machine, {.kind = kTime, .now = first});
  REQUIRE(actions.sends.size() == 1);
  CHECK(letter(*actions.sends[0].call) == 'e');
  const Reply loading = replies::error("LOADING Redis is loading");
  resume(machine, {.kind = kAnswer, .now = first + 1ms, .request = 2, .reply = &loading});
  CHECK(machine.wake() == first + 11ms);
  CHECK(machine.is_held());
}

TEST_CASE("machine: a node whose answers come late is prolonged all the same") {
  LockOptions options = kOptions;
  lock::Terms three = terms(0ms, options);
  three.nodes = 3;
  three.quorum = 2;
  three.hear_all = true;
  HoldMachine machine{one_name(), lock::Terms{three}, 1};
  const auto feed = [&machine](Event::Kind what, int ms, std::uint32_t request = 0) {
    const Reply taken = held(1000);
    const Wanted actions = resume(machine, {.kind = what,
                                            .now = kDefaultStart + std::chrono::milliseconds{ms},
                                            .request = request,
                                            .reply = &taken,
                                            .ttl = 1000ms});
    return actions;
  };
  feed(kStart, 0);
  for (const std::uint32_t request : {1, 2, 3}) feed(kAnswer, 1, request);
  REQUIRE(machine.is_held());
  // What a node last said of its deadline is named to it; of one that was not heard, nothing.
  const auto first = feed(kExtend, 300);
  REQUIRE(first.sends.size() == 3);
  CHECK(first.sends[2].call->words().back() == "5000000");
  feed(kAnswer, 301, 4);
  feed(kAnswer, 301, 5);
  const auto second = feed(kExtend, 600);
  REQUIRE(second.sends.size() == 3);
  CHECK(second.sends[0].call->words().back() == "5000000");
  CHECK(second.sends[2].call->words().back().empty());
}

TEST_CASE("machine: a watchdog goes on after an extension that was longer than its own") {
  LockOptions options = kOptions;
  options.renew = true;
  HoldMachine machine{one_name(), terms(0ms, options), 1};
  const auto feed = [&machine](Event::Kind what, Instant now, std::uint32_t request, int left_ms) {
    const Reply taken = held(left_ms);
    const Wanted actions = resume(
        machine, {.kind = what, .now = now, .request = request, .reply = &taken, .ttl = 10s});
    return actions.sends.size();
  };
  Instant now = kDefaultStart;
  feed(kStart, now, 0, 0);
  feed(kAnswer, now, 1, 1000);
  feed(kExtend, now, 0, 0);
  feed(kAnswer, now, 2, 10'000);
  std::size_t renewals = 0;
  for (int i = 0; i < 10 && renewals == 0 && machine.is_held(); ++i) {
    now = machine.wake().value();
    renewals += feed(kTime, now, 0, 0);
  }
  CHECK(renewals == 1);
  // Not while the extension lasts for long, and in time before its end.
  CHECK(now - kDefaultStart > 9s);
  CHECK(machine.valid_until() - now > 500ms);
}
