// The README's example of a race test, letter for letter.
#include "tests/support/catch.hpp"

#include <picklock/race.hpp>
using namespace std::chrono_literals;
namespace race = picklock::race;

TEST_CASE("two workers never both hold the ledger") {
  auto verdict = race::explore({.schedules = 10'000, .seed = 1}, [](race::World& world) {
    auto& redis = world.redis("redis");
    auto& ledger = world.exclusive("ledger");  // oracle: at most one inside at any instant
    for (std::string name : {"alice", "bob"})
      world.spawn(name, [&, name](race::Worker& worker) -> race::Task<> {
        const auto asked = worker.now();
        const auto held = co_await worker.call(redis, "SET", "lock:ledger", name, "NX", "PX", 500);
        const auto left = asked + 500ms - worker.now();
        if (held.is_null() || left <= 0ms) co_return;
        auto turn = ledger.enter(name);
        co_await worker.pause(0ms, left);
        turn.leave();
      });
  });
  CHECK(verdict);  // a failure prints the shrunk timeline and the line that replays it
}
