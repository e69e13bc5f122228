// Every kind of fault strikes, does what it says, and is never met without a budget.
#include <set>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::replies::integer;
using picklock::replies::nil;
using picklock::replies::status;

namespace {

ExploreOptions only(int Faults::*kind, std::uint64_t schedules = 400) {
  ExploreOptions options = quiet(schedules);
  options.faults.*kind = 1;
  return options;
}

using Seen = std::set<std::string>;

/// Every outcome that `body(worker, redis)` returns in some schedule; "lost" when its connection
/// broke.
template <class Body>
Seen outcomes(const ExploreOptions& options, Body body) {
  Seen seen;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&, body](Worker& worker) -> Task<> {
      bool lost = false;
      try {
        auto doing = body(worker, redis);
        seen.insert(co_await doing);
      } catch (const ConnectionLost&) {
        lost = true;
      }
      if (!lost) co_return;
      const auto left = co_await worker.call(redis, "GET", "n");
      seen.insert("lost, n=" + left.to_string());
    });
  });
  INFO(verdict);
  CHECK(verdict);
  return seen;
}

Task<std::string> increment(Worker& worker, Node& redis) {
  const auto reply = co_await worker.call(redis, "INCR", "n");
  co_return reply.to_string();
}

}  // namespace

TEST_CASE("without a budget nothing fails") {
  CHECK(outcomes(quiet(), increment) == Seen{"(integer) 1"});
}

TEST_CASE("a lost request was not carried out, and its connection is broken") {
  CHECK(outcomes(only(&Faults::lost_requests), increment) == Seen{"(integer) 1", "lost, n=(nil)"});
}

TEST_CASE("a request whose reply is lost was carried out, or will be") {
  CHECK(outcomes(only(&Faults::lost_replies), increment) ==
        Seen{"(integer) 1", "lost, n=\"1\"", "lost, n=(nil)"});
}

TEST_CASE("a duplicate is carried out twice") {
  CHECK(outcomes(only(&Faults::duplicates), increment) == Seen{"(integer) 1", "(integer) 2"});
}

TEST_CASE("a reset loses what is in flight, either way") {
  CHECK(outcomes(only(&Faults::resets), increment) ==
        Seen{"(integer) 1", "lost, n=\"1\"", "lost, n=(nil)"});
}

TEST_CASE("a partition makes a reply late, beyond any deadline") {
  const Seen seen =
      outcomes(only(&Faults::partitions), [](Worker& worker, Node& redis) -> Task<std::string> {
        co_await worker.call(redis, "SET", "lock", "alice", "PX", 1000);
        const auto asked = worker.now();
        const auto reply = co_await worker.call(redis, "GET", "lock");
        co_return reply.to_string() + (worker.now() > asked + 1000ms ? " late" : "");
      });
  // Late before it was asked, too: then the lock is gone when it is.
  CHECK(seen == Seen{"\"alice\"", "\"alice\" late", "(nil)", "(nil) late"});
}

TEST_CASE("a restart keeps all, loses the last second, or loses all") {
  Seen seen;
  explore(only(&Faults::restarts, 2000), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "old", "1");
      co_await worker.sleep(1500ms);
      co_await worker.call(redis, "SET", "new", "1");
      try {
        co_await worker.call(redis, "PING");
        co_return;
      } catch (const ConnectionLost&) {
      }
      const auto old_one = co_await worker.call(redis, "EXISTS", "old");
      const auto new_one = co_await worker.call(redis, "EXISTS", "new");
      seen.insert(old_one.to_string() + " " + new_one.to_string());
    });
  });
  CHECK(seen ==
        Seen{"(integer) 1 (integer) 1", "(integer) 1 (integer) 0", "(integer) 0 (integer) 0"});
}

TEST_CASE("a script flush makes EVALSHA answer NOSCRIPT") {
  const Seen seen =
      outcomes(only(&Faults::script_flushes), [](Worker& worker, Node& redis) -> Task<std::string> {
        const auto digest = co_await worker.call(redis, "SCRIPT", "LOAD", "return 1");
        const auto reply = co_await worker.call(redis, "EVALSHA", digest.text(), 0);
        co_return reply.to_string().substr(0, 16);
      });
  CHECK(seen == Seen{"(integer) 1", "(error) NOSCRIPT"});
}

TEST_CASE("a server's clock jumps past a deadline, or back") {
  const Seen seen =
      outcomes(only(&Faults::clocks, 1000), [](Worker& worker, Node& redis) -> Task<std::string> {
        co_await worker.call(redis, "SET", "lock", "alice", "PX", 1000);
        const auto left = co_await worker.call(redis, "PTTL", "lock");
        co_return left.to_string();
      });
  CHECK(seen == Seen{"(integer) 1000", "(integer) -2", "(integer) 500", "(integer) 2000",
                     "(integer) 3601000", "(integer) 999", "(integer) 1001"});
}

TEST_CASE("a clock may jump wherever something is written: it may hold an instant") {
  const Seen seen =
      outcomes(only(&Faults::clocks, 1000), [](Worker& worker, Node& redis) -> Task<std::string> {
        const auto before = co_await worker.call(redis, "TIME");
        co_await worker.call(redis, "ZADD", "leases", before[0].text(), "alice");
        const auto after = co_await worker.call(redis, "TIME");
        const auto passed =
            std::stol(std::string{after[0].text()}) - std::stol(std::string{before[0].text()});
        co_return std::to_string(passed);
      });
  CHECK(seen == Seen{"0", "30", "15", "3600", "-1", "-3600"});
}

