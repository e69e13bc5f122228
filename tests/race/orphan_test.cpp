// Requests that outlive their connection: their replies are lost, and the server still carries them
// out.
#include <string_view>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

TEST_CASE("a request whose reply is lost is carried out in its own transaction and database") {
  ExploreOptions options = quiet(20'000);
  options.faults.lost_replies = 1;
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.lock_key(redis, "lock");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [&redis](Worker& worker) -> Task<> {
        const auto got =
            co_await worker.call(redis, "SET", "lock", worker.name(), "NX", "PX", "100");
        if (got.is_null()) co_return;
        co_await worker.call(redis, "WATCH", "lock");
        if (co_await worker.call(redis, "GET", "lock") != worker.name()) co_return;
        co_await worker.call(redis, "MULTI");
        co_await worker.call(redis, "DEL", "lock");
        co_await worker.call(redis, "EXEC");
        co_await worker.call(redis, "SELECT", "1");
        co_await worker.call(redis, "DEL", "lock");
      });
    }
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE(
    "a request whose reply is lost neither changes the connection that follows nor reads it") {
  ExploreOptions options = quiet(20'000);
  options.faults.lost_replies = 1;
  bool cut = false;
  const Verdict verdict = explore(options, [&cut](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis, &cut](Worker& worker) -> Task<> {
      try {
        co_await worker.call(redis, "SELECT", "1");
        co_await worker.call(redis, "RESET");
        co_await worker.call(redis, "SUBSCRIBE", "news");
        co_await worker.call(redis, "RESET");
        co_await worker.call(redis, "INCR", "count");
        co_await worker.call(redis, "MULTI");
        co_await worker.call(redis, "EXEC");
        co_return;
      } catch (const ConnectionLost&) {
      }
      cut = true;
      for (int i = 0; i < 2; ++i) {
        const auto set = co_await worker.call(redis, "SET", "k", "v");
        worker.expect(set == picklock::replies::status("OK"), "it is in no transaction");
      }
      co_await worker.call(redis, "MULTI");
      co_await worker.call(redis, "GET", "k");
      const auto got = co_await worker.call(redis, "EXEC");
      worker.expect(got.size() == 1 && got[0] == "v", "its transaction holds its own requests");
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(cut);
}

TEST_CASE("an orphan is refused what its own connection would be refused") {
  for (const std::string_view kind : {"user", "subscribed", "unknown"}) {
    ExploreOptions options = quiet(2'000);
    options.faults.lost_replies = 1;
    std::size_t lost = 0;
    const Verdict verdict = explore(options, [&](World& world) {
      Node& redis = world.redis("redis", [kind](picklock::Emulator& server) {
        if (kind == "unknown") server.connect().call("CONFIG", "SET", "requirepass", "secret");
      });
      world.spawn("alice", [&redis, &lost, kind](Worker& worker) -> Task<> {
        try {
          if (kind == "user") {
            co_await worker.call(redis, "ACL", "SETUSER", "eve", "on", "nopass", "+get", "~*");
            co_await worker.call(redis, "AUTH", "eve", "x");
          }
          if (kind == "subscribed") co_await worker.call(redis, "SUBSCRIBE", "news");
        } catch (const ConnectionLost&) {
          co_return;
        }
        try {
          const auto refused = co_await worker.call(redis, "SET", "k", "v");
          worker.expect(refused.is_error(), "it is refused");
          co_return;
        } catch (const ConnectionLost&) {
          ++lost;
        }
        co_await worker.sleep(100ms);
        if (kind == "unknown") co_await worker.call(redis, "AUTH", "secret");
        const auto found = co_await worker.call(redis, "GET", "k");
        worker.expect(found.is_null(), "nothing was written");
      });
    });
    INFO(kind << ": " << verdict);
    CHECK(verdict);
    CHECK(lost > 0);
  }
}

TEST_CASE("what is sent on one connection goes to one server, be it one that was replaced") {
  ExploreOptions options = quiet(5'000);
  options.faults.failovers = 1;
  options.faults.lost_replies = 1;
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.replica_of(redis, "standby");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      const auto first = worker.link(redis).connections();
      auto later = first;
      try {
        co_await worker.call(redis, "SET", "mark", "old");
        later = worker.link(redis).connections();
        co_await worker.call(redis, "SET", "k", "v");
        co_return;
      } catch (const ConnectionLost&) {
      }
      if (later != first) co_return;
      try {
        const auto mark = co_await worker.call(redis, "GET", "mark");
        co_await worker.sleep(50ms);
        const auto found = co_await worker.call(redis, "GET", "k");
        worker.expect(!mark.is_null() || found.is_null(), "only who has the first has the second");
      } catch (const ConnectionLost&) {
      }
    });
  });
  INFO(verdict);
  CHECK(verdict);
}
