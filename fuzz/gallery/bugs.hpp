// The bug suite: lock-race bugs that people have shipped, each as a small scenario, and its mended
// twin.
//
// Every bug must be found, by the property it breaks; no twin may be accused. Used by
// `picklock-fuzz bugs` and the tests.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <picklock/race.hpp>

namespace picklock::race {

struct Bug {
  std::string_view id;       ///< A letter for the group and a number.
  std::string_view lock;     ///< What kind of lock it is about.
  std::string_view summary;  ///< What the code does wrong.
  Oracle oracle = Oracle::none;
  Faults faults = Faults::none();
  /// Builds the world; `mended`: of the twin.
  void (*furnish)(World& world, bool mended) = nullptr;
  /// A documented limit: what no lock of this kind survives, and what must be seen to be reachable.
  Class expected = Class::violation;
  /// A documented limit has no twin under the same faults unless it is named here.
  bool has_twin = true;
  /// See ExploreOptions::timeless; of the bug, not of its twin.
  bool timeless = false;
};

/// All of them, in order of their ids.
const std::vector<Bug>& all_bugs();
/// The one of this id, or null.
const Bug* find_bug(std::string_view id);

Scenario make_scenario(const Bug& bug, bool mended);
/// Search options that name the bug, so that a replay string is enough to find it.
ExploreOptions make_options(const Bug& bug, bool mended);
/// The bug, or the twin, that a replay string of this scenario and these parameters is of; null if
/// of none.
const Bug* find_bug(std::string_view scenario, std::span<const std::uint64_t> parameters,
                    bool& mended);

}  // namespace picklock::race
