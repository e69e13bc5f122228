// The lock of the two examples beside this file, as a program might have it: a ledger that is
// written under a lock in Redis. `checks_owner` false is the bug that people ship: a release that
// deletes the key whoever has it.
#pragma once

#include <string>

#include <picklock/race.hpp>

namespace ledger {

namespace race = picklock::race;
using namespace std::chrono_literals;

inline race::Task<> write_once(race::Worker& worker, race::Node& redis, race::Exclusive& ledger,
                               bool checks_owner) {
  const std::string me{worker.name()};
  const auto asked = worker.now();
  const picklock::Reply held =
      co_await worker.call(redis, "SET", "lock:ledger", me, "NX", "PX", 500);
  const auto left = asked + 500ms - worker.now();
  if (held.is_null() || left <= 0ms) co_return;
  auto turn = ledger.enter(worker, {.until = asked + 500ms});
  co_await worker.pause(0ms, left);
  turn.leave();
  const char* const release =
      checks_owner ? "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
                   : "return redis.call('DEL', KEYS[1])";
  co_await worker.call(redis, "EVAL", release, 1, "lock:ledger", me);
}

/// Two writers, of which each wants the lock once.
inline race::Scenario writers(bool checks_owner) {
  return [checks_owner](race::World& world) {
    race::Node& redis = world.redis("redis");
    race::Exclusive& ledger = world.exclusive("ledger");
    world.lock_key(redis, "lock:ledger");
    for (const char* name : {"alice", "bob"})
      world.spawn(name, [&redis, &ledger, checks_owner](race::Worker& worker) {
        return write_once(worker, redis, ledger, checks_owner);
      });
  };
}

}  // namespace ledger
