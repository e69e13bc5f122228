// Every property that a scenario can declare is found broken when it is broken on purpose, and only
// then.
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kKey = "lock";

/// A world with one worker.
template <class Body>
Verdict alone(const ExploreOptions& options, Body body) {
  return explore(options, [body](World& world) { body(world, world.redis("redis")); });
}

std::string_view outcome(const Verdict& verdict) { return to_string(verdict.oracle); }

}  // namespace

TEST_CASE("two permits serve two workers, and three are too many") {
  for (const int workers : {2, 3}) {
    const Verdict verdict = explore(quiet(), [workers](World& world) {
      const Permits slots = world.permits("slots", 2);
      for (int i = 0; i < workers; ++i) {
        world.spawn("worker " + std::to_string(i), [slots](Worker& worker) -> Task<> {
          Turn turn = slots.take(worker);
          co_await worker.sleep(10ms);
          turn.leave();
        });
      }
    });
    CHECK(verdict.oracle == (workers == 2 ? Oracle::none : Oracle::permits));
    if (workers == 3)
      CHECK(verdict.message.find("took more permits of slots") != std::string::npos);
  }
}

TEST_CASE("a worker that takes two permits leaves none") {
  const Verdict verdict = explore(quiet(), [](World& world) {
    const Permits slots = world.permits("slots", 2);
    for (const std::int64_t count : {1, 2}) {
      world.spawn(count == 1 ? "alice" : "bob", [slots, count](Worker& worker) -> Task<> {
        Turn turn = slots.take(worker, count);
        co_await worker.sleep(10ms);
        turn.leave();
      });
    }
  });
  CHECK(verdict.oracle == Oracle::permits);
}

TEST_CASE("readers read together, a writer must be alone") {
  for (const bool writes : {false, true}) {
    const Verdict verdict = explore(quiet(), [writes](World& world) {
      const ReadWrite page = world.read_write("page");
      for (const char* name : {"alice", "bob"}) {
        world.spawn(name, [page, writes](Worker& worker) -> Task<> {
          Turn turn = writes && worker.name() == "bob" ? page.write(worker) : page.read(worker);
          co_await worker.sleep(10ms);
          turn.leave();
        });
      }
    });
    CHECK(verdict.oracle == (writes ? Oracle::read_write : Oracle::none));
  }
}

TEST_CASE("a sentence of one's own is reported as it was written") {
  const Verdict verdict = alone(quiet(1), [](World& world, Node&) {
    world.spawn("alice", [](Worker& worker) -> Task<> {
      worker.expect(true, "water is wet");
      co_await worker.sleep(1ms);
      worker.expect(false, "the stock never runs out");
    });
  });
  CHECK(verdict.oracle == Oracle::property);
  CHECK(verdict.message == "alice finds that it is not so that the stock never runs out");
}

TEST_CASE("a fence refuses an older token") {
  const Verdict verdict = alone(quiet(1), [](World& world, Node&) {
    const Fence disk = world.fence("disk");
    world.spawn("alice", [disk](Worker& worker) -> Task<> {
      co_await worker.sleep(1ms);
      worker.expect(disk.write(worker, 1) && disk.write(worker, 2), "tokens that grow are taken");
      worker.expect(!disk.write(worker, 1), "an older token is refused");
    });
  });
  CHECK(verdict.verdict == Class::holds);
}

TEST_CASE("a resource without a fence that takes an older token is found out") {
  const Verdict verdict = alone(quiet(1), [](World& world, Node&) {
    const Fence disk = world.fence("disk");
    world.spawn("alice", [disk](Worker& worker) -> Task<> {
      disk.write_unchecked(worker, 2);
      co_await worker.sleep(1ms);
      disk.write_unchecked(worker, 1);
    });
  });
  CHECK(outcome(verdict) == "fencing");
  CHECK(verdict.message == "alice wrote to disk with an older token than alice before");
}

