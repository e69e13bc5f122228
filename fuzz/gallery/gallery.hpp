// The gallery: lock protocols that people really run, the good and the broken, as scenarios.
//
// Every lock guards one section; a few workers take turns at it, retry until a deadline, count
// their validity from before they asked, and leave in time. Only the protocol differs. The scripts
// are those of lua/scripts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <picklock/race.hpp>

namespace picklock::race {

/// How a lock of the gallery is used.
struct LockSettings {
  int workers = 2;  ///< 2 to 8.
  int rounds = 1;   ///< Holds of each worker, 1 to 100.
  std::int64_t ttl_ms =
      1000;  ///< 0: never expires, where the lock can do that. Some lock in whole seconds.
  bool operator==(const LockSettings&) const = default;
};

struct Protocol;

struct GalleryLock {
  std::string_view name;
  /// How it takes and frees the lock.
  std::string_view summary;
  /// What a search with the default faults finds.
  Class expected = Class::holds;
  std::string_view weakness;
  const Protocol* protocol = nullptr;
};

/// Every lock of the gallery, in a fixed order.
std::span<const GalleryLock> gallery();
/// The lock of this name, or null.
const GalleryLock* find_lock(std::string_view name);

/// The scenario of `lock`; keeps what it needs.
Scenario make_scenario(const GalleryLock& lock, const LockSettings& settings);

/// Search options that name the lock and its settings, so that a replay string is enough to find
/// both.
ExploreOptions make_options(const GalleryLock& lock, const LockSettings& settings);

/// The settings that make_options() wrote into a replay string's parameters; false if they make no
/// sense.
bool read_settings(std::span<const std::uint64_t> parameters, LockSettings& settings);

}  // namespace picklock::race
