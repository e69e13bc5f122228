// Worlds made at random, to look for states that an exhaustive search passes over: whatever end a
// random search meets, the exhaustive one must meet, too, and what it says holds must hold.
//
//   picklock-random-worlds [--first SEED] [--count N] [--schedules N]
//
// An end is all that the workers were told, and what is then on the servers; or, where nobody looks
// at that, what one worker was told. Ends with 1 if there is an end, or a violation, that only the
// random search met, or if a search calls a world not deterministic.
#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "tests/race/random_players.hpp"

namespace picklock::race {
namespace {

using Ends = std::set<std::string>;

std::string end_of(Rest& rest, const Stage& stage, const std::vector<Told>& told) {
  std::string end;
  for (const Told& each : told) end += "[" + each.log + "] ";
  for (Node* node : stage.nodes) {
    for (const std::string_view key : {"a", "b", "n", "q", "q2", "z", "h"}) {
      const std::array<std::string_view, 2> words{"DUMP", key};
      const Reply value = rest.call(*node, words);
      if (!value.is_null()) end += std::string{key} + "=" + value.to_string() + " ";
    }
    end += "; ";
  }
  return end;
}

/// Where the ends of a world go, but the one that must not be.
struct Finish {
  Ends& ends;
  const std::string& missed;

  template <class Judge>
  void note(Judge& judge, const std::string& end) const {
    judge.expect(end != missed, "the exhaustive search meets this end");
    ends.insert(end);
  }
};

/// A worker that is a value.
struct ValueWorker {
  std::shared_ptr<const Stage> stage;
  Machine machine;
  Finish finish;
  bool asks_at_rest = false;

  Next operator()(Worker& worker) {
    if (const std::optional<Next> next = machine.go_on(worker)) return *next;
    if (!asks_at_rest) finish.note(worker, std::string{worker.name()} + ": " + machine.told().log);
    return Next::end();
  }
  std::optional<std::uint64_t> digest(Instant now) const { return machine.digest(now); }
};

Scenario scenario(const Plan& plan, const Finish& finish) {
  return [&plan, finish](World& world) {
    const auto stage = std::make_shared<Stage>();
    // Of workers that are values nothing that they were told is known in the end: it is theirs.
    const auto told = std::make_shared<std::vector<Told>>(plan.workers.size());
    for (std::size_t i = 0; i < plan.nodes; ++i)
      stage->nodes.push_back(&world.redis("redis-" + std::to_string(i)));
    if (plan.has_lock) {
      world.lock_key(*stage->nodes.front(), "a");
      stage->room = &world.exclusive("room");
    }
    for (std::size_t i = 0; i < plan.replicas; ++i)
      stage->nodes.push_back(
          &world.replica_of(*stage->nodes.front(), "replica-" + std::to_string(i)));
    for (std::size_t i = 0; i < plan.workers.size(); ++i) {
      const std::string name = "w" + std::to_string(i);
      if (plan.values) {
        world.spawn_value(name,
                          ValueWorker{stage, Machine{plan, *stage, i}, finish, plan.asks_at_rest});
        continue;
      }
      if (plan.blocks) {
        spawn_blocking(world, name, [&plan, finish, name, i, stage, told](BlockingWorker& worker) {
          play(worker, plan, *stage, i, (*told)[i]);
          if (!plan.asks_at_rest) finish.note(worker.worker(), name + ": " + (*told)[i].log);
        });
        continue;
      }
      world.spawn(name, [&plan, finish, name, i, stage, told](Worker& worker) -> Task<> {
        co_await play(worker, plan, *stage, i, (*told)[i]);
        if (!plan.asks_at_rest) finish.note(worker, name + ": " + (*told)[i].log);
      });
    }
    if (!plan.asks_at_rest) return;
    world.at_rest(
        [stage, finish, told](Rest& rest) { finish.note(rest, end_of(rest, *stage, *told)); });
  };
}

/// By a clock that does not move nobody's wait is ever over.
bool hangs(const Verdict& verdict) {
  return verdict.oracle == Oracle::stuck &&
         verdict.timeline.find("clock stands") != std::string::npos;
}

class Examination {
 public:
  enum class Result : std::uint8_t { sound, unsound, too_large, broken };

  Examination(std::uint64_t seed, std::uint64_t schedules)
      : seed_(seed), schedules_(schedules), plan_(make_plan(seed)) {
    options_.faults = plan_.faults;
    options_.max_delay = plan_.max_delay;
    options_.prompt = plan_.prompt;
    options_.timeless = plan_.timeless;
    options_.explain = false;
  }

  Result run() {
    options_.schedules = schedules_ * 10;
    Ends all;
    const Verdict proof = search(Strategy::exhaustive, all);
    if (proof.verdict == Class::unusable) return accuse(proof);
    if (!proof.complete) return proof.verdict == Class::holds ? Result::too_large : Result::broken;
    options_.schedules = schedules_;
    for (const Strategy strategy : {Strategy::random, Strategy::portfolio}) {
      options_.twice = strategy == Strategy::random;
      Ends met;
      const Verdict verdict = search(strategy, met);
      if (hangs(verdict)) return Result::broken;
      if (verdict.verdict > proof.verdict) return accuse(verdict);
      for (const std::string& end : met)
        if (!all.contains(end)) return accuse(search(strategy, met, end));
    }
    return Result::sound;
  }

 private:
  Verdict search(Strategy strategy, Ends& ends, const std::string& missed = "-") {
    options_.strategy = strategy;
    return explore(options_, scenario(plan_, {ends, missed}));
  }

  Result accuse(const Verdict& verdict) {
    std::cout << "seed " << seed_ << ": " << verdict << '\n' << plan_ << std::endl;
    return Result::unsound;
  }

  std::uint64_t seed_;
  std::uint64_t schedules_;
  Plan plan_;
  ExploreOptions options_;
};

}  // namespace
}  // namespace picklock::race

int main(int argc, char** argv) {
  using picklock::race::Examination;
  std::uint64_t first = 1;
  std::uint64_t count = 200;
  std::uint64_t schedules = 3000;
  CLI::App app{"looks for states that an exhaustive search passes over, in worlds made at random"};
  app.add_option("--first", first, "the seed of the first world");
  app.add_option("--count", count, "how many worlds");
  app.add_option("--schedules", schedules,
                 "random schedules a world; the exhaustive search has 10 times as many");
  CLI11_PARSE(app, argc, argv);
  std::array<std::uint64_t, 4> results{};
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    ++results.at(static_cast<std::size_t>(Examination{seed, schedules}.run()));
  std::cout << count << " worlds: " << results[0] << " whose ends were all met, " << results[1]
            << " with one that was passed over, " << results[2] << " too large, " << results[3]
            << " with a violation\n";
  return results[1] == 0 ? 0 : 1;
}
