// Exhaustive search finds what there is to find, all of it, and says when it has.
#include <set>
#include <vector>

#include "emulator/base/random.hpp"
#include "fuzz/gallery/gallery.hpp"
#include "fuzz/search/state_set.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::Instant;
using picklock::Link;

namespace {

ExploreOptions exhaustive() {
  ExploreOptions options = quiet(1'000'000);
  options.strategy = Strategy::exhaustive;
  return options;
}

/// Two workers append their names twice; what the server holds at the end.
struct Appending {
  std::set<std::string> ends;
  Verdict verdict;
};

Appending append(ExploreOptions options) {
  Appending result;
  result.verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    for (const std::string_view name : {"a", "b"}) {
      world.spawn(name, [&](Worker& worker) -> Task<> {
        for (int i = 0; i < 2; ++i) {
          const auto reply = co_await worker.call(redis, "APPEND", "log", worker.name());
          if (reply.integer() == 4) {
            const auto log = co_await worker.call(redis, "GET", "log");
            result.ends.insert(log.text());
          }
        }
      });
    }
  });
  return result;
}

ExploreOptions of_gallery(const GalleryLock& lock, Faults faults) {
  ExploreOptions options = make_options(lock, {});
  options.strategy = Strategy::exhaustive;
  options.schedules = 1'000'000;
  options.max_delay = 0ms;
  options.faults = faults;
  options.symmetric = options.timeless = true;
  return options;
}

}  // namespace

TEST_CASE("an exhaustive search meets every order of requests, and knows that it has") {
  const Appending all = append(exhaustive());
  CHECK(all.verdict.complete);
  CHECK(all.verdict.states > 10);
  CHECK(all.ends == std::set<std::string>{"aabb", "abab", "abba", "baab", "baba", "bbaa"});
}

TEST_CASE("a bound on schedules is a bound, and the verdict says that there is more") {
  ExploreOptions options = exhaustive();
  options.schedules = 3;
  const Appending some = append(options);
  CHECK(!some.verdict.complete);
  CHECK(some.verdict.schedules == 3);
  CHECK(some.verdict.to_string().find("states, not all") != std::string::npos);
}

TEST_CASE("a sound lock is proved for two workers and one fault of each kind") {
  const GalleryLock& lock = *find_lock("set-nx-px");
  for (const FaultKind& kind : kFaultKinds) {
    Faults faults = Faults::none();
    faults.*kind.budget = 1;
    const Verdict verdict = explore(of_gallery(lock, faults), make_scenario(lock, {}));
    INFO(kind.name << ": " << verdict);
    CHECK(verdict);
    CHECK(verdict.complete);
  }
}

TEST_CASE("an unsound lock is refuted without any luck") {
  for (const char* name : {"del-without-check", "get-then-del"}) {
    const GalleryLock& lock = *find_lock(name);
    Faults faults = Faults::none();
    faults.pauses = 1;
    const Verdict verdict = explore(of_gallery(lock, faults), make_scenario(lock, {}));
    CHECK(verdict.verdict == Class::violation);
    CHECK(verdict.oracle == Oracle::ownership);
  }
}

TEST_CASE("what chance finds beside an exhaustive search is nothing new") {
  // The outcomes of 5,000 random schedules with a pause are among those of the exhaustive search,
  // and all of them are met: reductions have lost nothing.
  const auto outcomes = [](Strategy strategy, std::uint64_t schedules) {
    std::set<std::string> seen;
    ExploreOptions options = quiet(schedules);
    options.strategy = strategy;
    options.faults.lost_replies = 1;
    const Verdict verdict = explore(options, [&](World& world) {
      Node& redis = world.redis("redis");
      for (const std::string_view name : {"a", "b"}) {
        world.spawn(name, [&](Worker& worker) -> Task<> {
          std::string story{worker.name()};
          try {
            const auto taken =
                co_await worker.call(redis, "SET", "lock", worker.name(), "NX", "PX", 100);
            story += taken.is_null() ? " no" : " yes";
            co_await worker.pause(0ms, 200ms);
            const auto owner = co_await worker.call(redis, "GET", "lock");
            story += owner.is_null() ? " gone" : " " + owner.text();
          } catch (const ConnectionLost&) {
            story += " lost";
          }
          seen.insert(story);
        });
      }
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(verdict.complete == (strategy == Strategy::exhaustive));
    return seen;
  };
  const std::set<std::string> every = outcomes(Strategy::exhaustive, 1'000'000);
  CHECK(every == outcomes(Strategy::portfolio, 5'000));
  CHECK(every.count("a lost") == 1);
  CHECK(every.count("b no gone") == 1);
}

TEST_CASE("a step that an oracle sees is tried against every other") {
  // Between entering and leaving nothing is sent: only the order of the workers' own steps decides.
  const Verdict verdict = explore(exhaustive(), [&](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    for (const std::string_view name : {"a", "b"}) {
      world.spawn(name, [&](Worker& worker) -> Task<> {
        co_await worker.call(redis, "PING");
        Turn turn = section.enter(worker);
        co_await worker.sleep(0ms);
        turn.leave();
      });
    }
  });
  CHECK(verdict.oracle == Oracle::mutual_exclusion);
}

TEST_CASE("every strategy finds a lock that is freed between GET and DEL") {
  const GalleryLock& lock = *find_lock("get-then-del");
  for (int i = 0; i < static_cast<int>(Strategy::exhaustive); ++i) {
    ExploreOptions options = make_options(lock, {});
    options.strategy = static_cast<Strategy>(i);
    options.schedules = 200'000;
    const Verdict verdict = explore(options, make_scenario(lock, {}));
    INFO(to_string(options.strategy));
    CHECK(verdict.verdict == Class::violation);
  }
}

TEST_CASE("a program that is not deterministic is named, not searched") {
  int calls = 0;
  const Verdict verdict = explore(quiet(100), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      const int call = ++calls;
      co_await worker.call(redis, "SET", "n", call);
    });
    world.spawn("bob", [&](Worker& worker) -> Task<> { co_await worker.call(redis, "GET", "n"); });
  });
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::nondeterminism);
  CHECK(verdict.message.find("is not deterministic") != std::string::npos);
}

