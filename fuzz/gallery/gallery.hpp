// The gallery: lock protocols that people really run, the good and the broken, and the lock
// client's own primitives, as scenarios.
//
// Every lock guards something; a few workers take turns at it, retry for a while, count their
// validity from before they asked, and leave in time. The founding protocols are those of
// well_known_protocols(), used by a plain client; the primitives are used as they ship.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <picklock/race.hpp>

namespace picklock {
struct WellKnownProtocol;
}

namespace picklock::race {

/// How a lock of the gallery is used.
struct LockSettings {
  int workers = 2;  ///< 2 to 8.
  int rounds = 1;   ///< Holds of each worker, 1 to 100.
  /// 0: never expires, where the lock can do that. Some lock in whole seconds.
  std::int64_t ttl_ms = 1000;
  /// Of locks that count: who takes the lock again believes that it begins anew.
  bool trusts_reentry = false;
  bool has_replica = false;  ///< Of every server.
  bool operator==(const LockSettings&) const = default;
};

struct Primitive;

struct GalleryLock {
  std::string_view name;
  /// How it takes and frees the lock.
  std::string_view summary;
  /// What goes wrong with it; empty: nothing but what no lock of its kind survives.
  std::string_view weakness;
  /// The name of a lock that lacks the weakness; may be empty.
  std::string_view twin;
  const WellKnownProtocol* protocol = nullptr;  ///< Of a founding protocol.
  const Primitive* primitive = nullptr;         ///< Of the lock client's own.
  /// Whether the server counts a client's holds.
  bool counts = false;
  /// Whether it stands in a key of its own, which can be evicted.
  bool has_key = true;
  /// Whether the server's clock decides when a hold ends.
  bool expires = true;
  /// How many workers show what it is about.
  int workers = 2;
  /// Held by a majority of servers: then it is used through the lock client.
  bool by_majority = false;
  /// Its server has a replica, whatever the settings say.
  bool has_replica = false;
  /// It takes itself for the holder only once so many replicas have confirmed (WAIT).
  int waits = 0;
};

/// Every lock of the gallery, in a fixed order: the founding protocols, then the primitives.
std::span<const GalleryLock> gallery();
/// The lock of this name, or null.
const GalleryLock* find_lock(std::string_view name);

/// The scenario of `lock`; keeps what it needs.
Scenario make_scenario(const GalleryLock& lock, const LockSettings& settings);

/// Search options that name the lock and its settings, so that a replay string is enough to find
/// both, and say what an exhaustive search may assume of it.
ExploreOptions make_options(const GalleryLock& lock, const LockSettings& settings);

/// The settings that make_options() wrote into a replay string's parameters; false if they make no
/// sense.
bool read_settings(std::span<const std::uint64_t> parameters, LockSettings& settings);

}  // namespace picklock::race
