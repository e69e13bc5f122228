// A hash table from strings to values that keeps the order of insertion.
//
// Iteration, random picks and scans depend on the history of operations alone, never on hash order,
// so they are the same on every machine. Entries stand in one vector, an open-addressing index
// finds them. Deleted entries leave holes that a rebuild squeezes out. Pointers to values are valid
// until the next insertion or erasure. A copyable value; not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace picklock {

template <class Value>
class Dict {
 public:
  // Invariants:
  // 1. `sequence` grows strictly along entries_, holes included.
  // 2. index_ has a power-of-two size and at least one empty slot; each live entry is in it exactly
  // once.
  struct Entry {
    std::string key;
    Value value;
    std::uint64_t sequence =
        0;  ///< Names this insertion for the whole life of the dict; never reused.
    std::uint32_t hash = 0;
    bool live = false;
  };

  std::size_t size() const { return live_; }
  bool empty() const { return live_ == 0; }

  const Value* find(std::string_view key) const {
    const Entry* entry = find_entry(key);
    return entry ? &entry->value : nullptr;
  }
  Value* find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  const Entry* find_entry(std::string_view key) const {
    const std::size_t slot = slot_of(key, hash_of(key));
    return slot == kNotFound ? nullptr : &entries_[index_[slot] - 1];
  }
  Entry* find_entry(std::string_view key) {
    return const_cast<Entry*>(std::as_const(*this).find_entry(key));
  }

  /// The live entry with this sequence number, or null.
  const Entry* find_sequence(std::uint64_t sequence) const {
    const std::size_t at = lower_bound(sequence);
    if (at == entries_.size() || entries_[at].sequence != sequence || !entries_[at].live)
      return nullptr;
    return &entries_[at];
  }

  /// The first live entry whose sequence number is at least `sequence`, or null.
  const Entry* first_from(std::uint64_t sequence) const {
    for (std::size_t at = lower_bound(sequence); at < entries_.size(); ++at)
      if (entries_[at].live) return &entries_[at];
    return nullptr;
  }

  /// The entry of `key`, made with `Value{}` at the end of the order if it is missing (then second
  /// is true).
  std::pair<Entry*, bool> insert(std::string_view key) {
    if (entries_.size() + 1 >= capacity()) rebuild();
    const std::uint32_t hash = hash_of(key);
    if (const std::size_t slot = slot_of(key, hash); slot != kNotFound)
      return {&entries_[index_[slot] - 1], false};
    Entry& entry = entries_.emplace_back();
    entry.key.assign(key);
    entry.sequence = ++last_sequence_;
    entry.hash = hash;
    entry.live = true;
    place(hash, static_cast<std::uint32_t>(entries_.size()));
    ++live_;
    return {&entry, true};
  }

  bool erase(std::string_view key) {
    Entry* entry = find_entry(key);
    if (!entry) return false;
    erase(*entry);
    return true;
  }
  /// `entry` is a live one of this dict.
  void erase(Entry& entry) {
    if (--live_ == 0) return reset_holes();
    const auto position = static_cast<std::uint32_t>(&entry - entries_.data()) + 1;
    const std::size_t mask = index_.size() - 1;
    std::size_t slot = entry.hash & mask;
    while (index_[slot] != position) slot = (slot + 1) & mask;
    index_[slot] = kHole;
    entry.live = false;
    entry.key = {};
    entry.value = Value{};
  }

  void clear() {
    entries_.clear();
    index_.assign(index_.size() > kKeptSlots ? 0 : index_.size(), kEmpty);
    live_ = 0;
  }

  /// A live entry, each as likely as any other, or null; `below(n)` draws a number under n.
  template <class Below>
  const Entry* pick(Below&& below) const {
    if (live_ == 0) return nullptr;
    if (live_ < entries_.size() / 4) {  // Among so many holes a look at all of them is quicker.
      auto nth = below(live_);
      for (const Entry& entry : entries_)
        if (entry.live && nth-- == 0) return &entry;
    }
    for (;;) {
      const Entry& entry = entries_[static_cast<std::size_t>(below(entries_.size()))];
      if (entry.live) return &entry;
    }
  }

  /// Calls `visit(entry)` for the live entries among `places` that lie evenly spread: a look at a
  /// few, at a cost that does not grow with the dict.
  template <class Visit>
  void sample(std::size_t places, Visit&& visit) const {
    const std::size_t step = std::max<std::size_t>(1, entries_.size() / places);
    for (std::size_t at = 0; at < entries_.size(); at += step)
      if (entries_[at].live) visit(entries_[at]);
  }

  /// Calls `visit(entry)` for every live entry in order of insertion.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_)
      if (entry.live) visit(entry);
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Entry& entry : entries_)
      if (entry.live) visit(entry);
  }

 private:
  static constexpr std::uint32_t kEmpty = 0;
  static constexpr std::uint32_t kHole = 0xffffffff;
  static constexpr std::size_t kNotFound = ~std::size_t{0};
  static constexpr std::size_t kKeptSlots = 1024;

  static std::uint32_t hash_of(std::string_view key) {
    return static_cast<std::uint32_t>(XXH3_64bits(key.data(), key.size()));
  }

  /// Entries (holes included) that the index has room for: three quarters of its slots.
  std::size_t capacity() const { return index_.size() - index_.size() / 4; }

  std::size_t slot_of(std::string_view key, std::uint32_t hash) const {
    if (live_ == 0) return kNotFound;
    const std::size_t mask = index_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const std::uint32_t at = index_[slot];
      if (at == kEmpty) return kNotFound;
      if (at == kHole) continue;
      const Entry& entry = entries_[at - 1];
      if (entry.hash == hash && entry.key == key) return slot;
    }
  }

  void place(std::uint32_t hash, std::uint32_t position) {
    const std::size_t mask = index_.size() - 1;
    std::size_t slot = hash & mask;
    while (index_[slot] != kEmpty) slot = (slot + 1) & mask;
    index_[slot] = position;
  }

  std::size_t lower_bound(std::uint64_t sequence) const {
    std::size_t low = 0;
    std::size_t high = entries_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (entries_[middle].sequence < sequence)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  void reset_holes() {
    entries_.clear();
    index_.assign(index_.size() > kKeptSlots ? 0 : index_.size(), kEmpty);
  }

  /// Squeezes out the holes and grows the index so that half of it is free.
  void rebuild() {
    std::erase_if(entries_, [](const Entry& entry) { return !entry.live; });
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(8, (entries_.size() + 1) * 2));
    index_.assign(slots, kEmpty);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      place(entries_[i].hash, static_cast<std::uint32_t>(i + 1));
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> index_;  // Position in entries_ plus 1, kEmpty or kHole.
  std::size_t live_ = 0;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace picklock
