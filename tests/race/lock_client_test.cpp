#include <picklock/lock.hpp>

#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

/// Two workers take turns at a ledger, under the lock that `make` returns for a link.
template <class Make>
Scenario take_turns(Make make) {
  return [make](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& ledger = world.exclusive("ledger");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [&redis, &ledger, make](Worker& worker) -> Task<> {
        auto lock = make(worker.link(redis));
        auto acquiring = lock.acquire_within(3s);
        auto held = co_await acquiring;
        if (!held) co_return;
        Turn turn = ledger.enter(worker, {.node = &redis,
                                          .key = "ledger",
                                          .token = held->owner(),
                                          .until = held->valid_until()});
        co_await worker.pause(0ms, held->valid_for());
        turn.leave();
        auto releasing = held->release();
        co_await releasing;
      });
    }
  };
}

ExploreOptions searched(std::uint64_t schedules) {
  ExploreOptions options;
  options.schedules = schedules;
  options.seed = 7;
  return options;
}

}  // namespace

TEST_CASE("no schedule breaks the lock client's own lock, but a pause beyond its ttl") {
  const Verdict verdict = explore(searched(3000), take_turns([](picklock::Link& link) {
                                    return picklock::Lock{link, "ledger", {.ttl = 500ms}};
                                  }));
  INFO(verdict);
  CHECK(verdict);
  CHECK(verdict.limits > 0);
}

TEST_CASE("without pauses no schedule breaks it at all") {
  ExploreOptions options = searched(3000);
  options.faults.pauses = 0;
  options.strict = true;
  const Verdict verdict = explore(options, take_turns([](picklock::Link& link) {
                                    return picklock::Lock{link, "ledger", {.ttl = 500ms}};
                                  }));
  INFO(verdict);
  CHECK(verdict);
  CHECK(verdict.verdict == Class::holds);
}

TEST_CASE("a waiter that hears of the release by pub/sub is woken in every schedule") {
  ExploreOptions options = searched(3000);
  options.faults = {.pauses = 0, .crashes = 0};
  const Verdict verdict = explore(options, [](World& world) {
    Node& redis = world.redis("redis");
    for (const char* name : {"alice", "bob", "carol"}) {
      world.spawn(name, [&redis](Worker& worker) -> Task<> {
        const auto asked = worker.now();
        picklock::FairLock lock{worker.link(redis), "ledger", {.ttl = 500ms}};
        auto acquiring = lock.acquire();
        auto held = co_await acquiring;
        if (!held) throw std::runtime_error{held.error().to_string()};
        auto releasing = held->release();
        co_await releasing;
        // Nobody pauses and nothing is late by more than 5 ms, so nobody waits for a ttl.
        if (worker.now() - asked > 400ms) throw std::runtime_error{"slept on"};
      });
    }
  });
  INFO(verdict);
  CHECK(verdict);
}
