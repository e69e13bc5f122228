// A Dict of a few hundred entries at most: one vector of them, and one of buckets, for which a
// handful of entries are too few.
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
  // 2. buckets_ is a power of two, or 0 before the first entry.
  // 3. A tiny table has no heads_, and its entries no hash. In any other, of heads_ there are as
  //    many as buckets_, and each live entry is in the chain of its bucket exactly once.
  // 4. Without a live entry there are no holes either: then only the number of buckets is left.

  SmallTable() = default;
  SmallTable(const SmallTable&) = default;
  SmallTable(SmallTable&&) noexcept = default;
  SmallTable& operator=(const SmallTable& other) {
    buckets_ = other.buckets_;
    if (live_ + other.live_ == 0) return *this;
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
    buckets_ = slots;
    if (is_tiny())
      heads_.clear();
    else
      chain_all();
    return true;
  }

  /// Whether it takes less time to look at each entry than to hash a key.
  bool is_tiny() const { return entries_.size() <= kTiny; }
  /// The same with one entry more.
  bool stays_tiny() const { return entries_.size() < kTiny; }
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

  /// An entry without key and value at the end of the order. `hash` is looked at unless the table
  /// stays tiny.
  Entry& append(std::uint64_t sequence, std::uint32_t hash) {
    const bool was_tiny = is_tiny();
    Entry& entry = entries_.emplace_back();
    entry.sequence = sequence;
    entry.hash = hash;
    if (!was_tiny)
      chain(entries_.size() - 1);
    else if (!is_tiny())
      leave_tiny();
    ++live_;
    return entry;
  }

  void erase(Entry& entry) {
    if (--live_ == 0) return clear();
    if (is_tiny()) return entry.bury();
    const auto link = static_cast<std::uint32_t>(&entry - entries_.data()) + 1;
    std::uint32_t* to = &heads_[entry.hash & (heads_.size() - 1)];
    while (*to != link) to = &entries_[*to - 1].next;
    *to = entry.next;
    entry.bury();
  }

  void clear() {
    entries_.clear();
    heads_.clear();
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
  std::size_t capacity() const { return buckets_ - buckets_ / 4; }

  /// The last entry has its hash already, and has yet to get its key.
  [[gnu::noinline]] void leave_tiny() {
    for (std::size_t at = 0; at + 1 < entries_.size(); ++at)
      if (entries_[at].is_live()) entries_[at].hash = dict_hash(entries_[at].key);
    chain_all();
  }

  void chain_all() {
    heads_.assign(buckets_, Entry::kEnd);
    for (std::size_t at = 0; at < entries_.size(); ++at)
      if (entries_[at].is_live()) chain(at);
  }

  void chain(std::size_t at) {
    std::uint32_t& head = heads_[entries_[at].hash & (heads_.size() - 1)];
    entries_[at].next = std::exchange(head, static_cast<std::uint32_t>(at + 1));
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> heads_;  // The first link of each bucket's chain.
  std::size_t buckets_ = 0;           // That there are, or would be.
  std::size_t live_ = 0;
};

}  // namespace picklock
