// One search: runs schedules by a strategy until one breaks a property, and counts.
//
// Shrinks and draws nothing. Not thread-safe.
#pragma once

#include <functional>
#include <memory>

#include <picklock/race.hpp>

#include "fuzz/search/portfolio.hpp"
#include "fuzz/search/shrink.hpp"

namespace picklock::race {

/// What a search has found.
struct Findings {
  Failure worst;  ///< The first failure of the highest class.
  std::uint64_t schedules = 0;
  std::uint64_t found_at = 0;
  Strategy found_by = Strategy::portfolio;
  std::uint64_t repeated = 0;  ///< Schedules that were run once more.
  std::uint64_t limits = 0;
  Coverage coverage;
  std::uint64_t states = 0;
  bool complete = false;
  bool interrupted = false;  ///< By ExploreOptions::stop.
  /// Not empty: two runs by the same choices differed, and how.
  std::string nondeterminism;
  /// Not empty: states with one number went on differently, and where.
  std::string wrong_digest;
  /// Not empty: a worker never came back, and which.
  std::string unresponsive;
  /// Of one shard of several.
  std::shared_ptr<Part> part;
};

/// explore(), or what stands in its place.
using Explorer = std::function<Verdict(const ExploreOptions&, const Scenario&)>;

/// How many of the first `schedules` a portfolio runs once more, if not all.
std::uint64_t count_audited(std::uint64_t schedules);

Findings search(const ExploreOptions& options, const Scenario& scenario, Simulation& simulation);

}  // namespace picklock::race
