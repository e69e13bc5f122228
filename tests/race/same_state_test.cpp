// What an exhaustive search takes for a state that it knows: nothing that goes on differently, and
// nothing that is no more.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::Instant;
using picklock::Reply;

namespace {

using Words = std::vector<std::string_view>;

/// Workers that send one request after the other; "sleep" waits for a millisecond.
Scenario senders(const std::vector<std::vector<Words>>& workers, bool has_replica = false) {
  return [workers, has_replica](World& world) {
    Node& redis = world.redis("redis");
    if (has_replica) world.replica_of(redis, "replica");
    for (const std::vector<Words>& requests : workers) {
      const std::string name = "w" + std::to_string(&requests - workers.data());
      world.spawn(name, [&redis, requests](Worker& worker) -> Task<> {
        for (const Words& words : requests) {
          try {
            if (words.front() == "sleep")
              co_await worker.sleep(1ms);
            else
              co_await worker.call(redis, words);
          } catch (const ConnectionLost&) {
            continue;
          }
        }
      });
    }
    world.at_rest([](Rest&) {});
  };
}

/// A sender that is a value, or not: what it does from here on depends on how far it has come only.
struct NamedSender {
  Node* redis;
  std::vector<Words> requests;
  std::size_t at = 0;
  std::optional<Call> call{};

