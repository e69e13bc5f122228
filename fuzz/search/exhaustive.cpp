#include "fuzz/search/exhaustive.hpp"

#include <utility>

#include "fuzz/world/ids.hpp"

namespace picklock::race {

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
  if (kind == Kind::step && !seen_.insert(simulation_->state())) return options.size();
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
  return first;
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
    options_.push_back(options[i].id);
  }
}

/// After the step of the last level: a step that an oracle has seen is not local.
void ExhaustiveChooser::settle() {
  if (!std::exchange(unsettled_, false)) return;
  Level& level = path_.back();
  level.local = simulation_->visible_events() == level.seen_events;
}

bool ExhaustiveChooser::next() {
  settle();
  depth_ = 0;
  while (!path_.empty()) {
    Level& level = path_.back();
    if (!level.local && level.first + level.taken + 1 < options_.size()) {
      ++level.taken;
      return true;
    }
    options_.resize(level.first);
    path_.pop_back();
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
