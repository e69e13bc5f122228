// The example that the documentation shows, with plain commands.
#include <cstdlib>
#include <string>

#include <picklock/race.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
namespace race = picklock::race;

TEST_CASE("two workers never both hold the ledger") {
  const auto verdict = race::explore({.schedules = 5'000, .seed = 1}, [](race::World& world) {
    auto& redis = world.redis("redis");
    auto& ledger = world.exclusive("ledger");
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
  CHECK(verdict);
  CHECK(verdict.schedules == 5'000);
}

TEST_CASE("two workers without a lock are both inside at once") {
  const auto verdict = race::explore({.schedules = 1'000}, [](race::World& world) {
    auto& ledger = world.exclusive("ledger");
    for (std::string name : {"alice", "bob"})
      world.spawn(name, [&, name](race::Worker& worker) -> race::Task<> {
        auto turn = ledger.enter(name);
        co_await worker.sleep(1ms);
        turn.leave();
      });
  });
  CHECK_FALSE(verdict);
  CHECK(verdict.oracle == race::Oracle::mutual_exclusion);
  CHECK((verdict.message == "bob entered ledger while alice was inside" ||
         verdict.message == "alice entered ledger while bob was inside"));
  CHECK(verdict.replay_line == "replay: PICKLOCK_REPLAY=" + verdict.replay);
}

namespace {

/// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

/// Two workers and no lock at all.
race::Verdict search(const race::ExploreOptions& options) {
  return race::explore(options, [](race::World& world) {
    auto& ledger = world.exclusive("ledger");
    for (const char* name : {"alice", "bob"})
      world.spawn(name, [&ledger](race::Worker& worker) -> race::Task<> {
        auto turn = ledger.enter(worker);
        co_await worker.pause(1ms, 2ms);
        turn.leave();
      });
  });
}

}  // namespace

TEST_CASE("PICKLOCK_SEED and PICKLOCK_SCHEDULES override the options") {
  const Environment seed{"PICKLOCK_SEED", "77"};
  const Environment schedules{"PICKLOCK_SCHEDULES", "1"};
  const auto verdict = search({.schedules = 1'000, .seed = 1});
  CHECK(verdict.seed == 77);
  CHECK(verdict.schedules == 1);
}

TEST_CASE("PICKLOCK_REPLAY replays in the exploration whose scenario it names, and nowhere else") {
  const auto found = search({.scenario = "no-lock"});
  REQUIRE_FALSE(found);
  const Environment replay{"PICKLOCK_REPLAY", found.replay};
  const auto again = search({.scenario = "no-lock"});
  CHECK(again.timeline == found.timeline);
  CHECK(again.schedules == 0);
  CHECK(search({.scenario = "another"}).schedules > 0);
}

TEST_CASE("an environment that makes no sense is refused with what to do") {
  {
    const Environment seed{"PICKLOCK_SEED", "soon"};
    CHECK_THROWS_WITH(search({}), "PICKLOCK_SEED must be a number from 0 on, not 'soon'");
  }
  const Environment replay{"PICKLOCK_REPLAY", "pl2.test.AAA"};
  const auto verdict = search({});
  CHECK(verdict.verdict == race::Class::unusable);
  CHECK(verdict.message ==
        "PICKLOCK_REPLAY: this replay string was cut short: copy it again, to its last letter");
}
