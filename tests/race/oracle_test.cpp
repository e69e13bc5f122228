// Every oracle fires when the property it guards is broken on purpose, and only then.
#include <stdexcept>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kKey = "lock";

using picklock::Duration;

/// One worker that takes the lock, enters with a claim, stays, and leaves the key alone.
Task<> hold(Worker& worker, Node& redis, Exclusive& section, Duration ttl, Duration stay) {
  const auto asked = worker.now();
  co_await worker.call(redis, "SET", kKey, worker.name(), "NX", "PX", ttl / 1ms);
  const Claim claim{.node = &redis, .key = kKey, .token = worker.name(), .until = asked + ttl};
  Turn turn = section.enter(worker, claim);
  co_await worker.sleep(stay);
  turn.leave();
}

/// A worker that sends one command when the lock has been held for `delay`.
Task<> disturb(Worker& worker, Node& redis, Duration delay, std::string_view command,
               std::string_view argument) {
  while (true) {
    const auto held = co_await worker.call(redis, "EXISTS", kKey);
    if (held.integer() == 1) break;
    co_await worker.sleep(1ms);
  }
  co_await worker.sleep(delay);
  if (argument.empty()) {
    co_await worker.call(redis, command, kKey);
  } else {
    co_await worker.call(redis, command, kKey, argument);
  }
}

/// A holder for 100 ms, and somebody who sends `command` at 50 ms.
Verdict with_disturbance(std::string_view command, std::string_view argument, bool declared) {
  return explore(quiet(1), [=](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    if (declared) world.lock_key(redis, kKey);
    world.spawn("alice",
                [&](Worker& worker) { return hold(worker, redis, section, 1000ms, 100ms); });
    world.spawn("mallory", [&redis, command, argument](Worker& worker) {
      return disturb(worker, redis, 50ms, command, argument);
    });
  });
}

}  // namespace

TEST_CASE("a lone holder breaks nothing") {
  CHECK(with_disturbance("EXISTS", "", true).verdict == Class::holds);
  CHECK(with_disturbance("GET", "", true).verdict == Class::holds);
}

TEST_CASE("who frees another's lock is named") {
  for (const bool declared : {true, false}) {
    const Verdict verdict = with_disturbance("DEL", "", declared);
    CHECK(verdict.verdict == Class::violation);
    CHECK(verdict.oracle == Oracle::ownership);
    CHECK(verdict.message == "mallory freed lock while it was alice's");
  }
}

TEST_CASE("who overwrites another's lock is named") {
  const Verdict verdict = with_disturbance("SET", "mine", true);
  CHECK(verdict.oracle == Oracle::ownership);
  CHECK(verdict.message == "mallory overwrote lock while it was alice's");
}

TEST_CASE("who prolongs another's lock is named") {
  const Verdict verdict = with_disturbance("PEXPIRE", "5000", true);
  CHECK(verdict.oracle == Oracle::ownership);
  CHECK(verdict.message == "mallory changed the deadline of lock while it was alice's");
}

TEST_CASE("a holder that believes for longer than its key lives is caught when time passes") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
      // Thinks in seconds where the server was told milliseconds.
      const Claim claim{
          .node = &redis, .key = kKey, .token = "alice", .until = worker.now() + 100s};
      Turn turn = section.enter(worker, claim);
      co_await worker.sleep(1s);
      turn.leave();
    });
  });
  CHECK(verdict.verdict == Class::violation);
  CHECK(verdict.oracle == Oracle::belief);
  CHECK(verdict.message == "alice believes to hold lock, but on the server it is gone");
}

TEST_CASE("what expires is seen of a server where others wait, and of one that is followed") {
  for (const bool is_followed : {false, true}) {
    const Verdict verdict = explore(quiet(50), [is_followed](World& world) {
      Node& redis = world.redis("redis");
      if (is_followed) world.replica_of(redis, "replica");
      Exclusive& section = world.exclusive("section");
      world.spawn("alice", [&](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
        const Claim claim{.node = &redis, .key = kKey, .token = "alice", .until = std::nullopt};
        Turn turn = section.enter(worker, claim);
        co_await worker.sleep(1s);
        turn.leave();
      });
      if (!is_followed)
        world.spawn("bob", [&](Worker& worker) -> Task<> {
          co_await worker.call(redis, "BLPOP", "queue", "10");
        });
    });
    CHECK(verdict.oracle == Oracle::belief);
    CHECK(verdict.message == "alice believes to hold lock, but on the server it is gone");
  }
}

TEST_CASE("a holder that leaves at its deadline is not accused, one that stays 1 ms longer is") {
  for (const auto& [stay, expected] :
       {std::pair{100ms, Class::holds}, std::pair{101ms, Class::violation}}) {
    const Verdict verdict = explore(quiet(1), [length = stay](World& world) {
      Node& redis = world.redis("redis");
      Exclusive& section = world.exclusive("section");
      world.spawn("alice", [&redis, &section, length](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", kKey, "alice", "PX", 100);
        const Claim claim{.node = &redis, .key = kKey, .token = "alice", .until = std::nullopt};
        Turn turn = section.enter(worker, claim);
        co_await worker.sleep(length);
        turn.leave();
      });
    });
    CHECK(verdict.verdict == expected);
  }
}

TEST_CASE("entering with a token that the server does not know is caught at once") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", kKey, "bob", "PX", 100);
      const Claim claim{
          .node = &redis, .key = kKey, .token = "alice", .until = worker.now() + 100ms};
      Turn turn = section.enter(worker, claim);
      turn.leave();
    });
  });
  CHECK(verdict.oracle == Oracle::belief);
  CHECK(verdict.message == "alice believes to hold lock, but on the server it is another's");
}

