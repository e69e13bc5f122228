#include <set>

#include "fuzz/search/chooser.hpp"
#include "fuzz/world/simulation.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

/// Collects what happened in each schedule, and which different outcomes there were.
struct Outcomes {
  std::string current;
  std::set<std::string> all;
};

}  // namespace

TEST_CASE("a worker's calls are answered by its server, in a fresh state each schedule") {
  int runs = 0;
  const Verdict verdict = explore(quiet(50), [&](World& world) {
    ++runs;
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto first = co_await worker.call(redis, "INCR", "n");
      const auto second = co_await worker.call(redis, "INCRBY", "n", 41);
      if (first != picklock::replies::integer(1) || second != picklock::replies::integer(42))
        throw std::runtime_error{"not a fresh server"};
    });
  });
  CHECK(verdict);
  CHECK(runs >= 50);
}

TEST_CASE("who quits connects anew with its next request, in every schedule") {
  int runs = 0;
  const Verdict verdict = explore(quiet(50), [&](World& world) {
    ++runs;
    Node& redis = world.redis("redis");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SELECT", 1);
        const auto bye = co_await worker.call(redis, "QUIT");
        co_await worker.call(redis, "INCR", "n");
        co_await worker.call(redis, "QUIT");
        if (bye != picklock::replies::status("OK")) throw std::runtime_error{bye.to_string()};
      });
    }
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(runs >= 50);
}

TEST_CASE("what a server is prepared with is there in every schedule") {
  int prepared = 0;
  const Verdict verdict = explore(quiet(20), [&](World& world) {
    Node& redis = world.redis("redis", [&](picklock::Emulator& emulator) {
      ++prepared;
      emulator.connect().call("SET", "stock", 10);
    });
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto left = co_await worker.call(redis, "DECR", "stock");
      if (left.integer() != 9) throw std::runtime_error{"stock is " + left.to_string()};
    });
  });
  CHECK(verdict);
  CHECK(prepared == 1);
}

TEST_CASE("what the scenario itself writes is undone before the next schedule") {
  const Verdict verdict = explore(quiet(20), [&](World& world) {
    Node& redis = world.redis("redis");
    picklock::Client client = redis.emulator().connect();
    if (client.call("INCR", "n").integer() != 1) throw std::logic_error{"left over"};
    world.spawn("alice", [&](Worker& worker) -> Task<> { co_await worker.call(redis, "PING"); });
  });
  CHECK(verdict);
}

TEST_CASE("what is written between two runs is undone before the next") {
  Simulation simulation{Rules{}};
  RandomChooser chooser{1};
  Node* kept = nullptr;
  int found = 0;
  const Scenario scenario = [&](World& world) {
    kept = &world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      found += (co_await worker.call(*kept, "EXISTS", "n")).integer() == 1;
    });
  };
  for (int run = 0; run < 3; ++run) {
    CHECK(simulation.run(scenario, chooser).finding.verdict == Class::holds);
    kept->emulator().connect().call("SET", "n", "1");
  }
  CHECK(found == 0);
}

TEST_CASE("requests of two workers reach the server in both orders") {
  Outcomes outcomes;
  explore(quiet(), [&](World& world) {
    Node& redis = world.redis("redis");
    outcomes.current.clear();
    for (const std::string_view name : {"a", "b"})
      world.spawn(name, [&](Worker& worker) -> Task<> {
        const auto reply = co_await worker.call(redis, "APPEND", "log", worker.name());
        if (reply.integer() == 2) {
          const auto log = co_await worker.call(redis, "GET", "log");
          outcomes.all.insert(log.text());
        }
      });
  });
  CHECK(outcomes.all == std::set<std::string>{"ab", "ba"});
}

TEST_CASE("requests of one worker keep their order") {
  const Verdict verdict = explore(quiet(), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const Call first = worker.call(redis, "RPUSHX", "none", "x");
      const Call second = worker.call(redis, "SET", "k", "1");
      const Call third = worker.call(redis, "APPEND", "k", "2");
      co_await first;
      co_await second;
      const auto length = co_await third;
      if (length.integer() != 2) throw std::runtime_error{"out of order"};
    });
  });
  CHECK(verdict);
}

TEST_CASE("time stands still while anybody can act, and jumps over sleep") {
  const Verdict verdict = explore(quiet(10), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto start = worker.now();
      co_await worker.call(redis, "PING");
      if (worker.now() != start) throw std::runtime_error{"a call took time"};
      co_await worker.sleep(24h);
      if (worker.now() != start + 24h) throw std::runtime_error{"a sleep took another time"};
    });
  });
  CHECK(verdict);
}

TEST_CASE("messages are late by no more than the bound, and by all of it at times") {
  std::set<std::int64_t> round_trips;
  ExploreOptions options = quiet(500);
  options.max_delay = 7ms;
  explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto start = worker.now();
      co_await worker.call(redis, "PING");
      round_trips.insert((worker.now() - start) / 1ms);
    });
  });
  CHECK(round_trips == std::set<std::int64_t>{0, 7, 14});
}

TEST_CASE("a late message meets a key before, at and after its deadline") {
  std::set<std::string> seen;
  ExploreOptions options = quiet(2'000);
  options.max_delay = 5ms;
  explore(options, [&](World& world) {
    Node& redis = world.redis("redis", [](picklock::Emulator& emulator) {
      emulator.connect().call("SET", "k", "v", "PX", 100);
      emulator.connect().call("SET", "other", "v");
    });
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "PEXPIRE", "k", 100);
      co_await worker.sleep(98ms);
      const auto left = co_await worker.call(redis, "PTTL", "k");
      seen.insert(left.to_string());
    });
  });
  CHECK(seen.contains("(integer) 0"));
  CHECK(seen.contains("(integer) -2"));
  CHECK(seen.contains("(integer) 2"));
}

