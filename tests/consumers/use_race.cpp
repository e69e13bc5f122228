// A lock that two can hold at once, found.
#include <picklock/race.hpp>
using namespace std::chrono_literals;
namespace race = picklock::race;

int main() {
  const auto verdict = race::explore({.schedules = 1'000, .seed = 1}, [](race::World& world) {
    auto& redis = world.redis("redis");
    auto& ledger = world.exclusive("ledger");
    for (std::string name : {"alice", "bob"})
      world.spawn(name, [&, name](race::Worker& worker) -> race::Task<> {
        const auto held = co_await worker.call(redis, "SET", "lock", name, "NX", "PX", 500);
        if (held.is_null()) co_return;
        auto turn = ledger.enter(name);
        co_await worker.pause(0ms, 1s);
        turn.leave();
      });
  });
  return verdict ? 1 : 0;
}
