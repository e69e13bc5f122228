// Connections that end by what the server was asked, and those that a pause of clients holds back.
#include <set>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

TEST_CASE("who quits while clients are paused, or is cut off, crashes no search") {
  const Verdict paused = explore(quiet(50), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "CLIENT", "PAUSE", "5", "ALL");
    });
    world.spawn("bob", [&redis](Worker& worker) -> Task<> {
      const auto bye = co_await worker.call(redis, "QUIT");
      worker.expect(bye == picklock::replies::status("OK"), "it is answered");
      const auto pong = co_await worker.call(redis, "PING");
      worker.expect(pong == picklock::replies::status("PONG"), "the next request is answered");
    });
  });
  CHECK(paused);
  for (const char* request : {"QUIT", "BLPOP"}) {
    const Verdict killed = explore(quiet(50), [&](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal");
      });
      world.spawn("bob", [&redis, request](Worker& worker) -> Task<> {
        if (request == std::string_view{"QUIT"})
          co_await worker.call(redis, "QUIT");
        else
          co_await worker.call(redis, "BLPOP", "k", "0");
      });
    });
    // Who waits for ever may come after it.
    CHECK(killed.oracle == (request == std::string_view{"QUIT"} ? picklock::race::Oracle::none
                                                                : picklock::race::Oracle::stuck));
  }
}

