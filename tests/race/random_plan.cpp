#include "tests/race/random_plan.hpp"

#include <ostream>

#include "emulator/base/random.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;
using Words = std::vector<std::string>;

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
    plan.replicas = one_in(4) ? 1 + below(2) : 0;
    plan.has_lock = one_in(4);
    plan.asks_at_rest = !one_in(3);
    plan.prompt = one_in(6);
    if (one_in(3)) plan.max_delay = milliseconds{1 + below(2)};
    for (std::uint64_t kinds = below(3); kinds-- > 0;) add_fault(plan);
    plan.faults.most = 1 + static_cast<int>(below(2));
    // Few commands of all, so that workers come into each other's way.
    for (std::size_t i = 0; i < 6; ++i) chosen_.push_back(vocabulary()[below(vocabulary().size())]);
    bool tells_time = false;
    for (const Words& words : chosen_) tells_time |= words[0] == "XADD";
    plan.timeless = one_in(4) && !tells_time;
    const std::size_t workers = 2 + below(2);
    for (std::size_t i = 0; i < workers; ++i) {
      std::vector<PlannedStep>& steps = plan.workers.emplace_back();
      for (std::uint64_t left = 1 + below(5 - workers); left-- > 0;) steps.push_back(step(plan));
    }
    plan.values = one_in(3);
    plan.blocks = !plan.values && one_in(15);
    plan.names_state = !plan.blocks && one_in(2);
    return plan;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool one_in(std::uint64_t times) { return random_.below(times) == 0; }

  void add_fault(Plan& plan) { plan.faults.*kFaultKinds[below(kFaultKinds.size())].budget = 1; }

  const Words& words() { return chosen_[below(chosen_.size())]; }

  PlannedStep step(const Plan& plan) {
    PlannedStep step;
    step.node = below(plan.nodes + plan.replicas);
    step.words = words();
    step.more = words();
    step.time = milliseconds{1 + below(3)};
    if (one_in(10)) step.time *= 500;
    step.only_after_success = one_in(4);
    step.enters = plan.has_lock && one_in(2);
    step.only_when_drawn = one_in(6);
    if (one_in(6)) step.limit = milliseconds{1 + below(3)};
    const std::size_t kind = below(10);
    if (kind == 0) step.kind = PlannedStep::Kind::sleep;
    if (kind == 1) step.kind = PlannedStep::Kind::pause;
    if (kind == 2) step.kind = PlannedStep::Kind::pipeline;
    if (kind == 3) step.kind = PlannedStep::Kind::hear;
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

std::string text_of(const PlannedStep& step) {
  std::string text = step.only_after_success ? "(if told so) " : "";
  if (step.only_when_drawn) text += "(if drawn) ";
  if (step.node != 0) text += "@" + std::to_string(step.node) + " ";
  const std::string time = std::to_string(step.time.count()) + " ms";
  switch (step.kind) {
    case PlannedStep::Kind::request:
      text += text_of(step.words);
      break;
    case PlannedStep::Kind::pipeline:
      text += text_of(step.words) + " | " + text_of(step.more);
      break;
    case PlannedStep::Kind::sleep:
      text += "sleep " + time;
      break;
    case PlannedStep::Kind::pause:
      text += "pause 1 ms to " + time;
      break;
    case PlannedStep::Kind::hear:
      text += "hear " + time;
      break;
  }
  if (step.limit.count() > 0) text += " within " + std::to_string(step.limit.count()) + " ms";
  return step.enters ? text + " and enter" : text;
}

}  // namespace

Plan make_plan(std::uint64_t seed) { return Maker{seed}.plan(); }

std::ostream& operator<<(std::ostream& out, const Plan& plan) {
  out << "  " << plan.nodes << " servers, " << plan.replicas << " replicas"
      << (plan.has_lock ? ", a lock" : "") << (plan.asks_at_rest ? ", looked at in the end" : "")
      << (plan.values ? ", values" : "") << (plan.blocks ? ", blocking" : "")
      << (plan.names_state ? ", states named" : "") << (plan.prompt ? ", prompt" : "")
      << (plan.timeless ? ", timeless" : "") << ", delay " << plan.max_delay.count()
      << " ms, faults (at most " << plan.faults.most << "):";
  for (const FaultKind& kind : kFaultKinds)
    if (plan.faults.*kind.budget > 0) out << ' ' << kind.name;
  out << '\n';
  for (const std::vector<PlannedStep>& steps : plan.workers) {
    out << "  -";
    for (const PlannedStep& step : steps) out << "  " << text_of(step) << ';';
    out << '\n';
  }
  return out;
}

}  // namespace picklock::race