TEST_CASE("a pause is chosen among its ends and the instants around a deadline") {
  std::set<std::int64_t> lengths;
  explore(quiet(1'000), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "lock", "a", "PX", 100);
      const auto start = worker.now();
      co_await worker.pause(10ms, 500ms);
      lengths.insert((worker.now() - start) / 1ms);
    });
  });
  CHECK(lengths == std::set<std::int64_t>{10, 99, 100, 101, 500});
}

TEST_CASE("where one deadline is over, pauses go by the next one") {
  std::set<std::int64_t> lengths;
  explore(quiet(1'000), [&](World& world) {
    Node& redis = world.redis("redis", [](picklock::Emulator& prepared) {
      auto client = prepared.connect();
      client.call("SET", "lock", "a", "PX", 20);
      client.call("SET", "other", "a", "PX", 100);
    });
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto start = worker.now();
      co_await worker.pause(10ms, 50ms);
      lengths.insert((worker.now() - start) / 1ms);
      co_await worker.pause(40ms, 500ms);
      lengths.insert((worker.now() - start) / 1ms);
      co_await worker.call(redis, "PING");
    });
  });
  for (const std::int64_t first : {19, 20, 21}) CHECK(lengths.contains(first));
  for (const std::int64_t second : {99, 100, 101}) CHECK(lengths.contains(second));
}

TEST_CASE(
    "a pause may strike between a reply's arrival and its use, and lasts beyond the deadline") {
  std::set<std::int64_t> delays;
  ExploreOptions options = quiet(3'000);
  options.faults.pauses = 1;
  explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto start = worker.now();
      co_await worker.call(redis, "SET", "lock", "a", "PX", 1000);
      delays.insert((worker.now() - start) / 1ms);
    });
  });
  CHECK(delays == std::set<std::int64_t>{0, 10, 100, 999, 1000, 1001, 10'000});
}

TEST_CASE("a crash ends a worker for good, but not what it has sent") {
  std::set<std::string> ends;
  ExploreOptions options = quiet(2'000);
  options.faults.crashes = 1;
  explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "step", "1");
      co_await worker.call(redis, "SET", "step", "2");
    });
    world.spawn("bob", [&](Worker& worker) -> Task<> {
      co_await worker.sleep(1s);
      const auto step = co_await worker.call(redis, "GET", "step");
      ends.insert(step.to_string());
    });
  });
  // "(nil)": alice had not started when bob looked.
  CHECK(ends == std::set<std::string>{"\"1\"", "\"2\"", "(nil)"});
}

TEST_CASE("a link speaks to the same server, and wakes its worker by reply or by time") {
  const Verdict verdict = explore(quiet(50), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      picklock::Link& link = worker.link(redis);
      const std::array<std::string_view, 2> words{"INCR", "n"};
      const auto ticket = link.send(words);
      link.wake_at(worker.now() + 1s);
      co_await worker.event();
      const auto reply = link.reply(ticket);
      if (!reply || reply->integer() != 1) throw std::runtime_error{"no reply"};
      const auto start = link.now();
      link.wake_at(start + 30ms);
      co_await worker.event();
      if (link.now() != start + 30ms) throw std::runtime_error{"woken at another time"};
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("a worker's random numbers are the same in every run and differ between workers") {
  std::set<std::uint64_t> alice;
  std::set<std::uint64_t> bob;
  explore(quiet(20), [&](World& world) {
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      alice.insert(worker.random());
      co_return;
    });
    world.spawn("bob", [&](Worker& worker) -> Task<> {
      bob.insert(worker.random());
      co_return;
    });
  });
  CHECK(alice.size() == 1);
  CHECK(bob.size() == 1);
  CHECK(alice != bob);
}

TEST_CASE("a world of two servers keeps them apart") {
  const Verdict verdict = explore(quiet(50), [&](World& world) {
    Node& first = world.redis("first");
    Node& second = world.redis("second");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(first, "SET", "k", "1");
      const auto other = co_await worker.call(second, "GET", "k");
      if (!other.is_null()) throw std::runtime_error{"one keyspace"};
    });
  });
  CHECK(verdict);
}

TEST_CASE("options that cannot be are refused with what to do") {
  const Scenario nothing = [](World&) {};
  ExploreOptions options;
  options.scenario = "a.b";
  CHECK_THROWS_AS(explore(options, nothing), std::invalid_argument);
  options = {};
  options.faults.pauses = -1;
  CHECK_THROWS_AS(explore(options, nothing), std::invalid_argument);
  options = {};
  options.max_delay = -1ms;
  CHECK_THROWS_AS(explore(options, nothing), std::invalid_argument);
}

TEST_CASE("a worker may start at any instant that matters, and holds nobody up until then") {
  std::set<std::int64_t> starts;
  explore(quiet(1'000), [&](World& world) {
    Node& redis = world.redis("redis");
    const auto start = world.now();
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "lock", "a", "PX", 100);
      co_await worker.sleep(30ms);
    });
    world.spawn("bob", [&starts, start](Worker& worker) -> Task<> {
      starts.insert((worker.now() - start) / 1ms);
      co_return;
    });
  });
  CHECK(starts == std::set<std::int64_t>{0, 30, 100, 101});
}
