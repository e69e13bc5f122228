// What an exhaustive search may pass over, and what not: everything that a random search can meet,
// it must meet, too.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::Link;
using picklock::Reply;

namespace {

/// The search finds that the sentence does not always hold.
void check_finds(Strategy strategy, const Scenario& scenario, const Faults& faults) {
  ExploreOptions options = quiet(50'000);
  options.faults = faults;
  options.explain = false;
  options.strategy = strategy;
  CHECK(explore(options, scenario).oracle == Oracle::property);
}
void check_exhaustive_finds(const Scenario& scenario) {
  check_finds(Strategy::exhaustive, scenario, Faults::none());
}
void check_both_find(const Scenario& scenario, const Faults& faults = Faults::none()) {
  check_finds(Strategy::random, scenario, faults);
  check_finds(Strategy::exhaustive, scenario, faults);
}

Faults only(int Faults::*kind) {
  Faults faults = Faults::none();
  faults.*kind = 1;
  return faults;
}

}  // namespace

TEST_CASE("a server may restart when a reply has come and the next request has not been sent") {
  check_both_find(
      [](World& world) {
        Node& redis = world.redis("redis");
        world.spawn("alice", [&redis](Worker& worker) -> Task<> {
          co_await worker.call(redis, "SET", "k", "1");
          const Reply second = co_await worker.call(redis, "GET", "k");
          worker.expect(!second.is_null(), "what alice wrote is there");
        });
      },
      only(&Faults::restarts));
}

TEST_CASE("a server's clock may stop before a worker goes to sleep") {
  check_both_find(
      [](World& world) {
        Node& redis = world.redis("redis");
        world.spawn("alice", [&redis](Worker& worker) -> Task<> {
          co_await worker.call(redis, "SET", "k", "v", "PX", "5");
          co_await worker.sleep(10ms);
          const Reply k = co_await worker.call(redis, "GET", "k");
          worker.expect(k.is_null(), "the key has gone in time");
        });
      },
      only(&Faults::clocks));
}

TEST_CASE("steps of workers that share a variable come in either order") {
  for (const bool expected : {false, true}) {
    check_both_find([expected](World& world) {
      Node& redis = world.redis("redis");
      const auto flag = std::make_shared<bool>(false);
      world.shares([flag](picklock::Instant) { return std::uint64_t{*flag}; });
      world.spawn("alice", [&redis, flag](Worker& worker) -> Task<> {
        co_await worker.call(redis, "INCR", "n");
        *flag = true;
      });
      world.spawn("bob", [&redis, flag, expected](Worker& worker) -> Task<> {
        const Reply n = co_await worker.call(redis, "INCR", "n");
        worker.expect(n != 2 || *flag == expected, "who is second sees the flag as expected");
      });
    });
  }
}

TEST_CASE("what WATCH has seen parts states") {
  for (const bool alice_first : {false, true}) {
    for (const bool refused : {false, true}) {
      check_both_find([=](World& world) {
        Node& redis = world.redis("redis");
        const auto add_bob = [&] {
          world.spawn("bob", [&redis](Worker& worker) -> Task<> {
            co_await worker.call(redis, "SET", "k", "1");
          });
        };
        if (!alice_first) add_bob();
        world.spawn("alice", [&redis, refused](Worker& worker) -> Task<> {
          co_await worker.call(redis, "WATCH", "k");
          const Reply k = co_await worker.call(redis, "GET", "k");
          co_await worker.call(redis, "MULTI");
          co_await worker.call(redis, "SET", "done", "1");
          const Reply done = co_await worker.call(redis, "EXEC");
          worker.expect(k.is_null() || done.is_null() == refused, "EXEC does as expected");
        });
        if (alice_first) add_bob();
      });
    }
  }
}

TEST_CASE("the order in which workers wait parts states") {
  for (const std::string winner : {"alice", "bob"}) {
    check_both_find([winner](World& world) {
      Node& redis = world.redis("redis");
      for (const std::string name : {"alice", "bob"}) {
        world.spawn(name, [&redis, name, winner](Worker& worker) -> Task<> {
          const Reply got = co_await worker.call(redis, "BLPOP", "q", "0");
          worker.expect(name == winner || got.elements()[1] != "both",
                        "of both that wait the winner is as expected");
        });
      }
      world.spawn("carol", [&redis](Worker& worker) -> Task<> {
        const Reply info = co_await worker.call(redis, "INFO", "clients");
        const bool both = info.text().find("blocked_clients:2") != std::string::npos;
        co_await worker.call(redis, "RPUSH", "q", both ? "both" : "job");
        co_await worker.call(redis, "RPUSH", "q", "job");
      });
    });
  }
}

TEST_CASE("which scripts and functions a server knows parts states") {
  for (const std::int64_t known : {0, 1}) {
    check_exhaustive_finds([known](World& world) {  // A random search has far to go.
      Node& redis = world.redis("redis");
      for (const std::string script : {"return 1", "return 2"}) {
        world.spawn("loads " + script, [&redis, script](Worker& worker) -> Task<> {
          co_await worker.call(redis, "MULTI");
          co_await worker.call(redis, "SCRIPT", "FLUSH");
          co_await worker.call(redis, "SCRIPT", "LOAD", script);
          co_await worker.call(redis, "INCR", "done");
          co_await worker.call(redis, "EXEC");
        });
      }
      world.spawn("looks", [&redis, known](Worker& worker) -> Task<> {
        const Reply done = co_await worker.call(redis, "GET", "done");
        const Reply exists = co_await worker.call(redis, "SCRIPT", "EXISTS",
                                                  "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
        worker.expect(done != "2" || exists.elements()[0] == known,
                      "return 1 is there as expected");
      });
    });
  }
  for (const std::int64_t last : {1, 2}) {
    check_both_find([last](World& world) {
      Node& redis = world.redis("redis");
      for (const std::string result : {"1", "2"}) {
        world.spawn("loads " + result, [&redis, result](Worker& worker) -> Task<> {
          const std::string code =
              "#!lua name=l\nredis.register_function('f', function() return " + result + " end)";
          co_await worker.call(redis, "FUNCTION", "LOAD", "REPLACE", code);
          co_await worker.call(redis, "INCR", "done");
        });
      }
      world.spawn("looks", [&redis, last](Worker& worker) -> Task<> {
        const Reply done = co_await worker.call(redis, "GET", "done");
        if (done != "2") co_return;
        const Reply result = co_await worker.call(redis, "FCALL", "f", "0");
        worker.expect(result == last, "the last one counts");
      });
    });
  }
}

TEST_CASE("what a group of a stream has given to whom parts states") {
  for (const std::string owner : {"alice", "bob"}) {
    check_both_find([owner](World& world) {
      Node& redis = world.redis("redis", [](picklock::Emulator& prepared) {
        picklock::Client client = prepared.connect();
        client.call("XADD", "s", "1-1", "field", "value");
        client.call("XGROUP", "CREATE", "s", "g", "0");
      });
      for (const std::string name : {"alice", "bob"}) {
        world.spawn(name, [&redis, name](Worker& worker) -> Task<> {
          co_await worker.call(redis, "XREADGROUP", "GROUP", "g", name, "STREAMS", "s", ">");
          co_await worker.call(redis, "INCR", "done");
        });
      }
      world.spawn("looks", [&redis, owner](Worker& worker) -> Task<> {
        const Reply done = co_await worker.call(redis, "GET", "done");
        const Reply pending = co_await worker.call(redis, "XPENDING", "s", "g", "-", "+", "1");
        worker.expect(done != "2" || pending.elements()[0].elements()[1] == owner,
                      "the entry is with whom it is expected to be");
      });
    });
  }
}

TEST_CASE("what a given up request says parts states, whatever its sender knows by now") {
  for (const bool alice_first : {false, true}) {
    for (const std::string expected : {"0", "1"}) {
      check_both_find(
          [=](World& world) {
            Node& redis = world.redis("redis");
            const auto add_bob = [&] {
              world.spawn("bob", [&redis](Worker& worker) -> Task<> {
                co_await worker.call(redis, "SET", "x", "1");
                worker.digest(0);
              });
            };
            if (!alice_first) add_bob();
            world.spawn("alice", [&redis, expected](Worker& worker) -> Task<> {
              const Reply x = co_await worker.call(redis, "GET", "x");
              bool lost = false;
              try {
                co_await worker.call(redis, "SET", "y", x.is_null() ? "0" : "1");
              } catch (const ConnectionLost&) {
                lost = true;
              }
              if (!lost) co_return;
              worker.digest(7);
              const Reply both = co_await worker.call(redis, "MGET", "x", "y");
              const bool late = !both.elements()[0].is_null() && both.elements()[1].is_null();
              const Reply y = co_await worker.call(redis, "GET", "y");
              worker.expect(!late || y.is_null() || y == expected, "y is as expected");
            });
            if (alice_first) add_bob();
          },
          only(&Faults::lost_replies));
    }
  }
}

TEST_CASE("a worker whose time is over may run before a reply of the same instant, or after it") {
  for (const bool answered : {false, true}) {
    check_both_find([answered](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("alice", [&redis, answered](Worker& worker) -> Task<> {
        Link& link = worker.link(redis);
        const std::array<std::string_view, 3> words{"BLPOP", "q", "0.01"};
        const Link::Ticket ticket = link.send(words);
        link.wake_at(worker.now() + 10ms);
        co_await worker.event();
        worker.expect(link.reply(ticket).has_value() == answered, "the reply is as expected");
      });
    });
  }
}

TEST_CASE("what others send may reach a worker before it runs, if it waits for it or has asked") {
  const std::vector<std::vector<std::string_view>> ways{{"BLPOP", "q", "1"}, {"SUBSCRIBE", "q"}};
  for (const auto& words : ways) {
    for (const bool heard : {false, true}) {
      const bool subscribes = words[0] == "SUBSCRIBE";
      check_both_find([&words, heard, subscribes](World& world) {
        Node& redis = world.redis("redis");
        world.spawn("alice", [&, heard, subscribes](Worker& worker) -> Task<> {
          Link& link = worker.link(redis);
          const Link::Ticket ticket = link.send(words);
          co_await worker.sleep(5ms);
          while (subscribes && link.message()) continue;
          link.wake_at(worker.now() + 5ms);
          co_await worker.event();
          if (worker.now() != picklock::kDefaultStart + 10ms) co_return;
          const bool hears = (subscribes ? link.message() : link.reply(ticket)).has_value();
          worker.expect(hears == heard, "alice hears as expected");
        });
        world.spawn("bob", [&redis, subscribes](Worker& worker) -> Task<> {
          co_await worker.sleep(10ms);
          co_await worker.call(redis, subscribes ? "PUBLISH" : "RPUSH", "q", "1");
        });
      });
    }
  }
}

TEST_CASE("what a pause can be is looked at after what others send at that instant, too") {
  for (const bool gone : {false, true}) {
    check_both_find([gone](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "PEXPIRE", "lock", 15);
      });
      world.spawn("bob", [&redis, gone](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SETNX", "lock", "bob");
        const auto since = worker.now();
        co_await worker.pause(5ms, 20ms);
        if (worker.now() != since + (gone ? 16ms : 14ms)) co_return;
        const Reply left = co_await worker.call(redis, "PTTL", "lock");
        worker.expect(left.integer() != (gone ? -2 : 1), "the other outcome");
      });
    });
  }
}

