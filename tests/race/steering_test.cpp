// What a scenario itself does to its servers: restarts and clocks that it sets wrong.
#include <set>

#include <picklock/race.hpp>

#include "tests/race/run_words.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

/// Runs `body` as the one worker, without faults; an expectation that fails is a violation.
template <class Body>
Verdict run(const Body& body) {
  return explore({.schedules = 1'000,
                  .strategy = Strategy::exhaustive,
                  .faults = Faults::none(),
                  .max_delay = {}},
                 [&body](World& world) {
                   Node& node = world.redis("redis");
                   world.sync_every_second(node);
                   world.spawn("alice", [&body, world, &node](Worker& worker) mutable {
                     return body(worker, world, node);
                   });
                 });
}

Task<> set_and_restart(Worker& worker, World& world, Node& node, Restart kept, bool there) {
  co_await worker.call(node, "SET", "old", "1");
  co_await worker.sleep(1'500ms);
  co_await worker.call(node, "SET", "lock", "alice");
  world.restart(node, kept, 10ms);
  const Instant before = worker.now();
  const Reply value = co_await worker.call(node, "GET", "lock");
  worker.expect(worker.now() >= before + 10ms, "a server that is down does not answer");
  worker.expect(value.is_null() != there, "the restart keeps what it should");
  const Reply old = co_await worker.call(node, "EXISTS", "old");
  worker.expect(old.integer() == (kept == Restart::loses_all ? 0 : 1), "as the second began");
}

}  // namespace

TEST_CASE("a scenario restarts a server, which keeps what it says") {
  for (const Restart kept : {Restart::keeps_all, Restart::keeps_synced, Restart::loses_all}) {
    const bool there = kept == Restart::keeps_all;
    const Verdict verdict = run([&](Worker& worker, World& world, Node& node) {
      return set_and_restart(worker, world, node, kept, there);
    });
    INFO(verdict.message << "\n" << verdict.timeline);
    CHECK(verdict.verdict == Class::holds);
    CHECK(verdict.complete);
    const Verdict other = run([&](Worker& worker, World& world, Node& node) {
      return set_and_restart(worker, world, node, kept, !there);
    });
    CHECK(other.verdict == Class::violation);
    CHECK(other.timeline.find("restarts with") != std::string::npos);
  }
}

TEST_CASE("a server that has restarted says so, each time anew") {
  for (const Restart kept : {Restart::keeps_all, Restart::keeps_synced, Restart::loses_all}) {
    const Verdict verdict = run([kept](Worker& worker, World& world, Node& node) -> Task<> {
      std::set<std::string> ids;
      for (int restarts = 0; restarts < 3; ++restarts) {
        if (restarts > 0) world.restart(node, kept);
        const Reply info = co_await worker.call(node, "INFO", "replication");
        ids.insert(std::string{info.text().substr(info.text().find("master_replid:"), 54)});
      }
      worker.expect(ids.size() == 3, "its history has another id after each");
    });
    INFO(verdict);
    CHECK(verdict);
  }
}

