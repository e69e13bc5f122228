// Workers that are values: the same world as with coroutines, but an exhaustive search copies it.
#include "fuzz/search/exhaustive.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kRelease =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/// How the lock is used, by coroutines and by values alike.
struct Setting {
  int workers = 2;
  int rounds = 1;
  bool checks_owner = true;
  bool keeps_waits = false;
  mutable std::uint64_t resumed = 0;  ///< How often a value went on, over all runs.
  Node* redis = nullptr;
  Exclusive* section = nullptr;
  std::optional<LockKey> key{};
};

std::string token_of(const Worker& worker, int round) {
  return std::string{worker.name()} + std::to_string(round);
}

Task<> take_turns(Worker& worker, const Setting& setting) {
  for (int round = 0; round < setting.rounds; ++round) {
    worker.digest(static_cast<std::uint64_t>(round));
    const std::string token = token_of(worker, round);
    std::optional<Wait> wait;
    if (setting.keeps_waits) wait.emplace(setting.key->wait(worker));
    const Instant asked = worker.now();
    const Reply reply = co_await worker.call(*setting.redis, "SET", "lock", token, "NX", "PX", 100);
    if (reply.is_null() || reply.is_error()) continue;
    if (wait) wait->taken();
    const Instant until = asked + 99ms;
    if (worker.now() < until) {
      Turn turn = setting.section->enter(
          worker, {.node = setting.redis, .key = "lock", .token = token, .until = until});
      co_await worker.pause(0ms, until - worker.now());
      turn.leave();
    }
    if (setting.checks_owner) {
      co_await worker.call(*setting.redis, "EVAL", kRelease, 1, "lock", token);
    } else {
      co_await worker.call(*setting.redis, "DEL", "lock");
    }
  }
  worker.digest(0);
}

struct Machine {
  enum class Step : std::uint8_t { ask, decide, inside, released };
  const Setting* setting;
  Step step = Step::ask;
  int round = 0;
  Instant asked{};
  std::optional<Call> call{};
  KeptTurn turn{};
  KeptWait wait{};

  Next operator()(Worker& worker) {
    ++setting->resumed;
    switch (step) {
      case Step::ask:
        return ask(worker);
      case Step::decide:
        return decide(worker);
      case Step::inside:
        turn.leave();
        return release(worker);
      case Step::released:
        call->reply();
        ++round;
        return ask(worker);
    }
    return Next::end();
  }
  Next ask(Worker& worker) {
    worker.digest(static_cast<std::uint64_t>(round % setting->rounds));
    if (round == setting->rounds) return Next::end();
    if (setting->keeps_waits) wait = setting->key->wait(worker).keep();
    asked = worker.now();
    return send(Step::decide, worker.call(*setting->redis, "SET", "lock", token_of(worker, round),
                                          "NX", "PX", 100));
  }
  Next decide(Worker& worker) {
    if (const Reply reply = call->reply(); reply.is_null() || reply.is_error()) {
      wait.give_up();
      ++round;
      return ask(worker);
    }
    wait.taken();
    const Instant until = asked + 99ms;
    if (worker.now() >= until) return release(worker);
    const std::string token = token_of(worker, round);
    turn =
        setting->section
            ->enter(worker, {.node = setting->redis, .key = "lock", .token = token, .until = until})
            .keep();
    step = Step::inside;
    return worker.pause(0ms, until - worker.now());
  }
  Next release(Worker& worker) {
    if (!setting->checks_owner)
      return send(Step::released, worker.call(*setting->redis, "DEL", "lock"));
    return send(Step::released,
                worker.call(*setting->redis, "EVAL", kRelease, 1, "lock", token_of(worker, round)));
  }
  Next send(Step then, const Call& sent) {
    step = then;
    call = sent;
    return sent;
  }
};

Scenario scenario(Setting& setting, bool values) {
  return [&setting, values](World& world) {
    setting.redis = &world.redis("redis");
    setting.section = &world.exclusive("section");
    setting.key = world.lock_key(*setting.redis, "lock");
    for (int i = 0; i < setting.workers; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      if (values) {
        world.spawn_value(name, Machine{.setting = &setting});
      } else {
        world.spawn(name, [&setting](Worker& worker) { return take_turns(worker, setting); });
      }
    }
  };
}

