// Connections that the server ends because nothing was sent on them: the setting timeout.
#include <optional>
#include <set>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

Node& impatient(World& world) {
  return world.redis("redis", [](picklock::Emulator& server) {
    server.connect().call("CONFIG", "SET", "timeout", "1");
  });
}

/// Sets the timeout, and keeps its own connection in use.
struct Setter {
  Node* redis;
  int step = 0;
  std::optional<Call> call{};
  Next operator()(Worker& worker) {
    if (step++ == 0) return *(call = worker.call(*redis, "CONFIG", "SET", "timeout", "1"));
    if (step > 8) return Next::end();
    if (step % 2 != 0) return *(call = worker.call(*redis, "PING"));
    return worker.sleep(1s);
  }
};
/// Uses its connection, pauses, and uses it again.
struct Idler {
  Node* redis;
  std::set<std::string>* seen;
  int step = 0;
  std::optional<Call> call{};
  Next operator()(Worker& worker) {
    if (step == 1) return ++step, worker.pause(500ms, 3'500ms);
    if (step < 3) return ++step, *(call = worker.call(*redis, "PING"));
    try {
      call->reply();
      seen->insert("in time");
    } catch (const ConnectionLost&) {
      seen->insert("cut off");
    }
    return Next::end();
  }
};

}  // namespace

TEST_CASE("whom the server cuts off for being idle connects anew with his next request") {
  for (const bool struck : {false, true}) {
    std::set<std::string> seen;
    ExploreOptions options = quiet(500);
    options.faults.restarts = struck ? 1 : 0;
    options.faults.lost_replies = struck ? 1 : 0;
    const Verdict verdict = explore(options, [&seen](World& world) {
      Node& redis = world.redis("redis");
      world.leaves_nothing(redis, 1s);
      world.spawn("alice", [&redis, &seen](Worker& worker) -> Task<> {
        try {
          co_await worker.call(redis, "CONFIG", "SET", "timeout", "1");
          co_await worker.call(redis, "SET", "k", "v", "PX", "500");
          co_await worker.sleep(5s);
          co_await worker.call(redis, "GET", "k");
          seen.insert("in time");
        } catch (const ConnectionLost&) {
          seen.insert("cut off");
        }
        try {
          const auto pong = co_await worker.call(redis, "PING");
          worker.expect(pong == picklock::replies::status("PONG"), "the next request is answered");
        } catch (const ConnectionLost&) {
        }
      });
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(seen.contains("cut off"));
    if (!struck) CHECK(seen.size() == 1);
  }
}

TEST_CASE("who was cut off learns of it even if the timeout has been taken back since") {
  for (const Strategy strategy : {Strategy::portfolio, Strategy::exhaustive}) {
    ExploreOptions options = quiet(500);
    options.strategy = strategy;
    const Verdict verdict = explore(options, [](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.sleep(5s);
        try {
          co_await worker.call(redis, "PING");
        } catch (const ConnectionLost&) {
        }
      });
      world.spawn("bob", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "CONFIG", "SET", "timeout", "1");
        for (int i = 0; i < 4; ++i) {
          co_await worker.sleep(1s);
          co_await worker.call(redis, "PING");
        }
        co_await worker.call(redis, "CONFIG", "SET", "timeout", "0");
      });
    });
    INFO(verdict);
    CHECK(verdict);
  }
}

