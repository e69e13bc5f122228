// The matrix of verdicts: every lock of the gallery under every condition, each kind of fault
// alone.
//
// Pure: the same numbers and replay strings on every machine. Used by `picklock-fuzz verdicts` and
// the tests.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/gallery/gallery.hpp"

namespace picklock::race {

/// One way in which the world, or the lock's user, does otherwise than one hopes.
struct Condition {
  std::string_view name;
  std::string_view meaning;  ///< A sentence.
  Faults faults = Faults::none();
  std::chrono::milliseconds max_delay{0};
  std::int64_t ttl_ms = 1000;
  bool trusts_reentry = false;
};

/// Every condition: none, late messages, each kind of fault, and how users go wrong.
std::span<const Condition> conditions();
/// The condition of this name, or null.
const Condition* find_condition(std::string_view name);

struct MatrixBounds {
  std::uint64_t seed = 1;
  /// How many schedules a cell is searched for, if it is not proved.
  std::uint64_t schedules = 1'000;
  /// In how many runs an exhaustive search of a founding protocol on one server must end; 0: none
  /// is tried.
  std::uint64_t exhaustive = 0;
  bool twice = false;  ///< See ExploreOptions.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const Progress&)> progress;
};

struct Cell {
  const GalleryLock* lock = nullptr;
  const Condition* condition = nullptr;
  /// False where there is nothing to search: the condition is not for the lock.
  bool applies = true;
  Verdict verdict;
  /// Whether an exhaustive search was begun and did not end: then `verdict` is of a sample.
  bool gave_up = false;

  /// Whether `verdict` is of every schedule that there is.
  bool is_proved() const { return verdict.complete; }
};

LockSettings settings_of(const GalleryLock& lock, const Condition& condition);
Cell judge(const GalleryLock& lock, const Condition& condition, const MatrixBounds& bounds);

/// What stands in a table: "holds: 237 states", "holds: 1000 schedules", "documented limit", ...
std::string phrase_cell(const Cell& cell);

}  // namespace picklock::race