TEST_CASE("the fenced lock's tokens grow over restarts that lose the last second") {
  const Outcome outcome = race::run({"run", "client-fenced", "--faults", "restart,delay",
                                     "--workers", "3", "--rounds", "2", "--schedules", "500"});
  INFO(outcome.out);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("a server's clock is set wrong, and its keys live by it") {
  const Verdict verdict = run([](Worker& worker, World&, Node& node) -> Task<> {
    const Instant start = worker.now();
    node.clock().drift(500'000);
    co_await worker.call(node, "SET", "lock", "alice", "PX", 1500);
    co_await worker.sleep(1s - (worker.now() - start));
    const Reply last = co_await worker.call(node, "PTTL", "lock");
    worker.expect(last.integer() == 0, "1 s of the world's is 1.5 s there");
    co_await worker.sleep(1ms);
    const Reply gone = co_await worker.call(node, "EXISTS", "lock");
    worker.expect(gone.integer() == 0, "it has expired");

    node.clock().drift(0);
    co_await worker.call(node, "SET", "lock", "alice", "PX", 1000);
    node.clock().freeze();
    co_await worker.sleep(1h);
    const Reply still = co_await worker.call(node, "PTTL", "lock");
    worker.expect(still.integer() == 1000, "nothing expires while a clock stands still");
    node.clock().thaw();
    co_await worker.sleep(400ms);
    const Reply less = co_await worker.call(node, "PTTL", "lock");
    worker.expect(less.integer() == 600, "it goes on from there");
    node.clock().step(601ms);
    const Reply over = co_await worker.call(node, "EXISTS", "lock");
    worker.expect(over.integer() == 0, "a jump forward ends it");
    node.clock().step(-1h);
    co_await worker.call(node, "SET", "lock", "alice", "PX", 1000);
    node.clock().step(1h);
    const Reply jumped = co_await worker.call(node, "EXISTS", "lock");
    worker.expect(jumped.integer() == 0, "as any other");
  });
  INFO(verdict.message << "\n" << verdict.timeline);
  CHECK(verdict.verdict == Class::holds);
  CHECK(verdict.complete);
}

TEST_CASE("a clock that a scenario has set is right again in the next schedule") {
  const auto furnish = [](World& world) {
    Node& node = world.redis("redis");
    node.clock().step(1h);
    world.spawn("alice", [world, &node](Worker& worker) -> Task<> {
      worker.expect(node.clock().now() == world.now() + 1h, "an hour ahead, and no more");
      const Reply time = co_await worker.call(node, "TIME");
      worker.expect(time.elements()[0] == "1577840400", "the server's own time");
    });
  };
  const Verdict verdict = explore({.schedules = 20, .faults = Faults::none()}, furnish);
  INFO(verdict.message << "\n" << verdict.timeline);
  CHECK(verdict.verdict == Class::holds);
}

TEST_CASE("an exhaustive search sees what a scenario's own restart does to others") {
  // Bob's answer is lost if, and only if, the restart comes between it and its arrival.
  const auto furnish = [](World& world) {
    Node& node = world.redis("redis");
    world.spawn("bob", [&node](Worker& worker) -> Task<> {
      bool lost = false;
      try {
        co_await worker.call(node, "SET", "a", "1");
      } catch (const ConnectionLost&) {
        lost = true;
      }
      worker.expect(!lost || !node.emulator().inspect().exists("a"), "bob hears of what he did");
    });
    world.spawn("alice", [world, &node](Worker& worker) mutable -> Task<> {
      co_await worker.call(node, "PING");
      world.restart(node);
    });
  };
  const Verdict verdict = explore({.schedules = 10'000,
                                   .strategy = Strategy::exhaustive,
                                   .faults = Faults::none(),
                                   .max_delay = {}},
                                  furnish);
  CHECK(verdict.verdict == Class::violation);
}

TEST_CASE("what cannot be is refused, and says why") {
  const Verdict verdict = run([](Worker& worker, World& world, Node& node) -> Task<> {
    int refused = 0;
    const auto refuses = [&](auto&& call) {
      try {
        call();
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    };
    refuses([&] { node.clock().step(std::chrono::milliseconds{1'000'000'000'000'000}); });
    refuses([&] { node.clock().step(std::chrono::milliseconds{-1'000'000'000'000'000}); });
    refuses([&] { node.clock().step(Duration::max()); });
    refuses([&] { node.clock().drift(1'000'001); });
    refuses([&] { node.clock().drift(-900'001); });
    refuses([&] { world.restart(node, Restart::keeps_all, -1ms); });
    refuses([&] { world.promote(node); });
    worker.expect(refused == 7, "all of them");
    const Reply pong = co_await worker.call(node, "PING");
    worker.expect(!pong.is_error(), "nothing has happened");
  });
  INFO(verdict.message << "\n" << verdict.timeline);
  CHECK(verdict.verdict == Class::holds);
  const Verdict unprepared = explore({.schedules = 1}, [](World& world) {
    Node& node = world.redis("redis");
    world.spawn("alice", [world, &node](Worker& worker) mutable -> Task<> {
      co_await worker.sleep(1ms);
      world.restart(node, Restart::keeps_synced);
    });
  });
  CHECK(unprepared.verdict == Class::unusable);
  CHECK(unprepared.message.find("sync_every_second()") != std::string::npos);
}
