// The portfolio: which strategy runs which schedule, and what it learns on the way.
//
// Schedules are numbered from 1 and grouped in slices. What a schedule does depends on the seed,
// its number and its slice alone, so that slices can run on different machines and give what one
// machine would have found. Not thread-safe.
#pragma once

#include <string_view>

#include "fuzz/search/strategies.hpp"
#include "fuzz/world/coverage.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {

inline constexpr std::uint64_t kSlice = 256;

class Portfolio {
 public:
  Portfolio(const Faults& faults, Strategy strategy, std::uint64_t seed);

  /// The chooser for this schedule; valid until the next call.
  Chooser& begin(std::uint64_t schedule);
  /// The strategy of that schedule: one of the portfolio's.
  Strategy picked_by() const { return picked_by_; }
  /// Tells what came of it: its choices, and whether it covered something new within the slice.
  void learn(const std::vector<Choice>& choices, bool is_new);

 private:
  Chooser& begin_as(Strategy strategy, std::uint64_t seed, std::uint64_t turn);
  FaultSet draw_faults(Random& random) const;
  std::span<const Choice> parent(std::size_t index) const;

  FaultSet faults_ = 0;
  std::vector<FaultSet> kinds_;
  Strategy strategy_;
  Strategy picked_by_ = Strategy::random;
  std::uint64_t seed_;
  std::uint64_t slice_ = ~std::uint64_t{0};
  Habits habits_;
  bool measured_ = false;
  std::vector<Choice> corpus_;        ///< The schedules worth varying, one after the other...
  std::vector<std::size_t> parents_;  ///< ...and where each ends.

  WalkChooser walk_;
  UniformChooser uniform_;
  PriorityChooser priority_;
  PartialOrderChooser partial_order_;
  DelayChooser delay_;
  MutationChooser mutation_;
};

}  // namespace picklock::race
