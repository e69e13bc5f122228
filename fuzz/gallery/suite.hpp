// Judging the bug suite: how soon each bug is found, by what, and whether its twin holds.
//
// Used by `picklock-fuzz bugs` and the tests. Pure: the same numbers on every machine.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/gallery/bugs.hpp"

namespace picklock::race {

struct SuiteBounds {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 5;
  std::uint64_t schedules = 10'000;
  std::uint64_t twin_schedules = 2'000;
  /// Every failure found is shrunk and certified over so many states; 0: none is.
  std::uint64_t certify = 0;
  const std::atomic<bool>* stop = nullptr;          ///< See ExploreOptions::stop.
  std::function<void(const Progress&)> progress;    ///< Of each search; may be empty.
  std::function<std::chrono::nanoseconds()> clock;  ///< For BugResult::spent; may be empty.
};

/// How near to the shortest schedules shrinking comes, by their steps.
struct ShrinkTally {
  std::uint64_t exact = 0;      ///< As short as can be, by its certificate.
  std::uint64_t shortened = 0;  ///< The certificate's search has found a shorter one.
  std::uint64_t open = 0;       ///< Too many states.
  std::uint32_t least = 0;      ///< Steps of the shortest of all.
  void add(const ShrinkTally& other);
};

struct BugResult {
  const Bug* bug = nullptr;
  /// The schedule in which each seed found it, sorted; one beyond the bound for a seed that missed.
  std::vector<std::uint64_t> found;
  /// How many seeds each strategy of the portfolio has found it for.
  std::array<std::uint64_t, 8> found_by{};
  std::vector<std::chrono::nanoseconds> spent;  ///< Each seed's search until then, sorted.
  std::uint64_t missed = 0;                     ///< Seeds that found nothing, or something else.
  Verdict first;                                ///< Of the first seed, shrunk.
  std::size_t shrunk = 0;                       ///< Choices of `first`.
  Verdict twin;
  ShrinkTally tally;
  bool interrupted = false;  ///< By SuiteBounds::stop: says nothing.

  /// Which found it for most of the seeds.
  Strategy best_strategy() const;
  bool twin_holds() const { return !bug->has_twin || static_cast<bool>(twin); }
  bool is_right() const { return missed == 0 && twin_holds(); }
  /// The schedule that finds it for `percent` of the seeds.
  std::uint64_t found_for(std::uint64_t percent) const;
};

BugResult judge(const Bug& bug, const SuiteBounds& bounds);

}  // namespace picklock::race