  std::uint64_t digest(Instant) const { return at * 2 + (call ? 1 : 0); }
  Next operator()(Worker& worker) {
    try {
      if (call) call->reply();
    } catch (const ConnectionLost&) {  // It goes on with the next one.
    }
    call.reset();
    if (at == requests.size()) return Next::end();
    const Words& words = requests[at++];
    if (words.front() == "sleep") return worker.sleep(1ms);
    if (words.front() == "pause") return worker.pause(1ms, 3ms);
    call = worker.call(*redis, words);
    return *call;
  }
};

Task<> send_by_name(Worker& worker, NamedSender sender) {
  for (const Words& words : sender.requests) {
    worker.digest(sender.at++);
    if (words.front() == "sleep")
      co_await worker.sleep(1ms);
    else if (words.front() == "pause")
      co_await worker.pause(1ms, 3ms);
    else
      co_await worker.call(*sender.redis, words);
  }
  worker.digest(sender.at);
}

Scenario named_senders(const std::vector<std::vector<Words>>& workers, bool values = true,
                       bool has_replica = false) {
  return [workers, values, has_replica](World& world) {
    Node& redis = world.redis("redis");
    if (has_replica) world.replica_of(redis, "replica");
    for (const std::vector<Words>& requests : workers) {
      const std::string name = "w" + std::to_string(&requests - workers.data());
      const NamedSender sender{&redis, requests};
      if (values)
        world.spawn_value(name, sender);
      else
        world.spawn(name, [sender](Worker& worker) { return send_by_name(worker, sender); });
    }
    world.at_rest([](Rest&) {});
  };
}

/// The search compares some of the ways to a state, and says so when they go on differently.
void check_same(const Scenario& scenario, const Faults& faults,
                std::chrono::milliseconds max_delay = 0ms, bool timeless = false) {
  ExploreOptions options = quiet(100'000);
  options.timeless = timeless;
  options.strategy = Strategy::exhaustive;
  options.faults = faults;
  options.max_delay = max_delay;
  options.explain = false;
  const Verdict verdict = explore(options, scenario);
  INFO(verdict);
  CHECK(verdict.verdict == Class::holds);
  CHECK(verdict.complete);
}

}  // namespace

TEST_CASE("what CONFIG, ACL and DEBUG have changed parts states") {
  struct Case {
    std::vector<Words> changes;
    std::vector<Words> looks;
    Reply first, second;
  };
  using namespace picklock::replies;
  const std::vector<Case> cases{
      {{{"CONFIG", "SET", "slowlog-max-len", "1"}, {"CONFIG", "SET", "slowlog-max-len", "2"}},
       {{"CONFIG", "GET", "slowlog-max-len"}},
       array("slowlog-max-len", "1"),
       array("slowlog-max-len", "2")},
      {{{"ACL", "SETUSER", "u"}, {"ACL", "DELUSER", "u"}},
       {{"ACL", "USERS"}},
       array("default"),
       array("default", "u")},
      {{{"DEBUG", "SET-ACTIVE-EXPIRE", "0"}, {"DEBUG", "SET-ACTIVE-EXPIRE", "1"}},
       {{"SET", "k", "v", "PX", "1"}, {"sleep"}, {"sleep"}, {"DBSIZE"}},
       integer(1),
       integer(2)},
  };
  for (const Case& one : cases) {
    std::set<std::string> seen;
    ExploreOptions options = quiet(50'000);
    options.strategy = Strategy::exhaustive;
    const Verdict verdict = explore(options, [&](World& world) {
      Node& redis = world.redis("redis");
      for (const Words& change : one.changes) {
        const std::string name = "w" + std::to_string(&change - one.changes.data());
        world.spawn(name, [&redis, &change](Worker& worker) -> Task<> {
          co_await worker.call(redis, change);
          co_await worker.call(redis, "INCR", "done");
        });
      }
      world.spawn("looks", [&redis, &one, &seen](Worker& worker) -> Task<> {
        const Reply done = co_await worker.call(redis, "GET", "done");
        Reply found;
        for (const Words& words : one.looks) {
          if (words.front() == "sleep")
            co_await worker.sleep(1ms);
          else
            found = co_await worker.call(redis, words);
        }
        if (done == "2") seen.insert(found.to_string());
      });
    });
    INFO(verdict);
    CHECK(verdict.complete);
    CHECK(seen == std::set{one.first.to_string(), one.second.to_string()});
  }
}

TEST_CASE("a setting that a lost request may have changed parts states") {
  check_same(senders({{{"CONFIG", "SET", "maxmemory", "1"}}, {{"SET", "a", "2"}}}),
             {.pauses = 0, .crashes = 0, .resets = 1}, 2ms);
}

TEST_CASE("what a session has come to by a request that comes once more parts states") {
  check_same(senders({{{"GET", "a"}}, {{"MULTI"}}}), {.pauses = 0, .crashes = 0, .duplicates = 1});
}

TEST_CASE("whether messages may come parts states as long as connections can break") {
  check_same(senders({{{"GET", "a"}}, {{"CLIENT", "TRACKING", "OFF"}}}, true),
             {.pauses = 0, .crashes = 0, .duplicates = 1, .failovers = 1});
  check_same(senders({{{"GET", "a"}}, {{"CLIENT", "TRACKING", "OFF"}}}, true),
             {.pauses = 0, .crashes = 0, .resets = 1, .failovers = 1});
}

TEST_CASE("the end of a wait that is no more parts no states") {
  const Words waits{"BLPOP", "q", "0.003"};
  check_same(senders({{waits}, {{"CLIENT", "KILL", "TYPE", "normal"}}}),
             {.pauses = 1, .crashes = 0});
  check_same(senders({{{"GET", "a"}, waits}, {{"sleep"}, waits}}),
             {.pauses = 1, .crashes = 0, .resets = 1}, 1ms);
}

TEST_CASE("time stops where a pause ends or a key expires, whoever has asked to be told when") {
  const Words pauses{"CLIENT", "PAUSE", "3", "WRITE"};
  const Words tracks{"CLIENT", "TRACKING", "ON"};
  check_same(senders({{pauses}, {tracks, pauses}}), {.pauses = 0, .crashes = 0, .lost_replies = 1},
             2ms);
  check_same(senders({{{"SET", "a", "3", "PX", "2"}, tracks, {"DBSIZE"}}, {{"sleep"}}}),
             {.pauses = 0, .crashes = 0, .partitions = 1}, 1ms);
}

TEST_CASE("a deadline by which a clock may jump parts states, be it over") {
  ExploreOptions options = quiet(100'000);
  options.strategy = Strategy::exhaustive;
  options.faults = {.pauses = 0, .crashes = 0, .clocks = 1};
  options.max_delay = 1ms;
  const Words pauses{"CLIENT", "PAUSE", "3", "WRITE"};
  const Verdict verdict =
      explore(options, senders({{{"WAIT", "1", "2"}, pauses}, {{"HDEL", "h", "f"}}}));
  INFO(verdict);
  CHECK(verdict.oracle == Oracle::stuck);  // A clock that stands still ends no pause.
}

TEST_CASE("the end of a partition matters to nothing that was sent afterwards") {
  check_same(senders({{{"GET", "a"}, {"GET", "a"}}, {{"sleep"}}, {{"sleep"}}}),
             {.pauses = 0, .crashes = 0, .partitions = 1}, 1ms);
}

TEST_CASE("how late a message may come is part of the state, whatever its sender says of his") {
  check_same(named_senders({{{"INCR", "n"}}, {{"sleep"}, {"GET", "n"}}}), Faults::none(), 2ms);
  check_same(
      named_senders({{{"SETNX", "n", "1"}}, {{"sleep"}, {"sleep"}, {"sleep"}, {"DEL", "n"}}}),
      Faults::none(), 2ms, true);
  check_same(named_senders({{{"GET", "n"}}, {{"sleep"}}, {{"GET", "n"}}}),
             {.pauses = 0, .crashes = 0, .lost_replies = 1, .partitions = 1}, 0ms, true);
}

TEST_CASE("how far off a deadline is does not go by when its server was last asked") {
  const Words takes{"SET", "a", "2", "NX", "PX", "3"};
  check_same(named_senders({{{"BLPOP", "q", "0.003"}}, {takes}, {{"sleep"}, {"sleep"}, {"sleep"}}}),
             {.pauses = 0, .crashes = 0, .resets = 1}, 0ms, true);
  check_same(named_senders({{{"FLUSHALL"}}, {takes}, {{"pause"}, {"DEL", "a"}}}),
             {.pauses = 0, .crashes = 0, .failovers = 1}, 0ms, true);
}

TEST_CASE("where somebody sets `timeout`, how long the others have been idle parts states") {
  const std::vector<Words> sets{{"CONFIG", "SET", "timeout", "1"}};
  check_same(named_senders({sets, {{"pause"}}, {{"INCR", "n"}, {"pause"}}}, false), Faults::none());
  check_same(named_senders({{{"ZADD", "z", "1", "m"}, {"WAIT", "0", "1"}},
                            {{"sleep"}, sets.front()},
                            {{"GET", "a"}}},
                           false),
             Faults::none(), 2ms, true);
  check_same(named_senders({{{"pause"}}, {{"pause"}}, sets}, true, true), Faults::none(), 0ms,
             true);
  check_same(named_senders({sets, sets, {{"pause"}, {"APPEND", "b", "x"}}}),
             {.pauses = 0, .crashes = 0, .script_flushes = 1}, 0ms, true);
  check_same(named_senders({{{"sleep"}, sets.front(), {"GET", "b"}}, {sets.front(), {"GET", "b"}}}),
             {.pauses = 0, .crashes = 0, .script_flushes = 1}, 2ms);
}

TEST_CASE("how many numbers a worker has drawn parts states, whatever it says of its own") {
  for (const bool draws_if_early : {false, true}) {
    std::set<std::uint64_t> drawn;
    std::uint64_t excluded = 0;
    const Scenario scenario = [&](World& world) {
      Node& redis = world.redis("redis");
      world.spawn("sets", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", "a", "1");
        co_await worker.call(redis, "RPUSH", "q", "1");
      });
      world.spawn("draws", [&, draws_if_early](Worker& worker) -> Task<> {
        const Reply found = co_await worker.call(redis, "GET", "a");
        if (found.is_null() == draws_if_early) worker.random();
        worker.digest(0);
        co_await worker.call(redis, "BLPOP", "q", "0");
        co_await worker.call(redis, "PING");
        const std::uint64_t number = worker.random();
        drawn.insert(number);
        worker.expect(number != excluded, "another number is drawn");
      });
    };
    ExploreOptions options = quiet(1'000);
    CHECK(explore(options, scenario));
    REQUIRE(drawn.size() == 2);
    options.strategy = Strategy::exhaustive;
    for (const std::uint64_t number : std::set{drawn}) {
      excluded = number;
      CHECK(explore(options, scenario).verdict == Class::violation);
    }
  }
}

TEST_CASE("where `timeout` is set, a session that begins anew has a deadline, whatever follows") {
  const Scenario scenario = [](World& world) {
    Node& redis = world.redis("redis");
    Node& replica = world.replica_of(redis, "replica");
    world.spawn("sets", [&replica](Worker& worker) -> Task<> {
      co_await worker.call(replica, "CONFIG", "SET", "timeout", "1");
    });
    world.spawn("late", [](Worker&) -> Task<> { co_return; });
    world.spawn("writes", [&redis, &replica](Worker& worker) -> Task<> {
      co_await worker.call(redis, "INCR", "n");
      try {
        co_await worker.call(replica, "GET", "n");
      } catch (const ConnectionLost&) {  // It was idle for too long.
        co_return;
      }
    });
    world.at_rest([](Rest&) {});
  };
  check_same(scenario, Faults::none());
}
