#include "fuzz/search/certify.hpp"

#include <algorithm>
#include <unordered_map>

#include "fuzz/search/chooser.hpp"
#include "fuzz/search/strategies.hpp"
#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

/// What a schedule may be made of.
struct Bounds {
  std::uint32_t workers = 0;  ///< A bit for each that takes part.
  FaultSet kinds = 0;
  std::uint32_t faults = 0;  ///< At most.
  std::uint32_t steps = 0;   ///< Fewer than that.

  bool are_made_of_the_same(const Bounds& other) const {
    return workers == other.workers && kinds == other.kinds && faults == other.faults;
  }
};

class BoundedChooser final : public Chooser {
 public:
  BoundedChooser(const Simulation& simulation, const Bounds& bounds, Simulation::Times times)
      : simulation_(simulation), bounds_(bounds), times_(times) {}

  std::size_t pick(Kind kind, std::span<const Option> options) override {
    if (depth_ < path_.size()) {
      const Level& level = path_[depth_++];
      const std::uint32_t wanted = options_[level.first + level.taken];
      std::size_t index = 0;
      while (index < options.size() && options[index].id != wanted) ++index;
      return index;
    }
    if (kind == Kind::step && !is_worth_it()) return options.size();
    const auto first = static_cast<std::uint32_t>(options_.size());
    for (const Option& option : options)
      if (kind != Kind::step || fits(option)) options_.push_back(option.id);
    if (options_.size() == first) return options.size();
    path_.push_back({first, 0});
    ++depth_;
    std::size_t index = 0;
    while (options[index].id != options_[first]) ++index;
    return index;
  }

  /// To the next untried schedule; false if there is none.
  bool next() {
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

  void shorten(std::uint32_t steps) { bounds_.steps = steps; }
  std::uint64_t states() const { return seen_.size(); }

 private:
  struct Level {
    std::uint32_t first = 0;  ///< In options_: this level's, up to the next level's.
    std::uint32_t taken = 0;
  };

  /// Whether something shorter can still come of this state. How many faults are left is part of
  /// it, so that only the steps up to here must be compared.
  bool is_worth_it() {
    const std::uint32_t steps = simulation_.steps();
    if (steps >= bounds_.steps) return false;
    const auto [found, is_new] = seen_.try_emplace(simulation_.state(times_), steps);
    if (is_new) return true;
    if (found->second <= steps) return false;
    found->second = steps;
    return true;
  }

  bool fits(const Option& option) const {
    const Step step = step_of(option.id);
    if (is_fault(step) && simulation_.faults_spent() >= bounds_.faults) return false;
    if (!is_allowed(Kind::step, option, bounds_.kinds)) return false;
    if (!is_of_worker(step) && !is_of_connection(step)) return true;
    return (bounds_.workers >> actor_of(option.id) % kMostWorkers & 1U) != 0;
  }

  const Simulation& simulation_;
  Bounds bounds_;
  Simulation::Times times_;
  std::vector<Level> path_;
  std::vector<std::uint32_t> options_;
  std::size_t depth_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;  ///< After how many steps.
};

Bounds bounds_of(const Failure& failure) {
  Bounds bounds{.workers = failure.result.workers,
                .faults = failure.result.faults,
                .steps = failure.result.steps};
  for (const Choice& choice : failure.choices)
    if (choice.kind == Kind::step) bounds.kinds |= fault_of(choice.id);
  return bounds;
}

/// Long schedules have few states for their steps: they must not cost more than others.
constexpr std::uint64_t kStepsPerState = 32;

constexpr std::uint64_t kShowEvery = 1024;

void show(const CertifyOptions& options, std::uint64_t runs, std::uint64_t states) {
  if (!options.progress) return;
  const auto part = static_cast<double>(states) / static_cast<double>(options.most_states);
  options.progress({.title = "looking for a shorter one",
                    .schedules_done = runs,
                    .schedules = runs,
                    .states = states,
                    .done = part});
}

/// What is shorter than `failure`, or `failure`. Adds to `states`; false if they are too many.
bool find_shorter(Simulation& simulation, const Scenario& scenario, Failure& failure,
                  std::uint64_t& states, const CertifyOptions& options) {
  Minima* const minima = options.minima;
  if (const Failure* known = minima != nullptr ? minima->find(failure) : nullptr) {
    if (known->result.steps < failure.result.steps) failure = *known;
    return true;
  }
  const Failure given = failure;
  const Class found = failure.result.finding.verdict;
  BoundedChooser chooser{simulation, bounds_of(failure), options.times};
  const std::uint64_t before = states;
  const std::uint64_t states_left = options.most_states - std::min(states, options.most_states);
  std::uint64_t steps_left = states_left * kStepsPerState;
  std::uint64_t runs = 0;
  do {
    const Simulation::Result result = simulation.run(scenario, chooser, found);
    if (result.finding.same_kind(failure.result.finding) && !result.stopped &&
        result.steps < failure.result.steps) {
      failure = {simulation.choices(), result};
      chooser.shorten(result.steps);
    }
    states = before + chooser.states();
    if (states > options.most_states || result.work >= steps_left) return false;
    if (options.stop != nullptr && *options.stop) return false;
    if (++runs % kShowEvery == 0) show(options, runs, states);
    steps_left -= result.work;
  } while (chooser.next());
  if (minima != nullptr) minima->add(given, failure);
  return true;
}

}  // namespace

const Failure* Minima::find(const Failure& failure) const {
  const Bounds bounds = bounds_of(failure);
  for (const Minimum& minimum : minima_) {
    if (minimum.of.result.finding.same_kind(failure.result.finding) &&
        bounds_of(minimum.of).are_made_of_the_same(bounds))
      return &minimum.shortest;
  }
  return nullptr;
}

void Minima::add(const Failure& failure, Failure shortest) {
  minima_.push_back({failure, std::move(shortest)});
}

Certificate certify(Simulation& simulation, const Scenario& scenario, Failure failure,
                    const CertifyOptions& options) {
  TolerantChooser as_found;
  as_found.follow(failure.choices);
  failure.result = simulation.run(scenario, as_found, failure.result.finding.verdict);
  Certificate certificate{.shortest = std::move(failure)};
  Failure& shortest = certificate.shortest;
  while (true) {
    const std::uint32_t steps = shortest.result.steps;
    certificate.complete =
        find_shorter(simulation, scenario, shortest, certificate.states, options);
    if (shortest.result.steps == steps) return certificate;
    // Tamer choices, and perhaps fewer faults, for which more steps may be needed.
    shortest = shrink(simulation, scenario, std::move(shortest), options.stop);
    if (!certificate.complete) return certificate;
  }
}

}  // namespace picklock::race
