#include "fuzz/search/shrink.hpp"

#include <algorithm>
#include <tuple>

#include "fuzz/search/chooser.hpp"
#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

/// What "smaller" means: fewer faults, then fewer steps, fewer choices, less simulated time; at
/// last the choices' ids, so that the outcome does not depend on where the shrinking came from.
auto measure(const Failure& failure) {
  std::uint64_t ids = 0;
  for (const Choice& choice : failure.choices) ids += choice.id;
  return std::tuple{failure.result.faults, failure.result.steps, failure.choices.size(),
                    failure.result.ended, ids};
}

class Shrinker {
 public:
  Shrinker(Simulation& simulation, const Scenario& scenario, Failure failure,
           const std::atomic<bool>* stop, std::size_t budget)
      : simulation_(simulation),
        scenario_(scenario),
        best_(std::move(failure)),
        stop_(stop),
        budget_(budget) {}

  Failure shrink() {
    bool smaller = true;
    while (smaller && budget_ > 0) {
      smaller = false;
      for (std::size_t length = std::max<std::size_t>(best_.choices.size() / 2, 1); length > 0;
           length /= 2)
        smaller |= drop_runs_of(length);
      smaller |= drop_steps_of_workers();
      if (!smaller) smaller = swap_neighbours();
      if (!smaller) smaller = tame_each();
    }
    return std::move(best_);
  }

 private:
  /// Runs a candidate, at once and with patience: what was taken out may leave gaps for the tamest
  /// options to fill. Keeps it if it fails in the same way and is smaller.
  bool try_out(const std::vector<Choice>& candidate) {
    constexpr int kPatience = 8;
    return run(candidate, 0) || run(candidate, kPatience);
  }

  bool run(const std::vector<Choice>& candidate, int patience) {
    if (stop_ != nullptr && *stop_) budget_ = 0;
    if (budget_ == 0) return false;
    chooser_.follow(candidate, patience);
    const Simulation::Result result =
        simulation_.run(scenario_, chooser_, best_.result.finding.verdict);
    // To copy the choices of a run without end takes longer than most of what is tried of it.
    budget_ -= std::min<std::size_t>(budget_, result.work + candidate.size() / 16 + 1);
    if (!result.finding.same_kind(best_.result.finding)) return false;
    Failure failure{simulation_.choices(), result};
    if (measure(failure) >= measure(best_)) return false;
    best_ = std::move(failure);
    return true;
  }

  /// Takes several steps in a row of one worker out, with the pauses chosen on the way: all of a
  /// worker, or an attempt that came to nothing.
  bool drop_steps_of_workers() {
    bool smaller = false;
    for (std::uint32_t worker = 0; worker < kMostWorkers; ++worker) {
      for (std::size_t length = best_.choices.size(); length > 0;
           length = length > 8 ? length / 2 : length - 1) {
        for (std::size_t first = 0; drop_steps_of(worker, first, length); ++first) smaller |= kept_;
      }
    }
    return smaller;
  }

  /// False when the worker has no step number `first`, or nothing more may be tried.
  bool drop_steps_of(std::uint32_t worker, std::size_t first, std::size_t length) {
    if (budget_ == 0) return false;
    candidate_.clear();
    std::size_t seen = 0;
    bool dropping = false;
    for (const Choice& choice : best_.choices) {
      if (choice.kind == Kind::step) {
        const bool own =
            step_of(choice.id) != Step::time && actor_of(choice.id) % kMostWorkers == worker;
        dropping = own && seen >= first && seen < first + length;
        if (own) ++seen;
      }
      if (!dropping) candidate_.push_back(choice);
    }
    if (seen <= first) return false;
    kept_ = try_out(candidate_);
    return true;
  }

  bool drop_runs_of(std::size_t length) {
    bool smaller = false;
    for (std::size_t at = 0; budget_ > 0 && at + length <= best_.choices.size();) {
      candidate_ = best_.choices;
      const auto from = candidate_.begin() + static_cast<std::ptrdiff_t>(at);
      candidate_.erase(from, from + static_cast<std::ptrdiff_t>(length));
      if (try_out(candidate_))
        smaller = true;
      else
        ++at;
    }
    return smaller;
  }

  /// Brings steps of one actor together, which lets others be dropped.
  bool swap_neighbours() {
    bool smaller = false;
    for (std::size_t at = 0; budget_ > 0 && at + 1 < best_.choices.size(); ++at) {
      candidate_ = best_.choices;
      std::swap(candidate_[at], candidate_[at + 1]);
      smaller |= try_out(candidate_);
    }
    return smaller;
  }

  /// Tries smaller ids in place: shorter waits, earlier workers.
  bool tame_each() {
    bool smaller = false;
    constexpr std::uint32_t kIds = 48;
    for (std::size_t at = 0; at < best_.choices.size(); ++at) {
      for (std::uint32_t id = 0; budget_ > 0 && id < kIds && at < best_.choices.size(); ++id) {
        if (best_.choices[at].id == id) continue;
        candidate_ = best_.choices;
        candidate_[at].id = id;
        smaller |= try_out(candidate_);
      }
    }
    return smaller;
  }

  Simulation& simulation_;
  const Scenario& scenario_;
  TolerantChooser chooser_;
  Failure best_;
  const std::atomic<bool>* stop_;
  std::size_t budget_;
  std::vector<Choice> candidate_;
  bool kept_ = false;  ///< Whether drop_steps_of() made best_ smaller.
};

}  // namespace

Failure shrink(Simulation& simulation, const Scenario& scenario, Failure failure,
               const std::atomic<bool>* stop, std::size_t budget) {
  return Shrinker{simulation, scenario, std::move(failure), stop, budget}.shrink();
}

}  // namespace picklock::race