TEST_CASE("a lock key without ttl is reported once its writer is done, and not before") {
  for (const bool freed : {true, false}) {
    const Verdict verdict = explore(quiet(1), [freed](World& world) {
      Node& redis = world.redis("redis");
      world.lock_key(redis, kKey);
      world.spawn("alice", [&redis, freed](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", kKey, "alice");
        co_await worker.sleep(5s);
        if (freed) co_await worker.call(redis, "DEL", kKey);
      });
    });
    CHECK(verdict.verdict == (freed ? Class::holds : Class::violation));
    if (!freed) {
      CHECK(verdict.oracle == Oracle::no_ttl);
      CHECK(verdict.message ==
            "lock has no TTL and alice, who wrote it, is gone: nobody can ever acquire it");
    }
  }
}

TEST_CASE(
    "an overlap is a documented limit only if a pause carried the holder over its own deadline") {
  const auto late_by = [](bool by_pause) {
    ExploreOptions options = quiet(5'000);
    options.faults.pauses = by_pause ? 1 : 0;
    return explore(options, [by_pause](World& world) {
      Node& redis = world.redis("redis");
      Exclusive& section = world.exclusive("section");
      for (const std::string_view name : {"alice", "bob"})
        world.spawn(name, [&redis, &section, by_pause](Worker& worker) -> Task<> {
          auto asked = worker.now();
          const auto reply =
              co_await worker.call(redis, "SET", kKey, worker.name(), "NX", "PX", 100);
          if (reply.is_null()) {
            co_await worker.sleep(101ms);
            asked = worker.now();
            co_await worker.call(redis, "SET", kKey, worker.name(), "NX", "PX", 100);
          }
          const auto until = asked + 100ms;
          if (worker.now() >= until) co_return;
          const Claim claim{.node = &redis, .key = kKey, .token = worker.name(), .until = until};
          Turn turn = section.enter(worker, claim);
          // Without a pause the holder is at fault: it stays for longer than it may.
          co_await worker.sleep(by_pause ? until - worker.now() : until + 50ms - worker.now());
          turn.leave();
        });
    });
  };
  const Verdict paused = late_by(true);
  INFO(paused);
  CHECK(paused.verdict == Class::documented_limit);
  CHECK(paused.oracle == Oracle::mutual_exclusion);
  const Verdict careless = late_by(false);
  INFO(careless);
  CHECK(careless.verdict == Class::violation);
  CHECK(careless.oracle == Oracle::mutual_exclusion);
}

TEST_CASE("strict lets a documented limit fail") {
  Verdict verdict;
  verdict.verdict = Class::documented_limit;
  CHECK(static_cast<bool>(verdict));
  verdict.strict = true;
  CHECK_FALSE(static_cast<bool>(verdict));
}

TEST_CASE("a worker that throws makes the program unusable") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    world.spawn("alice", [](Worker& worker) -> Task<> {
      co_await worker.sleep(1ms);
      throw std::runtime_error{"out of cheese"};
    });
  });
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::threw);
  CHECK(verdict.message == "alice: out of cheese");
}

TEST_CASE("a script of the wrong reply type makes the program unusable") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const auto reply = co_await worker.call(redis, "EVAL", "return 'yes'", 0);
      if (reply.integer() == 1) co_return;
    });
  });
  CHECK(verdict.verdict == Class::unusable);
}

TEST_CASE("a worker that waits for what cannot come is stuck") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    world.redis("redis");
    world.spawn("alice", [](Worker& worker) -> Task<> { co_await worker.event(); });
  });
  CHECK(verdict.verdict == Class::violation);
  CHECK(verdict.oracle == Oracle::stuck);
  CHECK(verdict.message == "alice waits for something that cannot come");
}

TEST_CASE("a worker that never comes to an end makes the run endless") {
  ExploreOptions options = quiet(1);
  const Verdict verdict = explore(options, [](World& world) {
    world.spawn("alice", [](Worker& worker) -> Task<> {
      while (true) co_await worker.sleep(1ms);
    });
  });
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::endless);
}

TEST_CASE("a timer that acts for its process may prolong what the process holds, no other may") {
  for (const bool declared : {true, false}) {
    const Verdict verdict = explore(quiet(50), [=](World& world) {
      Node& redis = world.redis("redis");
      world.lock_key(redis, kKey);
      world.spawn("alice", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", kKey, "alice", "NX", "PX", 1000);
      });
      world.spawn("timer", [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "PEXPIRE", kKey, 2000);
      });
      if (declared) world.acts_for("timer", "alice");
    });
    CHECK(static_cast<bool>(verdict) == declared);
    CHECK(verdict.oracle == (declared ? Oracle::none : Oracle::ownership));
  }
}

TEST_CASE("who enters what it is inside of is one, and keeps others out until the last leave") {
  for (const bool writes : {false, true}) {
    for (const bool alone : {false, true}) {
      const Verdict verdict = explore(quiet(), [=](World& world) {
        Node& redis = world.redis("redis");
        Exclusive& section = world.exclusive("section");
        const ReadWrite page = world.read_write("page");
        world.spawn("alice", [=, &section, &redis](Worker& worker) -> Task<> {
          Turn outer = writes ? page.write(worker) : section.enter(worker, Claim{});
          Turn inner = writes ? page.read(worker) : section.enter(worker, Claim{});
          co_await worker.call(redis, "PING");
          inner.leave();
          co_await worker.call(redis, "PING");
          outer.leave();
        });
        if (alone) return;
        world.spawn("bob", [=, &section, &redis](Worker& worker) -> Task<> {
          co_await worker.call(redis, "PING");
          Turn turn = writes ? page.read(worker) : section.enter(worker, Claim{});
        });
      });
      INFO(verdict);
      CHECK((verdict.verdict == Class::violation) != alone);
    }
  }
}
