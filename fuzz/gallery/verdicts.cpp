#include "fuzz/gallery/verdicts.hpp"

#include <algorithm>

namespace picklock::race {
namespace {

std::string_view meaning_of(Fault fault) {
  switch (fault) {
    case Fault::pause:
      return "a worker stands still, up to beyond its ttl";
    case Fault::crash:
      return "a worker vanishes";
    case Fault::lost_request:
      return "a request is lost with its connection, and sent again";
    case Fault::lost_reply:
      return "a reply is lost with its connection, and the request sent again";
    case Fault::duplicate:
      return "a request is carried out twice";
    case Fault::reset:
      return "a connection breaks";
    case Fault::partition:
      return "nothing passes on a connection for a while";
    case Fault::restart:
      return "a server restarts with all, without the last second's or without any data";
    case Fault::script_flush:
      return "a server forgets its scripts";
    case Fault::clock:
      return "a server's clock jumps";
    case Fault::client_clock:
      return "a worker's wall clock jumps: the clocks of two clients differ";
    case Fault::drift:
      return "a server's or a worker's clock runs 1 % fast or slow";
    case Fault::eviction:
      return "a lock key is evicted, or deleted by hand";
    case Fault::refusal:
      return "a request is answered LOADING, READONLY, OOM or BUSY";
    case Fault::failover:
      return "the primary is lost, and its replica takes over without the last writes";
    case Fault::lag:
      return "the replica hears nothing of its primary for a while";
  }
  return "";
}

std::vector<Condition> all_conditions() {
  std::vector<Condition> all{
      {.name = "none", .meaning = "nothing goes wrong, and messages arrive at once"},
      {.name = "delay",
       .meaning = "messages are up to 5 ms late",
       .max_delay = std::chrono::milliseconds{5}}};
  for (const FaultKind& kind : kFaultKinds) {
    Condition condition{.name = kind.name, .meaning = meaning_of(kind.fault)};
    condition.faults.*kind.budget = 1;
    all.push_back(condition);
  }
  Condition no_ttl{.name = "ttl-0", .meaning = "the ttl is 0, and a worker may vanish"};
  no_ttl.faults.crashes = 1;
  no_ttl.ttl_ms = 0;
  all.push_back(no_ttl);
  all.push_back({.name = "re-entry",
                 .meaning = "who takes the lock again believes that its ttl begins anew",
                 .trusts_reentry = true});
  return all;
}

ExploreOptions options_of(const GalleryLock& lock, const Condition& condition,
                          const MatrixBounds& bounds) {
  ExploreOptions options = make_options(lock, settings_of(lock, condition));
  options.seed = bounds.seed;
  options.schedules = bounds.schedules;
  options.faults = condition.faults;
  options.max_delay = condition.max_delay;
  options.explain = false;
  options.twice = bounds.twice;
  options.stop = bounds.stop;
  options.progress = bounds.progress;
  return options;
}

/// A condition that can never come to bear would only seem to be survived.
bool is_for(const Condition& condition, const GalleryLock& lock) {
  return (lock.counts || !condition.trusts_reentry) &&
         (lock.has_key || condition.faults.evictions == 0) &&
         (lock.expires || condition.faults.clocks == 0) &&
         (lock.waits > 0 || condition.faults.lags == 0);
}

}  // namespace

std::span<const Condition> conditions() {
  static const std::vector<Condition> all = all_conditions();
  return all;
}

const Condition* find_condition(std::string_view name) {
  const auto all = conditions();
  const auto found = std::ranges::find(all, name, &Condition::name);
  return found == all.end() ? nullptr : &*found;
}

LockSettings settings_of(const GalleryLock& lock, const Condition& condition) {
  return {.workers = lock.workers,
          .ttl_ms = condition.ttl_ms,
          .trusts_reentry = condition.trusts_reentry,
          .has_replica = condition.faults.failovers > 0 && !lock.has_replica};
}

Cell judge(const GalleryLock& lock, const Condition& condition, const MatrixBounds& bounds) {
  Cell cell{.lock = &lock, .condition = &condition, .verdict = {}};
  cell.applies = is_for(condition, lock);
  if (!cell.applies) return cell;
  ExploreOptions options = options_of(lock, condition, bounds);
  const Scenario scenario = make_scenario(lock, settings_of(lock, condition));
  if (bounds.exhaustive > 0 && lock.protocol != nullptr && !lock.by_majority) {
    options.strategy = Strategy::exhaustive;
    options.schedules = bounds.exhaustive;
    cell.verdict = explore(options, scenario);
    if (cell.verdict.complete || cell.verdict.verdict >= Class::violation) return cell;
    cell.gave_up = true;
    options.strategy = Strategy::portfolio;
    options.schedules = bounds.schedules;
  }
  cell.verdict = explore(options, scenario);
  return cell;
}

std::string phrase_cell(const Cell& cell) {
  if (!cell.applies) return "does not apply";
  if (cell.verdict.verdict != Class::holds) return std::string{to_string(cell.verdict.verdict)};
  const bool proved = cell.is_proved();
  const std::uint64_t count = proved ? cell.verdict.states : cell.verdict.schedules;
  return "holds: " + std::to_string(count) + (proved ? " states, all" : " schedules");
}

}  // namespace picklock::race
