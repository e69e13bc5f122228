// Replicas in the world: what a failover loses, what WAIT rules out, and what it does not.
#include <set>
#include <utility>

#include <picklock/race.hpp>

#include "fuzz/gallery/bugs.hpp"
#include "fuzz/gallery/suite.hpp"
#include "fuzz/gallery/verdicts.hpp"
#include "tests/race/run_words.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

Faults failovers(int count = 1) {
  Faults faults = Faults::none();
  faults.failovers = count;
  return faults;
}

/// SET NX and, if `wanted` is not 0, WAIT for so many replicas; the answer is heeded or not.
struct Habit {
  int wanted = 0;
  bool heeds = true;
  bool same_connection = true;
  bool looks_late = false;  ///< For its connection once SET was answered: it may be another.
};

Task<> take(Worker& worker, Node& node, Exclusive& section, Habit habit) {
  const std::string token{worker.name()};
  const Instant asked = worker.now();
  std::optional<Reply> taken;
  std::uint64_t connection = 0;
  for (int attempt = 0; attempt < 2 && !taken; ++attempt) {
    connection = worker.link(node).connections();
    try {
      taken = co_await worker.call(node, "SET", "lock", token, "NX", "PX", 100);
    } catch (const ConnectionLost&) {
    }
  }
  if (!taken || taken->is_null()) co_return;
  if (habit.looks_late) connection = worker.link(node).connections();
  bool confirmed = true;
  if (habit.wanted > 0) {
    const Reply replicas = co_await worker.call(node, "WAIT", habit.wanted, 20);
    confirmed = !habit.heeds || replicas.integer() >= habit.wanted;
    if (habit.same_connection) confirmed &= worker.link(node).connections() == connection;
  }
  if (!confirmed || worker.now() >= asked + 100ms) co_return;
  Turn turn = section.enter(worker, {.until = asked + 100ms});
  co_await worker.pause(0ms, asked + 100ms - worker.now());
}

Scenario two_clients(Habit habit, int replicas) {
  return [habit, replicas](World& world) {
    Node& node = world.redis("redis");
    for (int i = 0; i < replicas; ++i)
      world.replica_of(node, "replica " + std::string(1, static_cast<char>('1' + i)));
    Exclusive& section = world.exclusive("section");
    for (const char* name : {"alice", "bob"})
      world.spawn(name, [&node, &section, habit](Worker& worker) {
        return take(worker, node, section, habit);
      });
  };
}

Verdict search(Habit habit, int replicas, Faults faults, std::uint64_t schedules = 20'000) {
  return explore({.schedules = schedules, .faults = faults}, two_clients(habit, replicas));
}

Verdict prove(Habit habit, int replicas, Faults faults) {
  return explore(
      {.schedules = 2'000'000, .strategy = Strategy::exhaustive, .faults = faults, .max_delay = {}},
      two_clients(habit, replicas));
}

}  // namespace

TEST_CASE("a failover gives the lock to a second holder") {
  const Verdict verdict = search({}, 1, failovers());
  CHECK(verdict.verdict == Class::documented_limit);
  CHECK(verdict.oracle == Oracle::mutual_exclusion);
  CHECK(verdict.found_at <= 512);
  CHECK(verdict.timeline.find("takes over") != std::string::npos);
  const Verdict again = replay(verdict.replay, two_clients({}, 1), {.faults = failovers()});
  CHECK(again.timeline == verdict.timeline);
}

TEST_CASE("the story shows what a failover has lost") {
  const Verdict verdict = explore({.schedules = 100}, [](World& world) {
    Node& node = world.redis("redis");
    Node& standby = world.replica_of(node, "replica");
    world.spawn("alice", [world, &node, &standby](Worker& worker) mutable -> Task<> {
      co_await worker.call(standby, "PING");  // Who looks at a replica may find it behind.
      co_await worker.call(node, "SET", "lock", "alice", "PX", 100);
      world.promote(standby, 1);
      const Reply value = co_await worker.call(node, "GET", "lock");
      worker.expect(value == "alice", "the lock is there");
    });
  });
  CHECK(verdict.verdict == Class::violation);
  CHECK(verdict.timeline.find("lost: SET lock") != std::string::npos);
  CHECK(verdict.timeline.find("the old one is") != std::string::npos);
}

