// A Dict of a few hundred entries at most: one vector of them, and one of buckets.
//
// Copied and compared all the time by who searches through histories, so that assignment uses
// memory again. The vector grows and is squeezed as a whole, which takes no longer than it may
// because it is short. A copyable value; not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/keyspace/dict_entry.hpp"

namespace picklock {

template <class Value>
class SmallTable {
 public:
  using Entry = DictEntry<Value>;
  static constexpr std::size_t kMostSlots = 1024;
  static constexpr std::size_t kTiny = 5;  ///< As many as the fewest buckets are for.

  // Invariants:
  // 1. `sequence` grows strictly along entries_, holes included.
  // 2. heads_ has a power-of-two size; each live entry is in the chain of its bucket exactly once.
  // 3. Without a live entry there are no holes either: then only the number of buckets is left.

  SmallTable() = default;
  SmallTable(const SmallTable&) = default;
  SmallTable(SmallTable&&) noexcept = default;
  SmallTable& operator=(const SmallTable& other) {
    if (live_ + other.live_ == 0 && heads_.size() == other.heads_.size()) return *this;
    entries_ = other.entries_;
    heads_ = other.heads_;
    live_ = other.live_;
    return *this;
  }
  SmallTable& operator=(SmallTable&&) noexcept = default;
  ~SmallTable() = default;

  std::size_t size() const { return live_; }

  /// To be asked before append(): squeezes out the holes and makes room. False if the table would
  /// become too large.
  bool make_room() {
    if (entries_.size() + 1 < capacity()) return true;
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(8, (live_ + 1) * 2));
    if (slots > kMostSlots) return false;
    std::erase_if(entries_, [](const Entry& entry) { return !entry.is_live(); });
    heads_.assign(slots, Entry::kEnd);
    for (std::size_t at = 0; at < entries_.size(); ++at) chain(at);
    return true;
  }

  /// Whether it takes less time to look at each entry than to hash a key.
  bool is_tiny() const { return entries_.size() <= kTiny; }
  /// In a tiny one.
  const Entry* find(std::string_view key) const {
    for (const Entry& entry : entries_)
      if (entry.key == key && entry.is_live()) return &entry;
    return nullptr;
  }
  const Entry* find(std::string_view key, std::uint32_t hash) const {
    if (live_ == 0) return nullptr;
    for (std::uint32_t link = heads_[hash & (heads_.size() - 1)]; link != Entry::kEnd;) {
      const Entry& entry = entries_[link - 1];
      if (entry.hash == hash && entry.key == key) return &entry;
      link = entry.next;
    }
    return nullptr;
  }

  /// An entry without key and value at the end of the order.
  Entry& append(std::uint64_t sequence, std::uint32_t hash) {
    Entry& entry = entries_.emplace_back();
    entry.sequence = sequence;
    entry.hash = hash;
    chain(entries_.size() - 1);
    ++live_;
    return entry;
  }

  void erase(Entry& entry) {
    if (--live_ == 0) return clear();
    const auto link = static_cast<std::uint32_t>(&entry - entries_.data()) + 1;
    std::uint32_t* to = &heads_[entry.hash & (heads_.size() - 1)];
    while (*to != link) to = &entries_[*to - 1].next;
    *to = entry.next;
    entry.bury();
  }

  void clear() {
    entries_.clear();
    std::ranges::fill(heads_, Entry::kEnd);
    live_ = 0;
  }

  /// The live entry with this sequence number, or null.
  const Entry* find_sequence(std::uint64_t sequence) const {
    return dict_find_sequence(entries_, sequence);
  }

  /// The first live entry whose sequence number is at least `sequence`, or null.
  const Entry* first_from(std::uint64_t sequence) const {
    for (std::size_t at = dict_lower_bound(entries_, sequence); at < entries_.size(); ++at)
      if (entries_[at].is_live()) return &entries_[at];
    return nullptr;
  }

  template <class Below>
  const Entry* pick(Below&& below) const {
    if (live_ == 0) return nullptr;
    if (live_ < entries_.size() / 4) {  // Among so many holes a look at all of them is quicker.
      auto nth = below(live_);
      for (const Entry& entry : entries_)
        if (entry.is_live() && nth-- == 0) return &entry;
    }
    for (;;) {
      const Entry& entry = entries_[static_cast<std::size_t>(below(entries_.size()))];
      if (entry.is_live()) return &entry;
    }
  }

  template <class Visit>
  void sample(std::size_t places, Visit&& visit) const {
    const std::size_t step = std::max<std::size_t>(1, entries_.size() / places);
    for (std::size_t at = 0; at < entries_.size(); at += step)
      if (entries_[at].is_live()) visit(entries_[at]);
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_)
      if (entry.is_live()) visit(entry);
  }

 private:
  /// Entries (holes included) that there are buckets for.
  std::size_t capacity() const { return heads_.size() - heads_.size() / 4; }

  void chain(std::size_t at) {
    std::uint32_t& head = heads_[entries_[at].hash & (heads_.size() - 1)];
    entries_[at].next = std::exchange(head, static_cast<std::uint32_t>(at + 1));
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> heads_;  // The first link of each bucket's chain.
  std::size_t live_ = 0;
};

}  // namespace picklock