TEST_CASE("a clock that jumps ends waits, and tells of what has expired") {
  for (const std::chrono::milliseconds by : {3ms, 1'000ms}) {
    const Verdict verdict = explore(quiet(), [by](World& world) {
      Node& redis = world.redis("redis", [](picklock::Emulator& prepared) {
        prepared.connect().call("CONFIG", "SET", "notify-keyspace-events", "Ex");
      });
      const auto listens = std::make_shared<bool>(false);
      const auto jumped = std::make_shared<bool>(false);
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "BLPOP", "q", "0.003");
      });
      world.spawn("bob", [&redis, listens, jumped](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SUBSCRIBE", "__keyevent@0__:expired");
        *listens = true;
        worker.link(redis).wake_at(worker.now() + 1h);
        co_await worker.event();
        const bool heard = worker.link(redis).message().has_value();
        worker.expect(heard == *jumped, "bob hears of the key when the clock has jumped");
      });
      world.spawn("carol", [&redis, listens, jumped, by](Worker& worker) -> Task<> {
        co_await worker.sleep(1ms);
        if (!*listens) co_return;
        co_await worker.call(redis, "SET", "k", "v", "PX", "2");
        redis.clock().step(by);
        *jumped = true;
      });
    });
    INFO(verdict);
    CHECK(verdict);
  }
}

TEST_CASE("a worker's wall clock jumps, its monotonic clock does not") {
  Seen seen;
  explore(only(&Faults::client_clocks, 1000), [&](World& world) {
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto wall = worker.wall_clock();
      const auto monotonic = worker.now();
      co_await worker.sleep(10ms);
      CHECK(worker.now() - monotonic == 10ms);
      co_await worker.sleep(0ms);
      seen.insert(std::to_string((worker.wall_clock() - wall).count() / 1000));
    });
  });
  CHECK(seen == Seen{"10", "30011", "15010", "3600010", "-990", "-3599990", "11", "9"});
}

TEST_CASE("a clock drifts: a worker's, or a server's") {
  const Seen seen =
      outcomes(only(&Faults::drifts), [](Worker& worker, Node& redis) -> Task<std::string> {
        co_await worker.call(redis, "SET", "lock", "alice", "PX", 1000);
        co_await worker.sleep(500ms);
        const auto left = co_await worker.call(redis, "PTTL", "lock");
        co_return left.to_string();
      });
  CHECK(seen == Seen{"(integer) 500", "(integer) 495", "(integer) 505"});
}

TEST_CASE("an eviction takes a lock key, which is nobody's doing") {
  Seen seen;
  const Verdict verdict = explore(only(&Faults::evictions), [&](World& world) {
    Node& redis = world.redis("redis");
    world.lock_key(redis, "lock");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "lock", "alice", "PX", 1000);
      const auto left = co_await worker.call(redis, "GET", "lock");
      seen.insert(left.to_string());
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(seen == Seen{"\"alice\"", "(nil)"});
}

TEST_CASE("a refusal answers an error and does nothing") {
  Seen seen =
      outcomes(only(&Faults::refusals), [](Worker& worker, Node& redis) -> Task<std::string> {
        const auto reply = co_await worker.call(redis, "INCR", "n");
        const auto then = co_await worker.call(redis, "INCR", "n");
        co_return reply.to_string().substr(0, 15) + " " + then.to_string().substr(0, 15);
      });
  CHECK(seen.size() == 9);
  CHECK(seen.count("(error) LOADING (integer) 1") == 1);
  CHECK(seen.count("(integer) 1 (error) READONL") == 1);
}

TEST_CASE("the budget of all kinds together is kept") {
  ExploreOptions options = quiet(2000);
  options.faults = Faults::all();
  options.faults.pauses = options.faults.crashes = 0;
  options.faults.most = 1;
  int lost = 0;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      int failures = 0;
      for (int i = 0; i < 3; ++i) {
        try {
          co_await worker.call(redis, "PING");
        } catch (const ConnectionLost&) {
          ++failures;
        }
      }
      if (failures > 1) throw std::logic_error{"two faults"};
      lost += failures;
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(lost > 0);
}

TEST_CASE("a blocking command waits for what others do, and for time") {
  Seen seen;
  const Verdict verdict = explore(quiet(400), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto reply = co_await worker.call(redis, "BLPOP", "q", "1");
      seen.insert(reply.to_string() + " at " +
                  std::to_string((worker.now() - picklock::kDefaultStart) / 1ms));
    });
    world.spawn("bob", [&](Worker& worker) -> Task<> {
      co_await worker.pause(0ms, 2s);
      co_await worker.call(redis, "RPUSH", "q", "x");
    });
  });
  INFO(verdict);
  CHECK(verdict);
  for (const std::string& outcome : seen) UNSCOPED_INFO(outcome);
  CHECK(seen.count("1) \"q\"\n2) \"x\" at 0") == 1);
  CHECK(seen.count("(nil) at 1000") + seen.count("(nil) at 1001") > 0);
}

TEST_CASE("a server that is down carries nothing out twice") {
  const Verdict verdict = explore(only(&Faults::duplicates, 2'000), [](World& world) {
    Node& redis = world.redis("redis");
    world.restart(redis, picklock::Restart::keeps_all, 1000ms);
    world.spawn("bob",
                [&redis](Worker& worker) -> Task<> { co_await worker.call(redis, "INCR", "n"); });
    world.spawn("carol", [world, &redis](Worker& worker) -> Task<> {
      co_await worker.sleep(500ms);
      if (world.now() < picklock::kDefaultStart + 1000ms)
        worker.expect(!redis.emulator().inspect().exists("n"), "nothing is carried out");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}
