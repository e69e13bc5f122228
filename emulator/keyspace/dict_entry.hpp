// What the tables of a Dict are made of: an entry, and how it is chained to others.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "emulator/base/memory.hpp"
#include "emulator/keyspace/key_string.hpp"

namespace picklock {

/// The key, the value, and what the table needs. Those who use a Dict leave the rest alone.
template <class Value>
struct DictEntry {
  static constexpr std::uint32_t kEnd = 0;            ///< Of a chain; other links are a place + 1.
  static constexpr std::uint32_t kHole = 0xffffffff;  ///< As `next`: the entry has been erased.

  KeyString key;
  /// Names this insertion for the whole life of the dict; never reused.
  std::uint64_t sequence = 0;
  std::uint32_t hash = 0;
  std::uint32_t next = kEnd;  ///< The next entry of the same bucket.
  [[no_unique_address]] Value value{};

  bool is_live() const { return next != kHole; }
  /// Makes it a hole, which keeps its place in the order and nothing else.
  void bury() {
    next = kHole;
    key = {};
    if (keeps_much(value))
      static_cast<void>(std::exchange(value, Value{}));
    else
      value = Value{};
  }
};

inline std::uint32_t dict_hash(std::string_view key) {
  return static_cast<std::uint32_t>(XXH3_64bits(key.data(), key.size()));
}

/// Where the first entry among `entries` (a range in order) stands whose sequence number is at
/// least `sequence`; holes count.
template <class Entries>
std::size_t dict_lower_bound(const Entries& entries, std::uint64_t sequence) {
  std::size_t low = 0;
  std::size_t high = entries.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (entries[middle].sequence < sequence)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The live entry with this sequence number among `entries`, or null.
template <class Entries>
auto dict_find_sequence(const Entries& entries, std::uint64_t sequence) -> decltype(&entries[0]) {
  const std::size_t at = dict_lower_bound(entries, sequence);
  const bool found =
      at < entries.size() && entries[at].sequence == sequence && entries[at].is_live();
  return found ? &entries[at] : nullptr;
}

}  // namespace picklock