TEST_CASE("who takes over goes by its own clock, and the old primary by its own") {
  const Verdict verdict = explore({.schedules = 20}, [](World& world) {
    Node& node = world.redis("redis");
    Node& standby = world.replica_of(node, "replica");
    world.spawn("alice", [world, &node, &standby](Worker& worker) mutable -> Task<> {
      co_await worker.call(node, "SET", "old", "alice", "PX", 100);
      node.clock().freeze();
      world.promote(standby);
      co_await worker.call(node, "SET", "new", "alice", "PX", 100);
      co_await worker.sleep(200ms);
      const Reply left = co_await worker.call(node, "EXISTS", "old", "new");
      worker.expect(left.integer() == 0, "on the new primary time goes on");
      const Instant old = standby.clock().now();
      worker.expect(old + 200ms <= node.clock().now(), "the old one's stands still");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("what a failover has lost does not come back in a restart") {
  int lost = 0;
  ExploreOptions options{.schedules = 500, .faults = Faults::none()};
  const Verdict verdict = explore(options, [&lost](World& world) {
    Node& node = world.redis("redis");
    world.sync_every_second(node);
    Node& standby = world.replica_of(node, "replica");
    world.spawn("alice", [world, &node, &standby, &lost](Worker& worker) mutable -> Task<> {
      co_await worker.call(standby, "PING");  // Who looks at a replica may find it behind.
      co_await worker.sleep(999ms);
      co_await worker.call(node, "SET", "lock", "alice", "PX", 10'000);
      co_await worker.sleep(1ms);
      co_await worker.call(node, "GET", "other");  // A new second has begun.
      world.promote(standby, 1);
      const Reply before = co_await worker.call(node, "GET", "lock");
      if (!before.is_null()) co_return;
      ++lost;
      world.restart(node, picklock::Restart::keeps_synced);
      const Reply after = co_await worker.call(node, "GET", "lock");
      worker.expect(after.is_null(), "the lock does not come back");
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(lost > 0);
}

TEST_CASE("a failover to another clock excuses what keys that go by it have lost") {
  for (const Duration step : {-3'600s, 3'600s}) {
    ExploreOptions options{.schedules = 200, .faults = Faults::none()};
    options.max_delay = 0ms;
    const Verdict verdict = explore(options, [step](World& world) {
      Node& node = world.redis("redis");
      Node& standby = world.replica_of(node, "replica");
      Exclusive& section = world.exclusive("section");
      world.spawn("operator", [=, &node, &standby](Worker& worker) mutable -> Task<> {
        (step < Duration{} ? node : standby).clock().step(step);
        co_await worker.sleep(100ms);
        world.promote(standby, 0);
      });
      for (const char* name : {"alice", "bob"})
        world.spawn(name, [&node, &section, name](Worker& worker) -> Task<> {
          co_await worker.sleep(*name == 'a' ? 10ms : 200ms);
          const auto asked = worker.now();
          const Reply got = co_await worker.call(node, "SET", "lock", name, "NX", "PX", "1000");
          if (got.is_null()) co_return;
          auto turn = section.enter(worker, {.until = asked + 1'000ms});
          co_await worker.pause(900ms, 900ms);
          turn.leave();
        });
    });
    INFO(verdict);
    CHECK(verdict.verdict == Class::documented_limit);
  }
}

TEST_CASE("the suite's failover is found by 101 of 101 seeds, within 64 schedules in the median") {
  const Bug* bug = find_bug("I6");
  REQUIRE(bug != nullptr);
  const BugResult result = judge(*bug, {.seeds = 101, .twin_schedules = 10'000});
  CHECK(result.missed == 0);
  CHECK(result.found_for(50) <= 64);
  CHECK(result.found_for(100) <= 10'000);
  CHECK(result.twin_holds());
}

TEST_CASE("WAIT for every replica, heeded on its own connection, survives any one failover") {
  for (const int replicas : {1, 2}) {
    const Verdict verdict = prove({.wanted = replicas}, replicas, failovers());
    INFO(verdict.message << "\n" << verdict.timeline);
    CHECK(verdict.verdict == Class::holds);
    CHECK(verdict.complete);
  }
  const Verdict late = prove({.wanted = 1, .looks_late = true}, 1, failovers());
  CHECK(late.verdict == Class::documented_limit);
}

TEST_CASE("a replica that lags makes WAIT time out, and who heeds it holds nothing") {
  Faults faults = failovers();
  faults.lags = 1;
  const Verdict heeded = prove({.wanted = 1}, 1, faults);
  INFO(heeded.message << "\n" << heeded.timeline);
  CHECK(heeded.verdict == Class::holds);
  CHECK(heeded.complete);
  CHECK(search({.wanted = 1, .heeds = false}, 1, faults).verdict == Class::documented_limit);
}

TEST_CASE("what WAIT does not cover: one of two replicas, another connection, a lost replica") {
  // The one that has not confirmed may be promoted.
  const Verdict one_of_two = search({.wanted = 1}, 2, failovers());
  INFO(one_of_two.message << "\n" << one_of_two.timeline);
  CHECK(one_of_two.verdict == Class::documented_limit);
  // After a reconnection WAIT is asked about nothing, and says that all have it.
  CHECK(search({.wanted = 1, .same_connection = false}, 1, failovers()).verdict ==
        Class::documented_limit);
  Faults two = failovers();
  two.restarts = 1;
  CHECK(search({.wanted = 1}, 1, two).verdict == Class::documented_limit);
}

TEST_CASE("the gallery's failover is a limit, and its twin is proved") {
  const MatrixBounds bounds{.schedules = 2'000, .exhaustive = 3'000'000};
  const Condition& condition = *find_condition("failover");
  const Cell broken = judge(*find_lock("failover"), condition, bounds);
  CHECK(broken.verdict.verdict == Class::documented_limit);
  const Cell sound = judge(*find_lock("failover-wait"), condition, bounds);
  INFO(sound.verdict.message);
  CHECK(sound.verdict.verdict == Class::holds);
  CHECK(sound.verdict.complete);
}

TEST_CASE("who is cut off with the old primary keeps his session until he connects anew") {
  for (const Strategy strategy : {Strategy::random, Strategy::exhaustive}) {
    ExploreOptions options{.schedules = 20'000, .faults = failovers()};
    options.strategy = strategy;
    options.faults.resets = 1;
    options.explain = false;
    std::set<std::pair<bool, bool>> seen;  // Whether it is the same connection, and database.
    const Verdict verdict = explore(options, [&](World& world) {
      Node& node = world.redis("redis");
      world.replica_of(node, "replica");
      world.spawn("alice", [&](Worker& worker) -> Task<> {
        std::uint64_t connection = 0;
        for (int requests = 0; requests < 4; ++requests) {
          try {
            if (requests == 0) {
              connection = worker.link(node).connections();
              co_await worker.call(node, "SELECT", 1);
            }
            const std::uint64_t asked_on = worker.link(node).connections();
            const Reply info = co_await worker.call(node, "CLIENT", "INFO");
            seen.emplace(asked_on == connection,
                         info.text().find(" db=1 ") != std::string_view::npos);
          } catch (const ConnectionLost&) {
            continue;
          }
        }
      });
    });
    INFO(verdict);
    CHECK(verdict.verdict == Class::holds);
    CHECK(seen == std::set<std::pair<bool, bool>>{{false, false}, {true, true}});
  }
}

TEST_CASE("a scenario may say itself when a replica takes over") {
  const Verdict verdict = explore({.schedules = 1}, [](World& world) {
    Node& node = world.redis("redis");
    Node& standby = world.replica_of(node, "replica");
    world.spawn("alice", [world, &node, &standby](Worker& worker) mutable -> Task<> {
      co_await worker.call(node, "SET", "k", "v");
      const Reply before = co_await worker.call(standby, "ROLE");
      worker.expect(before.elements()[0] == "slave", "a replica is one");
      const Reply refused = co_await worker.call(standby, "SET", "k", "w");
      worker.expect(refused.is_error(), "a replica takes no writes");
      world.promote(standby);
      const Reply value = co_await worker.call(node, "GET", "k");
      worker.expect(value == "v", "what had got through is there");
    });
  });
  INFO(verdict.message << "\n" << verdict.timeline);
  CHECK(verdict.verdict == Class::holds);
}

TEST_CASE("replicas that make no sense are refused with a line that says what to do") {
  const auto message = [](const Scenario& scenario) {
    try {
      explore({.schedules = 1}, scenario);
    } catch (const std::invalid_argument& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  CHECK(message([](World& world) { world.replica_of(world.redis("redis"), "redis"); }) ==
        "'redis' is a server already: a replica needs a name of its own");
  CHECK(message([](World& world) {
          Node& node = world.redis("redis");
          world.promote(node);
        }) == "'redis' follows nobody: make it with replica_of(), and promote it once");
  CHECK(message([](World& world) {
          Node& standby = world.replica_of(world.redis("redis"), "replica");
          world.promote(standby);
          world.promote(standby);
        }) == "'replica' follows nobody: make it with replica_of(), and promote it once");
  CHECK(message([](World& world) {
          world.replica_of(world.redis("a"), "replica");
          world.replica_of(world.redis("b"), "replica");
        }) == "'replica' follows another server");
}

TEST_CASE(
    "Redlock over five servers is broken by a pause, a restart without data, a leap in time") {
  for (const char* fault :
       {"OgEBAAAAAwIB6AfvkVsqGgACBIIBhAGCAoQCAAOCA4QDggSEBCkjBgYIigSKA4wEjAMKDAgDqeKDRQGdEIrC",
        "OoABAQAAAAMCAegH75FbKhgIigOKAYwDigSMAdkGDwCCAooCjASMAggLAgSCAYQBhAIACgwD5WVJfQEgq4Kc",
        "NIAEAQAAAAMCAegH75FbKhQAggOCBIQDggGEAQjpCAeKBAoMigKMAoQEjAQIAwADX2q4FgGu0nDg"}) {
    const Outcome outcome = run({"replay", std::string{"pl2.redlock-once-5."} + fault});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find("fencing survives that") != std::string::npos);
  }
}
