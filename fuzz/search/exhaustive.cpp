#include "fuzz/search/exhaustive.hpp"

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
  // What follows within a step is a state of its own: only whole steps meet.
  if (kind == Kind::step && !seen_.insert(simulation_->state())) return options.size();
  path_.push_back({static_cast<std::uint32_t>(options_.size()), 0});
  bool starter = false;
  for (const Option& option : options) {
    if (symmetric_ && kind == Kind::step && step_of(option.id) == Step::resume &&
        !simulation_->has_started(actor_of(option.id)) && std::exchange(starter, true))
      continue;
    options_.push_back(option.id);
  }
  ++depth_;
  return 0;
}

bool ExhaustiveChooser::next() {
  depth_ = 0;
  while (!path_.empty()) {
    Level& level = path_.back();
    if (level.first + level.taken + 1 < options_.size()) {
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
