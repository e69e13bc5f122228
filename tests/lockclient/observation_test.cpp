// What a lock client says of itself: events, counters, how long waits were; and how it spaces its
// tries.
#include <array>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using Kind = LockEvent::Kind;

namespace {

struct Table {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> alice_link = loop.connect(redis);
  std::unique_ptr<Link> bob_link = loop.connect(redis);
  LockClient alice{*alice_link};
  LockClient bob{*bob_link};
};

std::string word(Kind kind) {
  constexpr std::array kWords{"acquired", "not acquired", "extended",
                              "released", "lost",         "retried"};
  return kWords.at(static_cast<std::size_t>(kind));
}

}  // namespace

TEST_CASE("every event of a lock's life is told, with its lock, its owner and its times") {
  Table table;
  const Instant start = table.loop.now();
  std::vector<std::string> seen;
  table.alice.on_event([&](const LockEvent& event) {
    std::string text = std::to_string((event.at - start) / 1ms) + " " + std::string{event.name} +
                       std::string{event.owner.substr(32)} + " " + word(event.kind);
    if (event.kind == Kind::acquired || event.kind == Kind::not_acquired)
      text += " after " + std::to_string(event.waited / 1ms);
    seen.push_back(text);
  });
  Lock lock{table.alice, "ledger", {.ttl = 500ms}};
  Lock other{table.bob, "ledger", {.ttl = 500ms}};
  auto others = other.acquire().get();
  CHECK_FALSE(lock.try_acquire().get());
  auto waiting = lock.acquire();
  table.loop.advance(20ms);
  CHECK(others->release().get() == Released::released);
  auto held = waiting.get();
  table.loop.advance(30ms);
  CHECK(held->extend().get());
  CHECK(held->release().get() == Released::released);
  auto lost = lock.acquire().get();
  table.loop.advance(1s);
  CHECK(seen == std::vector<std::string>{"0 ledger:1 not acquired after 0",
                                         "20 ledger:2 acquired after 20", "50 ledger:2 extended",
                                         "50 ledger:2 released", "50 ledger:3 acquired after 0",
                                         "543 ledger:3 lost"});
  const LockCounters& counters = table.alice.counters();
  CHECK(counters.acquired == 2);
  CHECK(counters.not_acquired == 1);
  CHECK(counters.extended == 1);
  CHECK(counters.released == 1);
  CHECK(counters.lost == 1);
  CHECK(counters.retried == 0);
}

TEST_CASE("waits are counted by their length, each bin twice as long as the one before") {
  Table table;
  Lock lock{table.alice, "ledger", {.ttl = 10min}};
  Lock other{table.bob, "ledger", {.ttl = 10min}};
  std::size_t bin = 0;
  for (const Duration wait : {Duration{0ms}, Duration{1ms}, Duration{3ms}, Duration{7ms},
                              Duration{8ms}, Duration{100s}}) {
    auto others = other.acquire().get();
    auto waiting = lock.acquire();
    table.loop.advance(wait);
    CHECK(others->release().get() == Released::released);
    auto held = waiting.get();
    REQUIRE(held);
    CHECK(held->release().get() == Released::released);
  }
  const auto& waits = table.alice.counters().waits;
  const std::vector<std::uint64_t> should{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  for (; bin < should.size(); ++bin) {
    INFO("bin " << bin);
    CHECK(waits[bin] == should[bin]);
  }
}

TEST_CASE("a request that goes out again is an event and is counted") {
  Table table;
  std::size_t retried = 0;
  table.alice.on_event([&](const LockEvent& event) { retried += event.kind == Kind::retried; });
  Lock lock{table.alice, "ledger", {.ttl = 5s}};
  table.redis.connect().call("CONFIG", "SET", "min-replicas-to-write", "1");  // It will pass.
  auto acquiring = lock.acquire_within(2s);
  table.loop.advance(200ms);
  table.redis.connect().call("CONFIG", "SET", "min-replicas-to-write", "0");
  CHECK(acquiring.get());
  CHECK(retried > 0);
  CHECK(table.alice.counters().retried == retried);
}

TEST_CASE("pauses between tries are constant, doubled, random within bounds, or one's own") {
  Table table;
  Lock other{table.bob, "ledger", {.ttl = 10min}};
  auto others = other.acquire().get();
  const auto tries = [&](const Backoff& backoff, Duration limit) {
    const std::uint64_t before = table.alice.counters().requests;
    Lock lock{table.alice, "ledger", {.ttl = 1s, .listen = false, .backoff = backoff}};
    CHECK(lock.acquire_within(limit).get().error().code == LockError::Code::timed_out);
    return table.alice.counters().requests - before;
  };
  // The first try, one after each pause, and a last look at the limit.
  CHECK(tries({.kind = Backoff::Kind::constant, .first = 100ms}, 1050ms) == 12);
  // At 0, 100, 300, 700, 1500, 2500 (no more than a second), 3500 and 4000.
  CHECK(tries({.kind = Backoff::Kind::exponential, .first = 100ms, .most = 1s}, 4s) == 8);
  const std::uint64_t random = tries({.first = 100ms, .most = 400ms}, 40s);
  CHECK(random > 100);
  CHECK(random < 400);
  std::vector<std::uint32_t> asked;
  const auto own = [&](std::uint32_t n, std::uint64_t) {
    asked.push_back(n);
    return Duration{n * 100ms};
  };
  CHECK(tries({.own = own}, 650ms) == 5);
  CHECK(asked == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
}

TEST_CASE("who holds a lock is told for every primitive, with permits and the time left") {
  Table table;
  const auto look = [&](const char* name) {
    const auto holders = table.bob.who_holds(name).get().value();
    REQUIRE(holders.size() == 1);
    return holders[0];
  };
  CHECK(table.bob.who_holds("nobody's").get().value().empty());
  auto plain = Lock{table.alice, "plain", {.ttl = 5s}}.acquire().get();
  auto fenced = FencedLock{table.alice, "fenced", {.ttl = 5s}}.acquire().get();
  auto fair = FairLock{table.alice, "fair", {.ttl = 5s}}.acquire().get();
  auto seats = Semaphore{table.alice, "seats", 7, {.ttl = 5s}, 3}.acquire().get();
  ReadWriteLock pages{table.alice, "pages", {.ttl = 5s}};
  auto reader = pages.read().acquire().get();
  table.loop.advance(1s);
  for (const auto& [name, hold, permits] : {std::tuple{"plain", &*plain, 1},
                                            {"fenced", &*fenced, 1},
                                            {"fair", &*fair, 1},
                                            {"seats", &*seats, 3},
                                            {"pages", &*reader, 1}}) {
    INFO(name);
    const Holder holder = look(name);
    CHECK(holder.owner == hold->owner());
    CHECK(holder.permits == permits);
    CHECK(holder.ttl == 4000ms);
  }
  // The permits' keys outlive a shorter hold beside a longer one; it is told no more.
  auto brief = Semaphore{table.bob, "seats", 7, {.ttl = 1s}}.acquire().get();
  CHECK(table.bob.who_holds("seats").get().value().size() == 2);
  table.loop.advance(1001ms);
  CHECK(look("seats").permits == 3);
  table.redis.connect().call("SET", "for ever", "somebody");
  CHECK_FALSE(look("for ever").ttl);
}