TEST_CASE("a token that two workers share, or that does not grow, breaks the fence") {
  for (const std::int64_t second : {8, 7, 6}) {
    const Verdict verdict = alone(quiet(1), [second](World& world, Node& redis) {
      const LockKey lock = world.lock_key(redis, kKey);
      const Fence disk = world.fence("disk", lock);
      world.spawn("alice", [disk](Worker& worker) -> Task<> {
        disk.write(worker, 7);
        co_await worker.sleep(1ms);
      });
      world.spawn("bob", [disk, second, &redis](Worker& worker) -> Task<> {
        co_await worker.sleep(10ms);
        co_await worker.call(redis, "SET", kKey, "bob", "PX", 100);
        disk.write(worker, second);
      });
    });
    CHECK(verdict.oracle == (second == 8 ? Oracle::none : Oracle::fencing));
  }
}

TEST_CASE("a free lock must be taken while somebody waits, unless a fault hinders him") {
  const auto search = [](const ExploreOptions& options, picklock::Duration nap) {
    return alone(options, [nap](World& world, Node& redis) {
      const LockKey lock = world.lock_key(redis, kKey).taken_within(100ms);
      world.spawn("alice", [lock, nap, &redis](Worker& worker) -> Task<> {
        Wait wait = lock.wait(worker);
        co_await worker.sleep(nap);
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
        wait.taken();
      });
    });
  };
  CHECK(search(quiet(1), 90ms).oracle == Oracle::none);
  const Verdict late = search(quiet(1), 110ms);
  CHECK(late.oracle == Oracle::waiting);
  CHECK(late.message == "lock has been free for more than 100 ms while alice waits for it");
  ExploreOptions hindered = quiet(200);
  hindered.faults.pauses = 1;
  hindered.faults.partitions = 1;
  CHECK(search(hindered, 90ms).oracle == Oracle::none);
}

TEST_CASE("a lock that expires is free from then on") {
  for (const auto patience : {250ms, 150ms}) {
    const Verdict verdict = alone(quiet(1), [patience](World& world, Node& redis) {
      const LockKey lock = world.lock_key(redis, kKey).taken_within(patience);
      world.spawn("alice", [lock, &redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
        Wait wait = lock.wait(worker);
        co_await worker.sleep(300ms);
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
        wait.taken();
      });
    });
    CHECK(verdict.oracle == (patience == 250ms ? Oracle::none : Oracle::waiting));
  }
}

TEST_CASE("who is overtaken more often than is allowed is named") {
  for (const int allowed : {2, 1}) {
    const Verdict verdict = alone(quiet(1), [allowed](World& world, Node& redis) {
      const LockKey lock = world.lock_key(redis, kKey).overtaken_at_most(allowed);
      world.spawn("alice", [lock](Worker& worker) -> Task<> {
        Wait wait = lock.wait(worker);
        co_await worker.sleep(100ms);
        wait.taken();
      });
      world.spawn("bob", [lock](Worker& worker) -> Task<> {
        co_await worker.sleep(10ms);
        for (int i = 0; i < 2; ++i) lock.wait(worker).taken();
      });
    });
    CHECK(verdict.oracle == (allowed == 2 ? Oracle::none : Oracle::fairness));
    if (allowed == 1)
      CHECK(verdict.message ==
            "bob took lock before alice, who has waited for longer: overtaken 2 times, and 1 are "
            "allowed");
  }
}

TEST_CASE("holds are counted as the server counts them") {
  for (const std::int64_t believed : {2, 1}) {
    const Verdict verdict = alone(quiet(1), [believed](World& world, Node& redis) {
      const LockKey lock = world.lock_key(redis, kKey);
      world.spawn("alice", [lock, believed, &redis](Worker& worker) -> Task<> {
        lock.expect_count(worker, "alice", 0);
        co_await worker.call(redis, "HINCRBY", kKey, "alice", 2);
        lock.expect_count(worker, "alice", believed);
        co_await worker.call(redis, "DEL", kKey);
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 10);
        lock.expect_count(worker, "alice", 1);
      });
    });
    CHECK(verdict.oracle == (believed == 2 ? Oracle::none : Oracle::hold_count));
    if (believed == 1)
      CHECK(verdict.message == "alice has 1 holds of lock, but the server counts 2");
  }
}