TEST_CASE("whom CLIENT KILL has cut off connects anew") {
  for (const Strategy strategy : {Strategy::portfolio, Strategy::exhaustive}) {
    std::set<std::string> seen;
    ExploreOptions options = quiet(2'000);
    options.strategy = strategy;
    const Verdict verdict = explore(options, [&](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no");
        const auto pong = co_await worker.call(redis, "PING");
        worker.expect(pong == picklock::replies::status("PONG"), "who kills herself goes on");
        co_await worker.call(redis, "RPUSH", "list", "a");
      });
      world.spawn("bob", [&redis, &seen](Worker& worker) -> Task<> {
        bool cut = false;
        co_await worker.call(redis, "SELECT", "1");
        try {
          co_await worker.call(redis, "SELECT", "0");
          const auto popped = co_await worker.call(redis, "BLPOP", "list", "0");
          seen.insert(popped[1].to_string());
        } catch (const ConnectionLost&) {
          cut = true;
        }
        if (!cut) co_return;
        const auto key = co_await worker.call(redis, "SET", "k", "v");
        worker.expect(key == picklock::replies::status("OK"), "the next request is answered");
        const auto size = co_await worker.call(redis, "DBSIZE");
        worker.expect(size.integer() > 0, "it starts with database 0");
        seen.insert("cut off");
      });
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(seen.size() == 2);
  }
}

TEST_CASE("CLIENT KILL counts as many clients each time") {
  const Verdict verdict = explore(quiet(), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      const picklock::Reply first = co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal");
      const picklock::Reply second =
          co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal");
      worker.expect(first == second, "whoever was killed is back");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("who is cut off while a request of its own is carried out hears no answer to it") {
  int lost = 0;
  const Verdict verdict = explore(quiet(300), [&lost](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis, &lost](Worker& worker) -> Task<> {
      co_await worker.call(redis, "CLIENT", "PAUSE", "1000", "WRITE");
      co_await worker.sleep(100ms);
      try {
        co_await worker.call(redis, "CLIENT", "UNPAUSE");
      } catch (const ConnectionLost&) {
        ++lost;
      }
      const auto pong = co_await worker.call(redis, "PING");
      worker.expect(pong == picklock::replies::status("PONG"), "the next request is answered");
    });
    world.spawn("bob", [&redis](Worker& worker) -> Task<> {
      co_await worker.sleep(10ms);
      co_await worker.call(redis, "MULTI");
      co_await worker.call(redis, "SET", "k", "v");
      co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal");
      co_await worker.call(redis, "EXEC");  // Held back until alice ends the pause.
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(lost > 0);
}

TEST_CASE("who deletes the user that it is connects anew") {
  const Verdict verdict = explore(quiet(20), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "ACL", "SETUSER", "eve", "on", "nopass", "+@all", "~*");
      co_await worker.call(redis, "AUTH", "eve", "any");
      co_await worker.call(redis, "ACL", "DELUSER", "eve");
      const auto who = co_await worker.call(redis, "ACL", "WHOAMI");
      worker.expect(who == "default", "she is the default user again");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("a server that has ended every connection can still be struck") {
  ExploreOptions options = quiet(100);
  options.faults.restarts = 1;
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal");
      co_await worker.call(redis, "PING");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("CLIENT PAUSE holds back requests, and none of the faults") {
  for (const char* kind : {"ALL", "WRITE"}) {
    ExploreOptions options = quiet(5'000);
    options.faults = Faults::all(1);
    options.faults.clocks = 0;  // A server whose clock stands still is paused for good.
    options.faults.most = 3;
    const Verdict verdict = explore(options, [kind](World& world) {
      Node& redis = world.redis("redis");
      world.replica_of(redis, "standby");
      for (const char* name : {"alice", "bob"}) {
        world.spawn(name, [&redis, kind](Worker& worker) -> Task<> {
          for (int i = 0; i < 3; ++i) {
            try {
              if (worker.name() == "alice")
                co_await worker.call(redis, "CLIENT", "PAUSE", "500", kind);
              else if (i == 1)
                co_await worker.call(redis, "CLIENT", "KILL", "TYPE", "normal");
              co_await worker.call(redis, "SET", "lock", worker.name(), "PX", "2000");
              co_await worker.call(redis, "EVAL", "return redis.call('get', KEYS[1])", "1", "lock");
            } catch (const ConnectionLost&) {
            }
          }
        });
      }
    });
    INFO(verdict);
    CHECK(verdict.verdict == Class::holds);
  }
}

TEST_CASE("a server that starts again is not paused") {
  const Verdict verdict = explore(quiet(20), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis, world](Worker& worker) mutable -> Task<> {
      const picklock::Instant before = worker.now();
      co_await worker.call(redis, "CLIENT", "PAUSE", "60000", "ALL");
      world.restart(redis);
      co_await worker.call(redis, "PING");
      worker.expect(worker.now() < before + 1s, "it is answered at once");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("a replica that is paused hears of nothing before the pause is over") {
  for (const Strategy strategy : {Strategy::portfolio, Strategy::exhaustive}) {
    ExploreOptions options = quiet(2'000);
    options.strategy = strategy;
    const Verdict verdict = explore(options, [](World& world) {
      Node& redis = world.redis("redis");
      Node& standby = world.replica_of(redis, "standby");
      world.spawn("alice", [&](Worker& worker) -> Task<> {
        const picklock::Instant before = worker.now();
        co_await worker.call(standby, "CLIENT", "PAUSE", "500", "WRITE");
        co_await worker.call(redis, "SET", "k", "v");
        const auto heard = co_await worker.call(redis, "WAIT", "1", "0");
        worker.expect(heard == picklock::replies::integer(1), "it hears in the end");
        worker.expect(worker.now() > before + 500ms, "and not before");
      });
    });
    INFO(verdict);
    CHECK(verdict);
  }
}

TEST_CASE("what expires is told to who has subscribed to it or tracks it, though nobody asks") {
  for (const Strategy strategy : {Strategy::portfolio, Strategy::exhaustive}) {
    for (const bool tracks : {false, true}) {
      ExploreOptions options = quiet(2'000);
      options.strategy = strategy;
      options.prompt = true;
      const Verdict verdict = explore(options, [tracks](World& world) {
        Node& redis = world.redis("redis");
        world.spawn("alice", [&redis, tracks](Worker& worker) -> Task<> {
          co_await worker.call(redis, "HELLO", "3");
          co_await worker.call(redis, "SET", "lock", "bob", "PX", "100");
          const auto since = worker.now();
          if (tracks) {
            co_await worker.call(redis, "CLIENT", "TRACKING", "ON");
            co_await worker.call(redis, "GET", "lock");
          } else {
            co_await worker.call(redis, "CONFIG", "SET", "notify-keyspace-events", "Ex");
            co_await worker.call(redis, "SUBSCRIBE", "__keyevent@0__:expired");
          }
          while (worker.link(redis).message()) continue;
          bool heard = false;
          while (!heard) {
            co_await worker.event();
            while (worker.link(redis).message()) heard = true;
          }
          worker.expect(worker.now() == since + 101ms, "it hears at once");
        });
      });
      INFO(verdict);
      CHECK(verdict);
    }
  }
}

TEST_CASE("what MONITOR shows to one run is not shown to the next") {
  ExploreOptions options = quiet(300);
  options.twice = true;
  options.faults.crashes = 1;
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "MONITOR");
      co_await worker.sleep(10ms);
      co_await worker.call(redis, "PING");
    });
    world.spawn("bob", [&redis](Worker& worker) -> Task<> {
      co_await worker.sleep(20ms);
      co_await worker.call(redis, "SUBSCRIBE", "news");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("a key that nobody is left to hear of is left over, though somebody had subscribed") {
  const Verdict verdict = explore(quiet(20), [](World& world) {
    Node& redis = world.redis("redis");
    world.leaves_nothing(redis, 10s);
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "CONFIG", "SET", "notify-keyspace-events", "Ex");
      co_await worker.call(redis, "SUBSCRIBE", "__keyevent@0__:expired");
      co_await worker.call(redis, "UNSUBSCRIBE");
      co_await worker.call(redis, "SET", "lock", "x", "PX", "3600000");
    });
  });
  CHECK(verdict.verdict == Class::violation);
}

TEST_CASE("how long a pause lasts parts states") {
  ExploreOptions options = quiet(1'000'000);
  options.strategy = Strategy::exhaustive;
  options.max_delay = 5ms;
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "CLIENT", "PAUSE", "20", "ALL");
    });
    world.spawn("bob", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "PING");
      co_await worker.call(redis, "GET", "k");
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(verdict.complete);
}
