// Worlds made at random, to look for states that an exhaustive search passes over: whatever end a
// random search meets, the exhaustive one must meet, too.
//
//   picklock-random-worlds [--first SEED] [--count N] [--schedules N]
//
// An end is all that the workers were told, and what is then on the servers. Ends with 1 if a world
// has an end that only the random search met, or if its search has found anything at all: these
// worlds promise nothing that could be broken.
#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "emulator/base/random.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;
using Words = std::vector<std::string>;

/// One thing that a worker does.
struct Step {
  enum class Kind : std::uint8_t {
    request,   ///< Sends `words` and waits for the reply.
    pipeline,  ///< Sends `words` and `more` at once, and waits for both replies, or some time.
    sleep,
    pause,
    hear,  ///< Waits for messages.
  };
  Kind kind = Kind::request;
  std::size_t node = 0;
  Words words{};
  Words more{};
  milliseconds time{1};
  bool only_after_success = false;  ///< Left out if the step before was told nil or 0, or nothing.
};

struct Plan {
  std::vector<std::vector<Step>> workers;
  std::size_t nodes = 1;
  bool has_replica = false;
  Faults faults = Faults::none();
  milliseconds max_delay{0};
};

const std::vector<Words>& vocabulary() {
  static const std::vector<Words> all{
      {"SET", "a", "1"},
      {"SET", "a", "2", "NX", "PX", "3"},
      {"SET", "a", "3", "PX", "2"},
      {"SET", "a", "4", "XX", "GET"},
      {"GET", "a"},
      {"GETDEL", "a"},
      {"DEL", "a"},
      {"INCR", "n"},
      {"PEXPIRE", "a", "2"},
      {"PEXPIRE", "n", "4"},
      {"PERSIST", "a"},
      {"PTTL", "a"},
      {"APPEND", "b", "x"},
      {"RENAME", "b", "a"},
      {"FLUSHALL"},
      {"RPUSH", "q", "job"},
      {"LPOP", "q"},
      {"BLPOP", "q", "0.003"},
      {"BLMOVE", "q", "q2", "LEFT", "RIGHT", "0.002"},
      {"BZPOPMIN", "z", "0.003"},
      {"ZADD", "z", "1", "m"},
      {"ZINCRBY", "z", "1", "m"},
      {"HSET", "h", "f", "1"},
      {"HINCRBY", "h", "f", "1"},
      {"HDEL", "h", "f"},
      {"XADD", "s", "*", "f", "v"},
      {"XREAD", "BLOCK", "3", "STREAMS", "s", "0"},
      {"XLEN", "s"},
      {"WATCH", "a"},
      {"WATCH", "n"},
      {"UNWATCH"},
      {"MULTI"},
      {"EXEC"},
      {"DISCARD"},
      {"EVAL", "return redis.call('incr', KEYS[1])", "1", "n"},
      {"EVAL",
       "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
       "return 0",
       "1", "a", "1"},
      {"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"},
      {"SCRIPT", "LOAD", "return 1"},
      {"SCRIPT", "EXISTS", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"},
      {"SCRIPT", "FLUSH"},
      {"PUBLISH", "c", "m"},
      {"SUBSCRIBE", "c"},
      {"UNSUBSCRIBE", "c"},
      {"PUBSUB", "NUMSUB", "c"},
      {"SELECT", "1"},
      {"SELECT", "0"},
      {"SWAPDB", "0", "1"},
      {"MOVE", "a", "1"},
      {"HELLO", "3"},
      {"CLIENT", "TRACKING", "ON"},
      {"CLIENT", "TRACKING", "OFF"},
      {"CLIENT", "PAUSE", "3", "WRITE"},
      {"CLIENT", "UNPAUSE"},
      {"CLIENT", "KILL", "TYPE", "normal"},
      {"CLIENT", "KILL", "TYPE", "pubsub"},
      {"CLIENT", "UNBLOCK", "5"},
      {"CLIENT", "SETNAME", "x"},
      {"CLIENT", "GETNAME"},
      {"RESET"},
      {"WAIT", "0", "1"},
      {"WAIT", "1", "2"},
      {"CONFIG", "SET", "notify-keyspace-events", "KEA"},
      {"PSUBSCRIBE", "__key*__:*"},
      {"CONFIG", "SET", "timeout", "1"},
      {"CONFIG", "SET", "maxmemory", "1"},
      {"CONFIG", "SET", "maxmemory", "0"},
      {"OBJECT", "ENCODING", "q"},
      {"DBSIZE"},
      {"QUIT"},
  };
  return all;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Plan plan() {
    Plan plan;
    plan.nodes = one_in(4) ? 2 : 1;
    plan.has_replica = one_in(4);
    if (one_in(3)) plan.max_delay = milliseconds{1 + below(2)};
    for (std::uint64_t kinds = below(3); kinds-- > 0;) add_fault(plan);
    plan.faults.most = 1 + static_cast<int>(below(2));
    // Few commands of all, so that workers come into each other's way.
    for (std::size_t i = 0; i < 6; ++i) chosen_.push_back(vocabulary()[below(vocabulary().size())]);
    const std::size_t workers = 2 + below(2);
    for (std::size_t i = 0; i < workers; ++i) {
      std::vector<Step>& steps = plan.workers.emplace_back();
      for (std::uint64_t left = 1 + below(5 - workers); left-- > 0;) steps.push_back(step(plan));
    }
    return plan;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool one_in(std::uint64_t times) { return random_.below(times) == 0; }

  void add_fault(Plan& plan) {
    const FaultKind& kind = kFaultKinds[below(kFaultKinds.size())];
    if (kind.fault == Fault::eviction) return;  // Of lock keys, whose oracles would object.
    plan.faults.*kind.budget = 1;
  }

  const Words& words() { return chosen_[below(chosen_.size())]; }

  Step step(const Plan& plan) {
    Step step;
    step.node = below(plan.nodes + (plan.has_replica ? 1 : 0));
    step.words = words();
    step.more = words();
    step.time = milliseconds{1 + below(3)};
    if (one_in(10)) step.time *= 500;
    step.only_after_success = one_in(4);
    const std::size_t kind = below(10);
    if (kind == 0) step.kind = Step::Kind::sleep;
    if (kind == 1) step.kind = Step::Kind::pause;
    if (kind == 2) step.kind = Step::Kind::pipeline;
    if (kind == 3) step.kind = Step::Kind::hear;
    return step;
  }

  Random random_;
  std::vector<Words> chosen_;
};

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string text_of(const Step& step) {
  const std::string on = step.node == 0 ? "" : "@" + std::to_string(step.node) + " ";
  const std::string time = std::to_string(step.time.count()) + " ms";
  const std::string left_out = step.only_after_success ? "(if told so) " : "";
  switch (step.kind) {
    case Step::Kind::request:
      return left_out + on + text_of(step.words);
    case Step::Kind::pipeline:
      return left_out + on + text_of(step.words) + " | " + text_of(step.more);
    case Step::Kind::sleep:
      return left_out + "sleep " + time;
    case Step::Kind::pause:
      return left_out + "pause 1 ms to " + time;
    case Step::Kind::hear:
      return left_out + on + "hear " + time;
  }
  return {};
}

void print(const Plan& plan) {
  std::cout << "  " << plan.nodes << " servers" << (plan.has_replica ? ", a replica" : "")
            << ", delay " << plan.max_delay.count() << " ms, faults (at most " << plan.faults.most
            << "):";
  for (const FaultKind& kind : kFaultKinds)
    if (plan.faults.*kind.budget > 0) std::cout << ' ' << kind.name;
  std::cout << '\n';
  for (const std::vector<Step>& steps : plan.workers) {
    std::cout << "  -";
    for (const Step& step : steps) std::cout << "  " << text_of(step) << ';';
    std::cout << '\n';
  }
}

/// What a worker was told.
using Log = std::string;

std::vector<std::string_view> views(const Words& words) { return {words.begin(), words.end()}; }

Task<> act(Worker& worker, const std::vector<Step>& steps, std::vector<Node*> nodes, Log& log) {
  bool succeeded = true;
  for (const Step& step : steps) {
    if (step.only_after_success && !succeeded) continue;
    Node& node = *nodes[step.node];
    const auto tell = [&](const Reply& reply) {
      log += reply.to_string() + ", ";
      succeeded = !reply.is_null() && reply != 0 && !reply.is_error();
    };
    succeeded = false;
    try {
      switch (step.kind) {
        case Step::Kind::request:
          tell(co_await worker.call(node, views(step.words)));
          break;
        case Step::Kind::pipeline: {
          Link& link = worker.link(node);
          std::array<Link::Ticket, 2> tickets{link.send(views(step.words)),
                                              link.send(views(step.more))};
          const Instant end = worker.now() + milliseconds{6};
          std::size_t heard = 0;
          while (heard < tickets.size() && worker.now() < end) {
            const Link::Ticket ticket = tickets.at(heard);
            if (const auto reply = link.reply(ticket)) {
              tell(*reply);
              ++heard;
            } else if (link.is_lost(ticket)) {
              log += "lost, ";
              ++heard;
            } else {
              link.wake_at(end);
              co_await worker.event();
            }
          }
          break;
        }
        case Step::Kind::sleep:
          co_await worker.sleep(step.time);
          break;
        case Step::Kind::pause:
          co_await worker.pause(milliseconds{1}, step.time);
          break;
        case Step::Kind::hear: {
          Link& link = worker.link(node);
          const Instant end = worker.now() + step.time;
          while (worker.now() < end) {
            while (const auto message = link.message()) tell(*message);
            link.wake_at(end);
            co_await worker.event();
          }
          while (const auto message = link.message()) tell(*message);
          break;
        }
      }
    } catch (const ConnectionLost&) {
      log += "lost, ";
    }
  }
}

using Ends = std::set<std::string>;

std::string end_of(Rest& rest, const std::vector<Log>& logs, const std::vector<Node*>& nodes) {
  std::string end;
  for (const Log& log : logs) end += "[" + log + "] ";
  for (Node* node : nodes) {
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
    std::vector<Node*> nodes;
    for (std::size_t i = 0; i < plan.nodes; ++i)
      nodes.push_back(&world.redis("redis-" + std::to_string(i)));
    if (plan.has_replica) nodes.push_back(&world.replica_of(*nodes.front(), "replica"));
    const auto logs = std::make_shared<std::vector<Log>>(plan.workers.size());
    for (std::size_t i = 0; i < plan.workers.size(); ++i) {
      world.spawn("w" + std::to_string(i), [&plan, i, nodes, logs](Worker& worker) {
        return act(worker, plan.workers[i], nodes, (*logs)[i]);
      });
    }
    world.at_rest([nodes, logs, &ends, &missed](Rest& rest) {
      const std::string end = end_of(rest, *logs, nodes);
      rest.expect(end != missed, "the exhaustive search meets this end");
      ends.insert(end);
    });
  };
}

enum class Result : std::uint8_t { sound, unsound, too_large, hanging };

Result examine(std::uint64_t seed, std::uint64_t schedules) {
  const Plan plan = Maker{seed}.plan();
  ExploreOptions options;
  options.schedules = schedules * 10;
  options.strategy = Strategy::exhaustive;
  options.faults = plan.faults;
  options.max_delay = plan.max_delay;
  options.explain = false;
  bool sound = true;
  bool hangs = false;
  const auto search = [&](Ends& ends) {
    const Verdict verdict = explore(options, scenario(plan, ends, ""));
    if (verdict.verdict == Class::holds) return verdict;
    // By a clock that does not move nobody's wait is ever over.
    hangs = verdict.oracle == Oracle::stuck &&
            verdict.timeline.find("clock stands") != std::string::npos;
    if (hangs) return verdict;
    sound = false;
    std::cout << "seed " << seed << ": " << verdict << '\n';
    return verdict;
  };
  Ends all;
  const Verdict proof = search(all);
  if (hangs) return Result::hanging;
  if (sound && !proof.complete) return Result::too_large;
  Ends met;
  options.schedules = schedules;
  for (const Strategy strategy : {Strategy::random, Strategy::portfolio}) {
    options.strategy = strategy;
    options.twice = strategy == Strategy::random;
    if (sound) search(met);
  }
  for (const std::string& end : met) {
    if (all.contains(end)) continue;
    std::cout << "seed " << seed << ": the exhaustive search (" << proof.states << " states, "
              << all.size() << " ends) misses\n  " << end << '\n';
    sound = false;
    options.twice = false;
    for (const Strategy strategy : {Strategy::random, Strategy::portfolio}) {
      options.strategy = strategy;
      Ends again;
      const Verdict way = explore(options, scenario(plan, again, end));
      if (way) continue;
      std::cout << way << '\n';
      break;
    }
    break;
  }
  if (hangs) return Result::hanging;
  if (!sound) print(plan);
  std::cout.flush();
  return sound ? Result::sound : Result::unsound;
}

}  // namespace
}  // namespace picklock::race

int main(int argc, char** argv) {
  using picklock::race::Result;
  std::uint64_t first = 1;
  std::uint64_t count = 200;
  std::uint64_t schedules = 3000;
  CLI::App app{"looks for states that an exhaustive search passes over, in worlds made at random"};
  app.add_option("--first", first, "the seed of the first world");
  app.add_option("--count", count, "how many worlds");
  app.add_option("--schedules", schedules,
                 "random schedules a world; the exhaustive search has 10 times as many");
  CLI11_PARSE(app, argc, argv);
  std::uint64_t unsound = 0, too_large = 0, hanging = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Result result = picklock::race::examine(seed, schedules);
    if (result == Result::unsound) ++unsound;
    if (result == Result::too_large) ++too_large;
    if (result == Result::hanging) ++hanging;
  }
  std::cout << count << " worlds: " << unsound << " with an end that was passed over, " << too_large
            << " too large to be searched exhaustively, " << hanging
            << " with a wait that a stopped clock does not end\n";
  return unsound == 0 ? 0 : 1;
}
