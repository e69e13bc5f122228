// The keys of one database that somebody watches, each with a version that every change raises.
//
// Only WATCH makes entries, so that a database that nobody watches pays one comparison a change.
// Who watches, and since which version, is the watcher's own affair. A copyable value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/keyspace/dict.hpp"

namespace picklock {

class WatchedKeys {
 public:
  bool empty() const { return keys_.empty(); }

  /// Adds a watcher of `key`; returns the version that it has now.
  std::uint64_t add(std::string_view key) {
    Entry& entry = keys_.insert(key).first->value;
    ++entry.watchers;
    return entry.version;
  }
  /// Takes one watcher of `key` away.
  void remove(std::string_view key) {
    Entry* entry = keys_.find(key);
    if (entry && --entry->watchers == 0) keys_.erase(key);
  }
  /// Counts a change of `key`; `removed` tells whether it is gone by it.
  void touch(std::string_view key, bool removed) {
    Entry* entry = keys_.find(key);
    if (!entry) return;
    ++entry->version;
    if (removed) entry->removed.push_back(entry->version);
  }
  /// SWAPDB: counts as a change but for those who watch a key that had expired.
  void touch_living(std::string_view key) {
    Entry* entry = keys_.find(key);
    if (!entry) return;
    entry->spared.push_back(++entry->version);
  }
  /// SWAPDB: instead of no key there is one that has expired from now on, which is no change.
  void become_expired(std::string_view key) {
    if (Entry* entry = keys_.find(key)) entry->expired.push_back(entry->version);
  }

  /// What a watch has come to.
  struct Outcome {
    bool changed = false;
    bool of_expired = false;  ///< It is one of a key that had expired before.
  };
  /// Of `key` since `version`, when it had expired (`was_expired`) or not. That a key which had is
  /// deleted is no change, but what comes after that is. Redis 7.0: touchWatchedKey.
  Outcome look(std::string_view key, std::uint64_t version, bool was_expired) const {
    const Entry* entry = keys_.find(key);
    if (!entry) return {false, was_expired};
    const auto has = [](const std::vector<std::uint64_t>& versions, std::uint64_t one) {
      return std::ranges::find(versions, one) != versions.end();
    };
    bool expired = was_expired || has(entry->expired, version);
    while (expired && version != entry->version) {
      ++version;
      if (has(entry->spared, version)) continue;
      if (!has(entry->removed, version)) return {true, false};
      expired = has(entry->expired, version);
    }
    return {version != entry->version, expired};
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    keys_.for_each([&](const auto& entry) { visit(entry.key); });
  }

 private:
  struct Entry {
    std::uint64_t version = 0;
    std::uint32_t watchers = 0;
    // Versions, in ascending order.
    std::vector<std::uint64_t> removed;  // By which the key has gone.
    std::vector<std::uint64_t> spared;   // See touch_living().
    std::vector<std::uint64_t> expired;  // See become_expired().
  };

  Dict<Entry> keys_;
};

}  // namespace picklock
