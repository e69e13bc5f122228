// Links that end while a client has something under way, or something to tell.
#include <memory>
#include <stdexcept>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>
#include <picklock/race.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

TEST_CASE("what is under way when its link ends goes with it, callbacks and all") {
  const auto captured = std::make_shared<int>();
  {
    Emulator redis;
    LocalLoop loop;
    const auto link = loop.connect(redis);
    LockClient client{*link};
    Lock lock{client, "ledger", {.ttl = 1s}};
    Lock other{client, "other", {.ttl = 1s}};
    CountDownLatch latch{client, "latch"};
    lock.acquire().then([captured](const Outcome<Hold>&) {});
    other.guard(1s, [captured](Hold&) {}).then([captured](const auto&) {});
    latch.wait_within(1s).then([captured](const auto&) {});
  }
  CHECK(captured.use_count() == 1);
}

TEST_CASE("a handle that outlives its link ends quietly, and waits for nothing") {
  Emulator redis;
  LocalLoop loop;
  auto link = loop.connect(redis);
  LockClient client{*link};
  Lock lock{client, "ledger", {.ttl = 1s}};
  auto held = lock.acquire().get();
  REQUIRE(held);
  auto extending = held->extend(2s);
  auto waiting = lock.acquire();
  link.reset();
  CHECK_FALSE(waiting.is_done());
  CHECK_THROWS_AS(waiting.get(), std::logic_error);
  CHECK_THROWS_AS(extending.get(), std::logic_error);
  CHECK_THROWS_AS(lock.acquire().get(), std::logic_error);
}

TEST_CASE("a worker may end while its lock client has something under way") {
  race::ExploreOptions options;
  options.schedules = 300;
  options.faults.crashes = 1;
  std::size_t taken = 0;
  const race::Verdict verdict = race::explore(options, [&taken](race::World& world) {
    race::Node& redis = world.redis("redis");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [&redis, &taken](race::Worker& worker) -> race::Task<> {
        LockClient client{worker.link(redis)};
        Lock lock{client, "ledger", {.ttl = 1s}};
        lock.acquire_within(5s).then(
            [&taken](const Outcome<Hold>& held) { taken += held ? 1 : 0; });
        co_await worker.sleep(10ms);
      });
    }
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(taken > 0);
}

TEST_CASE("once its link has ended nothing is held, and nothing that is begun stays") {
  const auto captured = std::make_shared<int>();
  {
    Emulator redis;
    LocalLoop loop;
    auto link = loop.connect(redis);
    LockClient client{*link};
    ReentrantLock lock{client, "ledger", {.ttl = 1s}};
    auto held = lock.acquire().get();
    REQUIRE(held);
    link.reset();
    CHECK_FALSE(held->is_held());
    lock.acquire().then([captured](const Outcome<Hold>&) {});
    lock.guard(1s, [captured](Hold&) {}).then([captured](const auto&) {});
    auto guarding = lock.guard(1s, [captured](Hold&) {});
    CHECK_FALSE(guarding.is_done());
  }
  CHECK(captured.use_count() == 1);
}

TEST_CASE("what is called when an operation ends may end the link") {
  Emulator redis;
  LocalLoop loop;
  auto link = loop.connect(redis);
  LockClient client{*link};
  Lock lock{client, "ledger", {.ttl = 1s}};
  auto acquiring = lock.acquire();
  acquiring.when_done([&link] { link.reset(); });
  acquiring.cancel();
  CHECK(link == nullptr);
  CHECK_FALSE(acquiring.take());
}

TEST_CASE("an observer may end the link before all that came has been told") {
  const auto captured = std::make_shared<int>();
  int called = 0;
  {
    Emulator redis;
    LocalLoop loop;
    auto link = loop.connect(redis);
    LockClient client{*link};
    Lock lock{client, "ledger"};
    Lock other{client, "archive"};
    auto held = lock.acquire().get();
    auto also = other.acquire().get();
    client.on_event([&link](const LockEvent&) { link.reset(); });
    const auto count = [captured, &called](Released) { ++called; };
    held->release().then(count);
    also->release().then(count);
    while (loop.run_one()) continue;
    CHECK(link == nullptr);
  }
  CHECK(called < 2);
  CHECK(captured.use_count() == 1);
}