TEST_CASE("nobody may send anything for a hold that is over, or bring it back") {
  for (const std::string_view command : {"GET", "EXPIRE", "SET"}) {
    const Verdict verdict = alone(quiet(1), [command](World& world, Node& redis) {
      const LockKey lock = world.lock_key(redis, kKey);
      world.spawn("alice", [lock, command, &redis](Worker& worker) -> Task<> {
        lock.over(worker, "alice:1");
        if (command == "GET") {
          co_await worker.call(redis, "GET", kKey);
        } else if (command == "EXPIRE") {
          co_await worker.call(redis, "EVAL", "return 0", 1, kKey, "alice:1");
        } else {
          co_await worker.call(redis, "EVAL", "return redis.call('SET', KEYS[1], 'alice:' .. 1)", 1,
                               kKey);
        }
      });
    });
    CHECK(verdict.oracle == (command == "GET" ? Oracle::none : Oracle::quiescence));
  }
}

TEST_CASE("a key that is left behind for longer than is allowed is named, others are not") {
  for (const auto& [ttl, kept, expected] :
       {std::tuple{100, "other", Oracle::none}, std::tuple{101, "other", Oracle::leaked},
        std::tuple{101, "lock", Oracle::none}}) {
    const Verdict verdict =
        alone(quiet(1), [ttl = ttl, kept = std::string{kept}](World& world, Node& redis) {
          world.leaves_nothing(redis, 100ms, {kept});
          world.spawn("alice", [ttl, &redis](Worker& worker) -> Task<> {
            co_await worker.call(redis, "SET", kKey, "alice", "PX", ttl);
          });
        });
    CHECK(verdict.oracle == expected);
    if (expected == Oracle::leaked)
      CHECK(verdict.message == "lock is left behind for more than 100 ms");
  }
}

TEST_CASE("a worker that asks too often is in a hot loop") {
  for (const int requests : {10, 11}) {
    const Verdict verdict = alone(quiet(1), [requests](World& world, Node& redis) {
      world.at_most_commands(10);
      world.spawn("alice", [requests, &redis](Worker& worker) -> Task<> {
        for (int i = 0; i < requests; ++i) {
          co_await worker.sleep(5ms);
          co_await worker.call(redis, "GET", kKey);
        }
      });
    });
    CHECK(verdict.oracle == (requests == 10 ? Oracle::none : Oracle::hot_loop));
  }
}

TEST_CASE("when all is over the scenario can look at the server, and let time pass") {
  for (const auto wait : {100ms, 101ms}) {
    const Verdict verdict = alone(quiet(1), [wait](World& world, Node& redis) {
      world.at_rest([wait, &redis](Rest& rest) {
        rest.later(wait);
        const std::array<std::string_view, 2> words{"EXISTS", kKey};
        rest.expect(rest.call(redis, words).integer() == 0, "the lock is free after its ttl");
      });
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
      });
    });
    CHECK(verdict.oracle == (wait == 101ms ? Oracle::none : Oracle::property));
    if (wait == 100ms)
      CHECK(verdict.message == "at rest it is not so that the lock is free after its ttl");
  }
}

TEST_CASE("a history: who is gone before it hears of its hold may have lost it since") {
  ExploreOptions options = quiet(5'000);
  options.faults.crashes = 1;
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    const History history = world.history("the lock");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [=, &redis](Worker& worker) -> Task<> {
        for (int i = 0; i < 2; ++i) {
          const auto before = worker.now();
          const LockCallHandle asked = history.acquire(worker);
          const auto got = co_await worker.call(redis, "SET", "lock", "", "NX", "PX", "500");
          if (!got.is_null()) co_return asked.granted(before + 500ms);
          asked.refused();
          co_await worker.sleep(600ms);
        }
      });
    }
  });
  INFO(verdict);
  CHECK(verdict);
}
