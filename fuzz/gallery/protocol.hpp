// What the gallery's protocols have in common: a bench to work at, scripts, and acquire and
// release.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include <picklock/race.hpp>

#include "fuzz/gallery/gallery.hpp"

namespace picklock::race {

/// A script as a client keeps it: the source, and the digest that EVALSHA takes.
struct LockScript {
  std::string_view source;
  std::string digest;
};

/// What the workers of one schedule share.
struct Bench {
  Node* redis = nullptr;
  Exclusive* section = nullptr;
  LockSettings settings;
  LockScript acquire;
  LockScript release;
};

inline constexpr std::string_view kLockKey = "lock";

/// One way to lock. The coroutines throw when the server's answer is none that the protocol knows.
struct Protocol {
  std::string_view acquire_script;  ///< A name of lua/scripts; empty: plain commands.
  std::string_view release_script;
  /// True if this call took the lock.
  Task<bool> (*acquire)(Worker& worker, const Bench& bench, std::string_view token);
  Task<> (*release)(Worker& worker, const Bench& bench, std::string_view token);
  bool in_seconds = false;        ///< The TTL is given to the server in whole seconds, rounded up.
  bool zero_is_for_ever = false;  ///< A TTL of 0 means none.
  int depth = 1;                  ///< How often a holder takes the lock (reentrant locks: 2).
};

extern const Protocol kSimpleSetnx;
extern const Protocol kReentrantHash;
extern const Protocol kSetNxPx;
extern const Protocol kDelWithoutCheck;
extern const Protocol kGetThenDel;
extern const Protocol kSetnxThenExpire;

inline std::int64_t ttl_seconds(const LockSettings& settings) {
  return (settings.ttl_ms + 999) / 1000;
}

/// A worker's life: `settings.rounds` times acquire, be inside, release.
Task<> take_turns(Worker& worker, const Bench& bench, const Protocol& protocol);

}  // namespace picklock::race
