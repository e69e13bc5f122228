// The keys of one database that somebody watches, each with a version that every change raises.
//
// Only WATCH makes entries, so that a database that nobody watches pays one comparison a change.
// Who watches, and since which version, is the watcher's own affair. A copyable value.
#pragma once

#include <cstdint>
#include <string_view>

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
    if (Entry* entry = keys_.find(key)) {
      ++entry->version;
      entry->removed = removed;
    }
  }
  /// Whether `key` has changed since `version`. That a key which had expired before (`was_expired`)
  /// has been deleted is no change. Redis 7.0: touchWatchedKey.
  bool has_changed(std::string_view key, std::uint64_t version, bool was_expired) const {
    const Entry* entry = keys_.find(key);
    if (!entry || entry->version == version) return false;
    return !(was_expired && entry->version == version + 1 && entry->removed);
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    keys_.for_each([&](const auto& entry) { visit(entry.key); });
  }

 private:
  struct Entry {
    std::uint64_t version = 0;
    std::uint32_t watchers = 0;
    bool removed = false;  // By the latest change.
  };

  Dict<Entry> keys_;
};

}  // namespace picklock
