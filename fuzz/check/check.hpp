// Checks a lock that a check file describes: trial, search, bad arguments.
#pragma once

#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "fuzz/check/lock_check.hpp"
#include "fuzz/search/search.hpp"

namespace picklock::race {

struct CheckResult {
  /// Of the search; of class unusable, without a timeline, if the trial failed.
  Verdict verdict;
  /// What is broken whatever the schedule, a line each.
  std::vector<std::string> findings;

  /// The worst of both.
  Class worst() const;
};

/// The lock as options of a search name it.
ExploreOptions make_options(const LockCheck& check);

/// Of `options`, all but scenario, parameters, configuration and replay command are used.
CheckResult run_check(const LockCheck& check, ExploreOptions options,
                      const Explorer& explorer = explore);

/// Shows a schedule that run_check() has found again.
Verdict replay_check(LockCheck check, const std::string& replay_string);

}  // namespace picklock::race
