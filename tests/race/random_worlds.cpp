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

#include "tests/race/random_plan.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;
using Kind = PlannedStep::Kind;

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

/// What the workers of one run share with it.
struct Stage {
  std::vector<Node*> nodes;
  Exclusive* room = nullptr;
  std::vector<std::string> logs;  ///< What each worker was told.
};

class Player {
 public:
  Player(Worker& worker, Stage& stage, std::size_t index)
      : worker_(worker), stage_(stage), log_(stage.logs[index]) {}

  Task<> play(const PlannedStep& step) {
    if (step.only_after_success && !succeeded_) co_return;
    succeeded_ = false;
    std::optional<Turn> inside = std::exchange(turn_, std::nullopt);
    Node& node = *stage_.nodes[step.node];
    try {
      switch (step.kind) {
        case Kind::request:
          tell(co_await worker_.call(node, views(step.words)));
          break;
        case Kind::pipeline:
          co_await pipeline(step, worker_.link(node));
          break;
        case Kind::sleep:
          co_await worker_.sleep(step.time);
          break;
        case Kind::pause:
          co_await worker_.pause(milliseconds{1}, step.time);
          break;
        case Kind::hear:
          co_await hear(step.time, worker_.link(node));
          break;
      }
    } catch (const ConnectionLost&) {
      log_ += "lost, ";
    }
    inside.reset();
    if (step.enters && succeeded_ && stage_.room != nullptr)
      turn_.emplace(stage_.room->enter(worker_));
  }

 private:
  void tell(const Reply& reply) {
    log_ += reply.to_string() + ", ";
    succeeded_ = !reply.is_null() && reply != 0 && !reply.is_error();
  }

  Task<> pipeline(const PlannedStep& step, Link& link) {
    const std::array<Link::Ticket, 2> tickets{link.send(views(step.words)),
                                              link.send(views(step.more))};
    const Instant end = worker_.now() + milliseconds{6};
    std::size_t heard = 0;
    while (heard < tickets.size() && worker_.now() < end) {
      const Link::Ticket ticket = tickets.at(heard);
      if (const auto reply = link.reply(ticket)) {
        tell(*reply);
        ++heard;
      } else if (link.is_lost(ticket)) {
        log_ += "lost, ";
        ++heard;
      } else {
        link.wake_at(end);
        co_await worker_.event();
      }
    }
  }

  Task<> hear(Duration time, Link& link) {
    const Instant end = worker_.now() + time;
    while (worker_.now() < end) {
      while (const auto message = link.message()) tell(*message);
      link.wake_at(end);
      co_await worker_.event();
    }
    while (const auto message = link.message()) tell(*message);
  }

  Worker& worker_;
  Stage& stage_;
  std::string& log_;
  bool succeeded_ = true;
  std::optional<Turn> turn_;
};

using Ends = std::set<std::string>;

std::string end_of(Rest& rest, const Stage& stage) {
  std::string end;
  for (const std::string& log : stage.logs) end += "[" + log + "] ";
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

/// `missed`: an end that must not be.
Scenario scenario(const Plan& plan, Ends& ends, const std::string& missed) {
  return [&plan, &ends, &missed](World& world) {
    const auto stage = std::make_shared<Stage>();
    stage->logs.resize(plan.workers.size());
    for (std::size_t i = 0; i < plan.nodes; ++i)
      stage->nodes.push_back(&world.redis("redis-" + std::to_string(i)));
    if (plan.has_lock) {
      world.lock_key(*stage->nodes.front(), "a");
      stage->room = &world.exclusive("room");
    }
    if (plan.has_replica)
      stage->nodes.push_back(&world.replica_of(*stage->nodes.front(), "replica"));
    for (std::size_t i = 0; i < plan.workers.size(); ++i) {
      const std::string name = "w" + std::to_string(i);
      world.spawn(name, [&plan, &ends, &missed, name, i, stage](Worker& worker) -> Task<> {
        Player player{worker, *stage, i};
        for (const PlannedStep& step : plan.workers[i]) co_await player.play(step);
        if (plan.asks_at_rest) co_return;
        const std::string end = name + ": " + stage->logs[i];
        worker.expect(end != missed, "the exhaustive search meets this end");
        ends.insert(end);
      });
    }
    if (!plan.asks_at_rest) return;
    world.at_rest([stage, &ends, &missed](Rest& rest) {
      const std::string end = end_of(rest, *stage);
      rest.expect(end != missed, "the exhaustive search meets this end");
      ends.insert(end);
    });
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
    return explore(options_, scenario(plan_, ends, missed));
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
