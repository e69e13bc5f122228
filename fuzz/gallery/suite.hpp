// Judging the bug suite: how soon each bug is found, by what, and whether its twin holds.
//
// Used by `picklock-fuzz bugs` and the tests. Pure: the same numbers on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/gallery/bugs.hpp"

namespace picklock::race {

struct SuiteBounds {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 5;
  std::uint64_t schedules = 10'000;
  std::uint64_t twin_schedules = 2'000;
  const std::atomic<bool>* stop = nullptr;  ///< See ExploreOptions::stop.
};

struct BugResult {
  const Bug* bug = nullptr;
  /// The schedule in which each seed found it, sorted; one beyond the bound for a seed that missed.
  std::vector<std::uint64_t> found;
  std::uint64_t missed = 0;  ///< Seeds that found nothing, or something else.
  Verdict first;             ///< Of the first seed, shrunk.
  std::size_t shrunk = 0;    ///< Choices of `first`.
  Verdict twin;
  bool pending = false;  ///< Not built yet: counts neither way.
  bool interrupted = false;  ///< By SuiteBounds::stop: says nothing.

  bool twin_holds() const { return !bug->has_twin || static_cast<bool>(twin); }
  bool is_right() const { return pending || (missed == 0 && twin_holds()); }
  /// The schedule that finds it for `percent` of the seeds.
  std::uint64_t found_for(std::uint64_t percent) const;
};

BugResult judge(const Bug& bug, const SuiteBounds& bounds);

}  // namespace picklock::race