TEST_CASE("what is carried out twice is that request, before its answer, and in its turn") {
  ExploreOptions options = quiet(50'000);
  options.faults = {.pauses = 0, .crashes = 0, .lost_replies = 1, .duplicates = 1};
  const Verdict after_another = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      bool lost = false;
      try {
        co_await worker.call(redis, "SET", "a", "1");
      } catch (const ConnectionLost&) {
        lost = true;
      }
      if (!lost) co_return;
      const Reply n = co_await worker.call(redis, "INCR", "n");
      const Reply again = co_await worker.call(redis, "GET", "n");
      worker.expect(again == std::to_string(n.integer()), "nobody counts after the answer");
    });
  });
  CHECK(after_another);
  options.faults = only(&Faults::duplicates);
  const Verdict behind_one_that_blocks = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      const Call one = worker.call(redis, "BLPOP", "q", "1");
      const Call two = worker.call(redis, "GET", "z");
      co_await one;
      co_await two;
    });
    world.spawn("bob", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "RPUSH", "q", "1");
    });
  });
  CHECK(behind_one_that_blocks);
}

TEST_CASE("a key that was there from the start is nobody's") {
  const Verdict verdict = explore(quiet(), [](World& world) {
    Node& redis = world.redis("redis", [](picklock::Emulator& emulator) {
      emulator.connect().call("SET", "lock", "of long ago");
    });
    world.lock_key(redis, "lock");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "INCR", "counter");
    });
    world.spawn("bob",
                [&redis](Worker& worker) -> Task<> { co_await worker.call(redis, "DEL", "lock"); });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("whoever sleeps for ever does not wake in the past") {
  const Verdict verdict = explore(quiet(), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.sleep(picklock::Duration::max());
      co_await worker.call(redis, "SET", "x", "1");
    });
  });
  CHECK(verdict.oracle == Oracle::stuck);
}

TEST_CASE("messages come to whoever subscribes in any letters") {
  for (const std::string command : {"SUBSCRIBE", "subscribe", "SSUBSCRIBE"}) {
    int heard = 0;
    explore(quiet(), [&](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("listener", [&](Worker& worker) -> Task<> {
        co_await worker.call(redis, command, "c");
        worker.link(redis).wake_at(worker.now() + 100ms);
        co_await worker.event();
        heard += worker.link(redis).message().has_value();
      });
      world.spawn("speaker", [&](Worker& worker) -> Task<> {
        co_await worker.call(redis, command[1] == 'S' ? "SPUBLISH" : "PUBLISH", "c", "1");
      });
    });
    CHECK(heard > 0);
  }
}

TEST_CASE("bodies and requests of nothing are refused") {
  CHECK_THROWS_AS(explore(quiet(),
                          [](World& world) {
                            world.redis("redis");
                            world.spawn("alice", [](Worker&) -> Task<> { return Task<>{}; });
                          }),
                  std::invalid_argument);
  const Verdict verdict = explore(quiet(), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, std::span<const std::string_view>{});
    });
  });
  CHECK(verdict.oracle == Oracle::threw);
}