ExploreOptions exhaustive(Faults faults = Faults::none()) {
  ExploreOptions options = quiet(2'000'000);
  options.strategy = Strategy::exhaustive;
  options.faults = faults;
  options.timeless = true;
  return options;
}

/// What must be the same of two searches, in one line.
std::string summary(const Verdict& verdict) {
  return std::string{to_string(verdict.verdict)} + " " + std::to_string(verdict.states) +
         " states, " + std::to_string(verdict.schedules) + " schedules, " +
         std::to_string(verdict.limits) + " limits, " + std::to_string(verdict.coverage) +
         " edges" + (verdict.complete ? ", complete " : " ") + verdict.message + verdict.replay;
}

}  // namespace

TEST_CASE("a search over values is the search over coroutines, under every kind of fault") {
  for (const FaultKind& kind : kFaultKinds) {
    Faults faults = Faults::none();
    faults.*kind.budget = 1;
    INFO(kind.name);
    Setting setting;
    const Verdict values = explore(exhaustive(faults), scenario(setting, true));
    CHECK(summary(values) == summary(explore(exhaustive(faults), scenario(setting, false))));
    CHECK(values.complete);
    CHECK(values.states > 10);
  }
}

TEST_CASE("three values in two rounds: all states, forked and replayed") {
  Setting setting{.workers = 3, .rounds = 2};
  ExploreOptions options = exhaustive();
  options.time_steps = 4;
  const Verdict values = explore(options, scenario(setting, true));
  INFO(values);
  CHECK(summary(values) == summary(explore(options, scenario(setting, false))));
  CHECK(values.complete);
  CHECK(values.states > 5'000);
}

TEST_CASE("a search over values goes hardly any way twice") {
  Setting setting{.workers = 3, .rounds = 2};
  ExploreOptions options = exhaustive();
  options.time_steps = 4;
  const Verdict verdict = explore(options, scenario(setting, true));
  // From one state to the next a value goes on once at the most, but for what audits repeat.
  CHECK(setting.resumed < 2 * verdict.states);
}

TEST_CASE("a search over values finds the bug that it finds over coroutines") {
  Setting setting{.checks_owner = false};
  ExploreOptions options = exhaustive();
  options.max_delay = 200ms;
  const Verdict values = explore(options, scenario(setting, true));
  CHECK(values.verdict == Class::violation);
  CHECK(summary(values) == summary(explore(options, scenario(setting, false))));
  options.strategy = Strategy::portfolio;
  CHECK(summary(explore(options, scenario(setting, true))) ==
        summary(explore(options, scenario(setting, false))));
}

TEST_CASE("stays and waits that a value keeps end with it") {
  Faults faults = Faults::none();
  faults.crashes = 1;
  Setting setting{.workers = 2, .keeps_waits = true};
  const auto bounded = [&](bool values) {
    return [&setting, values](World& world) {
      scenario(setting, values)(world);
      setting.key->taken_within(150ms).overtaken_at_most(1);
    };
  };
  const Verdict values = explore(exhaustive(faults), bounded(true));
  CHECK(values.verdict == Class::holds);
  CHECK(summary(values) == summary(explore(exhaustive(faults), bounded(false))));
}

TEST_CASE("a value whose connection is lost may give up") {
  Faults faults = Faults::none();
  faults.resets = 1;
  Setting setting;
  CHECK(explore(exhaustive(faults), scenario(setting, true)).verdict == Class::holds);
}

TEST_CASE("a run from a checkpoint is the run that was copied") {
  Setting setting{.workers = 2, .rounds = 2};
  const auto runs = [&](bool forks) {
    Simulation simulation{Rules{.timeless = true}};
    ExhaustiveChooser chooser{simulation};
    if (!forks) chooser.never_fork();
    std::vector<std::uint64_t> hashes;
    do {
      hashes.push_back(chooser.run(scenario(setting, true)).state_hash);
      CHECK_FALSE(chooser.has_diverged());
    } while (chooser.next());
    return hashes;
  };
  const std::vector<std::uint64_t> forked = runs(true);
  CHECK(forked.size() > 100);
  CHECK(forked == runs(false));
}

namespace {

/// Remembers something outside of itself, which no copy of it takes along.
struct Leaky {
  Node* redis;
  int* total;
  int round = 0;
  std::optional<Call> call{};

  Next operator()(Worker& worker) {
    if (call) call->reply();
    if (round++ == 2) return Next::end();
    call = worker.call(*redis, "INCRBY", "key", ++*total);
    return *call;
  }
};

struct Digested {
  Node* redis;
  int left = 3;
  std::optional<Call> call{};
  std::uint64_t digest(Instant) const { return static_cast<std::uint64_t>(left); }

  Next operator()(Worker& worker) {
    if (call) call->reply();
    if (left-- == 0) return Next::end();
    call = worker.call(*redis, "SET", "key", worker.name(), "GET");
    return *call;
  }
};

}  // namespace

TEST_CASE("a value that remembers outside of itself is no deterministic program") {
  int total = 0;
  const Verdict verdict = explore(exhaustive(), [&](World& world) {
    total = 0;
    Node& redis = world.redis("redis");
    for (const std::string_view name : {"a", "b"}) world.spawn_value(name, Leaky{&redis, &total});
  });
  CHECK(verdict.oracle == Oracle::nondeterminism);
  CHECK(verdict.message.find("not deterministic") != std::string::npos);
}

TEST_CASE("a value's own digest stands for its history") {
  const auto states = [](auto machine) {
    const Verdict verdict = explore(exhaustive(), [&](World& world) {
      Node& redis = world.redis("redis");
      machine.redis = &redis;
      for (const std::string_view name : {"a", "b"}) world.spawn_value(name, machine);
    });
    CHECK(verdict.complete);
    return verdict.states;
  };
  struct Undigested {
    Node* redis;
    Digested machine{};
    Next operator()(Worker& worker) {
      machine.redis = redis;
      return machine(worker);
    }
  };
  CHECK(states(Digested{nullptr}) < states(Undigested{nullptr}));
}

TEST_CASE("a stay that ends with its worker may end before another begins, or after it") {
  struct Holder {
    Node* redis;
    Exclusive* section;
    int step = 0;
    std::optional<Call> call{};
    Next operator()(Worker& worker) {
      switch (step++) {
        case 0:
          call = worker.call(*redis, "SET", "lock", worker.name(), "NX", "PX", 1000);
          return *call;
        case 1:
          if (call->reply().is_null()) return Next::end();
          static_cast<void>(section->enter(worker, Claim{}).keep());
          call = worker.call(*redis, "DEL", "lock");  // Too early: it is inside until it ends.
          return *call;
        default:
          return Next::end();
      }
    }
  };
  for (const Strategy strategy : {Strategy::random, Strategy::exhaustive}) {
    ExploreOptions options = quiet(50'000);
    options.strategy = strategy;
    const Verdict verdict = explore(options, [](World& world) {
      Node& redis = world.redis("redis");
      Exclusive& section = world.exclusive("section");
      for (const char* name : {"alice", "bob"}) world.spawn_value(name, Holder{&redis, &section});
    });
    CHECK(verdict.oracle == Oracle::mutual_exclusion);
  }
}

TEST_CASE("what workers that are values share is what it was, wherever the search goes on") {
  struct Counter {
    Node* redis;
    std::shared_ptr<int> inside;
    bool early;
    int step = 0;
    std::optional<Call> call{};
    Next operator()(Worker& worker) {
      switch (step++) {
        case 0:
          call = worker.call(*redis, "SET", "lock", worker.name(), "NX", "PX", 1000);
          return *call;
        case 1:
          if (call->reply().is_null()) return Next::end();
          worker.expect(++*inside == 1, "only one is inside");
          return worker.sleep(10ms);
        case 2:
          if (!early) --*inside;
          call = worker.call(*redis, "DEL", "lock");
          return *call;
        default:
          if (early) --*inside;
          return Next::end();
      }
    }
  };
  for (const bool early : {false, true}) {
    ExploreOptions options = quiet(50'000);
    options.strategy = Strategy::exhaustive;
    const Verdict verdict = explore(options, [early](World& world) {
      Node& redis = world.redis("redis");
      const auto inside = std::make_shared<int>(0);
      world.shares([inside](Instant) { return static_cast<std::uint64_t>(*inside); });
      for (const char* name : {"alice", "bob"})
        world.spawn_value(name, Counter{&redis, inside, early});
    });
    INFO(verdict);
    CHECK(verdict.oracle == (early ? Oracle::property : Oracle::none));
  }
}