TEST_CASE("values are cut off as coroutines are, whatever state they go on from") {
  for (const Strategy strategy : {Strategy::portfolio, Strategy::exhaustive}) {
    std::set<std::string> seen;
    ExploreOptions options = quiet(5'000);
    options.strategy = strategy;
    const Verdict verdict = explore(options, [&seen](World& world) {
      Node& redis = world.redis("redis");
      world.spawn_value("alice", Setter{&redis});
      world.spawn_value("bob", Idler{&redis, &seen});
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(seen.size() == 2);
  }
}

TEST_CASE("an exhaustive search tells apart how long a connection has been idle") {
  for (const Strategy strategy : {Strategy::portfolio, Strategy::exhaustive}) {
    std::set<std::string> seen;
    ExploreOptions options = quiet(5'000);
    options.strategy = strategy;
    options.max_delay = 2ms;
    const Verdict verdict = explore(options, [&seen](World& world) {
      Node& redis = impatient(world);
      world.spawn("alice", [&redis, &seen](Worker& worker) -> Task<> {
        co_await worker.sleep(998ms);
        co_await worker.call(redis, "PING");
        const auto told = (worker.now() - picklock::kDefaultStart) / 1ms;
        co_await worker.sleep(1'500ms);
        std::string how = "in time";
        try {
          co_await worker.call(redis, "PING");
        } catch (const ConnectionLost&) {
          how = "cut off";
        }
        seen.insert(std::to_string(told) + ": " + how);
      });
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(seen ==
          std::set<std::string>{"998: cut off", "1000: cut off", "1000: in time", "1002: in time"});
  }
}

TEST_CASE("nothing that comes on a connection that was idle for too long is carried out") {
  for (const bool by_orphan : {false, true}) {
    std::size_t asked = 0;
    ExploreOptions options = quiet(5'000);
    options.faults.lost_replies = 1;
    if (by_orphan) options.max_delay = 60s;
    const Verdict verdict = explore(options, [&asked, by_orphan](World& world) {
      Node& redis = impatient(world);
      world.spawn("alice", [&redis, &asked, by_orphan](Worker& worker) -> Task<> {
        if (worker.now() != picklock::kDefaultStart) co_return;
        if (by_orphan) {  // Of which the server hears at any time.
          try {
            co_await worker.call(redis, "EVAL", "return 1", "0");
            co_return;
          } catch (const ConnectionLost&) {
          }
          if (worker.now() != picklock::kDefaultStart) co_return;
        }
        co_await worker.sleep(5s);
        ++asked;
        bool heard = true;
        try {
          co_await worker.call(redis, "SET", "k", "v");
        } catch (const ConnectionLost&) {
          heard = false;
        }
        worker.expect(!heard, "it is lost");
        if (by_orphan) co_return;
        for (int i = 0; i < 3; ++i) {
          try {
            const auto found = co_await worker.call(redis, "GET", "k");
            co_return worker.expect(found.is_null(), "it was not carried out");
          } catch (const ConnectionLost&) {
          }
        }
      });
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(asked > 0);
  }
}

TEST_CASE("a connection that a fault has made is as new as it looks") {
  ExploreOptions options = quiet(2'000);
  options.faults.resets = 1;
  std::size_t most = 0;
  const Verdict verdict = explore(options, [&most](World& world) {
    Node& redis = impatient(world);
    world.spawn("alice", [&redis, &most](Worker& worker) -> Task<> {
      try {
        co_await worker.call(redis, "HELLO", "3");
        co_await worker.call(redis, "SUBSCRIBE", "news");
      } catch (const ConnectionLost&) {
        co_return;
      }
      co_await worker.sleep(5s);
      for (std::size_t lost = 0; lost < 4; ++lost) {
        try {
          co_await worker.call(redis, "PING");
          co_return;
        } catch (const ConnectionLost&) {
          most = std::max(most, lost + 1);
        }
      }
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(most == 1);
}

TEST_CASE(
    "a restart loses all where the world's own connection was cut off, and needs a password") {
  bool asked = false;
  const Verdict verdict = explore(quiet(50), [&asked](World& world) {
    Node& redis = world.redis("redis", [](picklock::Emulator& server) {
      server.connect().call("CONFIG", "SET", "requirepass", "secret");
    });
    world.spawn("alice", [&redis, &asked, world](Worker& worker) mutable -> Task<> {
      co_await worker.call(redis, "AUTH", "secret");
      co_await worker.call(redis, "CONFIG", "SET", "timeout", "1");
      co_await worker.call(redis, "SET", "k", "v");
      co_await worker.sleep(5s);
      world.restart(redis, picklock::Restart::loses_all);
      for (int i = 0; i < 3; ++i) {
        try {
          co_await worker.call(redis, "AUTH", "secret");
          const auto found = co_await worker.call(redis, "GET", "k");
          asked = true;
          co_return worker.expect(found.is_null(), "nothing is left");
        } catch (const ConnectionLost&) {
        }
      }
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(asked);
}
