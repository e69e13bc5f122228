#include "fuzz/world/simulation.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "fuzz/world/ids.hpp"
#include "fuzz/world/script_budget.hpp"

namespace picklock::race {
namespace {

/// Beyond this a run is called endless: no sensible schedule of a lock comes near.
constexpr std::uint32_t kMostSteps = 100'000;

/// By worker.
constexpr std::array<Option, kMostWorkers> kResumes = [] {
  std::array<Option, kMostWorkers> resumes{};
  for (std::uint32_t i = 0; i < kMostWorkers; ++i) resumes[i] = option_of(Step::resume, i);
  return resumes;
}();

/// Written in any case: whether it is there is chance, and a processor that had to choose between
/// two ways to go on would often choose the wrong one.
void draft(Option*& next, const Option& option, bool is_there) {
  *next = option;
  next += static_cast<std::size_t>(is_there);
}

}  // namespace

Simulation::Simulation(Rules rules) : rules_(rules) {
  for (const FaultKind& kind : kFaultKinds)
    budgets_[static_cast<std::size_t>(kind.fault)] = rules.faults.*kind.budget;
}

Simulation::~Simulation() { clear(); }

Simulation::Result Simulation::run(const Scenario& scenario, Chooser& chooser, Class stop_at) {
  chooser_ = &chooser;
  furnish(scenario);
  if (has_budget(Fault::drift)) choose_drifts();
  return go_on(stop_at);
}

/// To the end of the run. The world stays as it is if other runs may go on from a checkpoint.
Simulation::Result Simulation::go_on(Class stop_at) {
  last_edge_ = Coverage::kBits;
  const std::uint64_t before = executed();
  const bool foresees = !rules_.prompt && chooser_->foresees();  // Prompt, few have a choice.
  while (!stopped_) {
    if (foresees) chooser_->foresee();
    collect();
    const std::size_t picked = choose(Kind::step);
    if (picked >= options_.size()) break;
    const std::uint32_t event = options_[picked].id;
    perform(event);
    if (coverage_ != nullptr) mark_coverage(event);
    if (oracles_.finding().verdict >= stop_at) break;
    if (++steps_ == kMostSteps)
      oracles_.report({.verdict = Class::unusable, .oracle = Oracle::endless});
  }
  settle_coverage();
  const bool cut_short = rules_.time_steps > 0 && time_steps_ == rules_.time_steps;
  if (!stopped_ && !cut_short && oracles_.finding().verdict < stop_at) check_rest();
  if (recorder_ != nullptr && oracles_.finding().verdict != Class::holds)
    recorder_->add(
        {.kind = Event::Kind::finding, .at = now_, .text = describe_finding(oracles_.finding())});
  const Result result{.finding = oracles_.finding(),
                      .state_hash = hash_,
                      .steps = steps_,
                      .work = steps_ + steps_of_script(std::max(executed(), before) - before),
                      .faults = faults_spent_,
                      .new_edges = new_edges_,
                      .workers = standing_.started(),
                      .stopped = stopped_,
                      .ended = now_};
  if (stage_ != Stage::forked) clear();
  return result;
}

std::size_t Simulation::choose(Kind kind) {
  if (options_.size() < 2) {
    stopped_ = kind == Kind::step && !options_.empty() && !chooser_->goes_on(options_.front());
    return stopped_ ? options_.size() : 0;
  }
  const std::size_t picked = chooser_->pick(kind, options_);
  if (picked >= options_.size()) {
    stopped_ = true;
    return picked;
  }
  // In place: to copy what has just been stored in pieces, a processor waits.
  Choice& choice = choices_.emplace_back();
  choice.kind = kind;
  choice.id = options_[picked].id;
  return picked;
}

/// Every enabled event, the tamest first: shrinking and the end of a replay take the first option.
/// A worker that has not started yet holds nobody up: when it comes is a choice like any other.
void Simulation::collect() {
  options_.clear();
  late_starters_ = false;
  if (rules_.prompt && collect_prompt()) return;
  const Standing::Set runnable = standing_.runnable();
  const Standing::Set late = standing_.late();
  const bool busy = runnable != 0;
  if (busy) offer_resumes(runnable);
  late_starters_ = late != 0;
  Instant limit = Instant::max();  // Of time, if it goes on.
  Option* next = options_.draft(3 * connections_.size());
  in_flight_.for_each([&](std::size_t index) {
    const SimulatedConnection& link = connections_[index];
    if (!busy) limit = std::min(limit, message_limit(link));
    if (!may_pass(link)) return;
    draft(next, link.request_option, !link.requests.empty() && !link.held_back);
    draft(next, link.reply_option, !link.answers.empty());
    draft(next, link.orphan_option, !link.orphans.empty() && !link.held_back);
  });
  options_.keep(next);
  if (followers_.size() > 0) collect_replication();
  const bool time_left = rules_.time_steps == 0 || time_steps_ < rules_.time_steps;
  if (!busy && time_left) {
    next_time_ = next_instant(limit);
    if (next_time_ != Instant::max()) offer_step(Step::time, 0);
  }
  if (late_starters_) offer_resumes(late);
  if (!faults_left_ || options_.empty()) return;  // A run does not go on for a fault alone.
  if (busy) collect_worker_faults();
  if (busy || !in_flight_.empty()) {
    collect_server_faults();
    collect_replica_faults();
  }
  collect_message_faults();
}

/// One step for each bit of `workers`.
void Simulation::offer_resumes(Standing::Set workers) {
  Option* next = options_.draft(worker_count_);
  for (std::uint32_t i = 0; i < worker_count_; ++i)
    draft(next, kResumes[i], (workers >> i & 1) != 0);
  options_.keep(next);
}

/// What comes before anything else where nobody is slow: a worker's step, or else a reply, and the
/// faults that can strike it. False: there is none.
bool Simulation::collect_prompt() {
  if (const Standing::Set runnable = standing_.runnable(); runnable != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(runnable));
    offer_step(Step::resume, static_cast<std::uint32_t>(first));
    offer_worker_faults(first);
    return true;
  }
  for (const SimulatedConnection& link : connections_) {
    if (link.answers.empty() || !may_pass(link)) continue;
    const std::uint32_t actor = connection_actor(link.worker(), link.node());
    offer_step(Step::reply, actor);
    offer_fault(Fault::restart, Step::restart, link.node());
    collect_replica_faults();
    offer_fault(Fault::lost_reply, Step::lose_reply, actor);
    offer_fault(Fault::reset, Step::reset, actor);
    offer_fault(Fault::partition, Step::partition, actor);
    return true;
  }
  return false;
}

void Simulation::offer_step(Step step, std::uint32_t actor, std::uint16_t weight) {
  options_.push() = option_of(step, actor, weight);
}

/// Nothing passes on a connection that is cut off, or to a server that is down.
bool Simulation::may_pass(const SimulatedConnection& link) const {
  return link.stalled_until <= now_ && far_end(link).back_at <= now_;
}

}  // namespace picklock::race
