#include "fuzz/search/exhaustive.hpp"

#include <utility>

#include "fuzz/world/ids.hpp"

namespace picklock::race {

Simulation::Result ExhaustiveChooser::run(const Scenario& scenario, Chooser* instead,
                                          Class stop_at) {
  Chooser& chooser = instead != nullptr ? *instead : *this;
  depth_ = 0;
  foreseen_.reset();
  Simulation::Result result;
  if (kept_count_ == 0) {
    result = simulation_->run(scenario, chooser, stop_at);
  } else {
    const Fork& fork = *kept_[kept_count_ - 1];
    depth_ = fork.level;
    result = simulation_->run_from(fork.state, scenario, chooser, stop_at);
  }
  settle();
  return result;
}

std::size_t ExhaustiveChooser::pick(Kind kind, std::span<const Option> options) {
  if (depth_ < path_.size()) {
    const Level& level = path_[depth_++];
    const std::uint32_t wanted = options_[level.first + level.taken];
    std::size_t index = 0;
    while (index < options.size() && options[index].id != wanted) ++index;
    diverged_ |= index == options.size();
    return index;
  }
  settle();
  // What follows within a step is a state of its own: only whole steps meet.
  if (kind == Kind::step && !is_new_state()) return options.size();
  path_.push_back({.first = static_cast<std::uint32_t>(options_.size())});
  ++depth_;
  std::size_t first = kind == Kind::step ? simulation_->local_option() : options.size();
  if (first < options.size()) {
    path_.back().local = unsettled_ = true;
    path_.back().seen_events = simulation_->visible_events();
  } else {
    first = 0;
  }
  add_options(kind, options, first);
  // A worker's step may turn out not to be local; the arrival of a reply is seen by no oracle.
  const bool surely_local = path_.back().local && step_of(options[first].id) == Step::reply;
  if (kind == Kind::step && !surely_local) keep_state();
  return first;
}

/// Where the state will be looked for is fetched from memory while its options are gathered.
void ExhaustiveChooser::foresee() {
  if (depth_ < path_.size()) return;
  foreseen_ = simulation_->state();
  seen_.prefetch(*foreseen_);
}

std::uint64_t ExhaustiveChooser::state() {
  const std::uint64_t state = foreseen_ ? *foreseen_ : simulation_->state();
  foreseen_.reset();
  return state;
}

bool ExhaustiveChooser::is_new_state() {
  const std::uint64_t state = this->state();
  if (seen_.insert(state)) {
    digests_.met(state, seen_.size(), simulation_->choices());
    return true;
  }
  digests_.met_again(state, simulation_->choices());
  return false;
}

/// What a server does is worth a look, whether that has happened before.
bool ExhaustiveChooser::goes_on(const Option& only) {
  if (depth_ < path_.size()) return true;
  settle();
  return step_of(only.id) != Step::request || seen_.insert(state());
}

/// If something else may be tried at the last level, and the world lets itself be copied.
void ExhaustiveChooser::keep_state() {
  if (options_.size() - path_.back().first < 2 || !forks_ || !simulation_->can_fork()) return;
  if (kept_count_ == kept_.size()) kept_.push_back(std::make_unique<Fork>());
  Fork& fork = *kept_[kept_count_++];
  fork.level = path_.size() - 1;
  simulation_->keep(fork.state);
}

/// What was taken comes first. Workers that have not started are alike, if symmetry is assumed.
void ExhaustiveChooser::add_options(Kind kind, std::span<const Option> options, std::size_t first) {
  options_.push_back(options[first].id);
  const auto starts = [&](const Option& option) {
    return symmetric_ && kind == Kind::step && step_of(option.id) == Step::resume &&
           !simulation_->has_started(actor_of(option.id));
  };
  bool starter = starts(options[first]);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (i == first || (starts(options[i]) && std::exchange(starter, true))) continue;
    if (kind == Kind::step && simulation_->is_done_elsewhere(options[i].id)) continue;
    options_.push_back(options[i].id);
  }
}

/// After the step of the last level: a step that an oracle has seen is not local, nor one after
/// which what could have struck a server before it cannot any more.
void ExhaustiveChooser::settle() {
  if (!std::exchange(unsettled_, false)) return;
  Level& level = path_.back();
  level.local =
      simulation_->visible_events() == level.seen_events && simulation_->servers_can_be_struck();
}

bool ExhaustiveChooser::next() {
  if (is_outdated()) {  // What has been passed over until now may matter after all.
    lessons_ = simulation_->lessons();
    path_.clear();
    options_.clear();
    kept_count_ = 0;
    seen_ = StateSet{};
    digests_ = DigestAudit{};
    return true;
  }
  while (!path_.empty()) {
    Level& level = path_.back();
    if (!level.local && level.first + level.taken + 1 < options_.size()) {
      ++level.taken;
      return true;
    }
    options_.resize(level.first);
    path_.pop_back();
    if (kept_count_ > 0 && kept_[kept_count_ - 1]->level == path_.size()) --kept_count_;
  }
  return false;
}

double ExhaustiveChooser::done() const {
  double done = 0;
  double share = 1;
  for (std::size_t i = 0; i < path_.size() && i < 8; ++i) {
    const std::size_t end = i + 1 < path_.size() ? path_[i + 1].first : options_.size();
    share /= static_cast<double>(end - path_[i].first);
    done += share * path_[i].taken;
  }
  return done;
}

}  // namespace picklock::race