TEST_CASE("a digest that leaves out what the worker goes by is found") {
  const auto searched = [](bool is_honest) {
    return explore(exhaustive(), [is_honest](World& world) {
      Node& redis = world.redis("redis");
      for (const std::string_view name : {"a", "b"}) {
        world.spawn(name, [&redis, is_honest](Worker& worker) -> Task<> {
          const picklock::Reply first =
              co_await worker.call(redis, "SET", "key", worker.name(), "GET");
          worker.digest(is_honest ? (first.is_null() ? 1U : 2U) : 0U);
          co_await worker.call(redis, "SET", "key", "both");
          if (first.is_null()) co_await worker.call(redis, "PING");
        });
      }
    });
  };
  CHECK(searched(true).complete);
  const Verdict verdict = searched(false);
  CHECK(verdict.oracle == Oracle::nondeterminism);
  CHECK(verdict.message.find("some digest leaves out what its worker goes by") !=
        std::string::npos);
  CHECK(verdict.message.find(", first in a)") != std::string::npos);
}

TEST_CASE("when a partition or a restart has ended parts states while messages may be late") {
  for (int Faults::*kind : {&Faults::partitions, &Faults::restarts}) {
    for (const bool prompt : {false, true}) {
      ExploreOptions options = exhaustive();
      options.faults = Faults::none();
      options.faults.*kind = 1;
      options.max_delay = 5ms;
      options.prompt = prompt;
      const Verdict verdict = explore(options, [](World& world) {
        Node& redis = world.redis("redis");
        world.spawn("alice", [&redis](Worker& worker) -> Task<> {
          const std::array<std::string_view, 2> words{"DEL", "lock"};
          worker.link(redis).send(words);
          co_return;
        });
        world.spawn("bob", [&redis](Worker& worker) -> Task<> {
          co_await worker.call(redis, "SET", "lock", "bob", "PX", "20");
          co_await worker.call(redis, "INCR", "n");
        });
      });
      INFO(verdict);
      CHECK(verdict.verdict == Class::holds);
      CHECK(verdict.complete);
    }
  }
}

TEST_CASE("a set of states holds what was put in, and nothing else") {
  picklock::Random random{1};
  StateSet states;
  std::set<std::uint64_t> expected;
  for (int i = 0; i < 100'000; ++i) {
    std::uint64_t state = random.next();
    // Many that fall into few cache lines, and many that come again.
    if (i % 4 == 1) state &= ~std::uint64_t{0xffff};
    if (i % 4 == 2) state %= 5'000;
    if (state == 0) continue;  // Stands for 1.
    states.prefetch(state);
    REQUIRE(states.insert(state) == expected.insert(state).second);
  }
  CHECK(states.size() == expected.size());
  for (const std::uint64_t state : expected) REQUIRE_FALSE(states.insert(state));
  CHECK(states.insert(0) == !expected.contains(1));
}

TEST_CASE("which server may still forget its scripts parts states") {
  ExploreOptions options = exhaustive();
  options.faults = Faults::none();
  options.faults.script_flushes = 2;
  const Verdict verdict = explore(options, [](World& world) {
    std::vector<Node*> nodes{&world.redis("one"), &world.redis("two")};
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [nodes](Worker& worker) -> Task<> {
        for (Node* node : nodes) co_await worker.call(*node, "INCR", "n");
      });
    }
  });
  INFO(verdict);
  CHECK(verdict.complete);
}

TEST_CASE("an instant that has come wakes a worker once") {
  const Verdict verdict = explore(exhaustive(), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      Link& link = worker.link(redis);
      link.wake_at(worker.now());
      co_await worker.event();
      const Instant then = worker.now() + 100ms;
      link.wake_at(then);
      co_await worker.event();
      worker.expect(worker.now() == then, "it wakes when it is time");
    });
  });
  INFO(verdict);
  CHECK(verdict);
}
