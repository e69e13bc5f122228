// A Dict of many entries: none of its operations looks at more than a few hundred of them.
//
// Entries stand in segments of a fixed size that never move; buckets come one by one as entries do
// (linear hashing), so that there is no moment at which all are hashed anew. Holes are squeezed out
// a few at each insertion, and a segment that has none but holes is given back at once. A copyable
// value; not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/prefetch.hpp"
#include "emulator/keyspace/dict_entry.hpp"
#include "emulator/keyspace/page_allocator.hpp"
#include "emulator/keyspace/segmented.hpp"

namespace picklock {

template <class Value>
class LargeTable {
 public:
  using Entry = DictEntry<Value>;
  static constexpr std::size_t kSegment = 1024;  ///< Entries in a segment.
  static constexpr std::size_t kFewestBuckets = 1024;

  LargeTable() {
    for (std::size_t i = 0; i < kFewestBuckets; ++i) heads_.push_back(Entry::kEnd);
  }

  std::size_t size() const { return live_; }

  const Entry* find(std::string_view key, std::uint32_t hash) const {
    for (std::uint32_t link = heads_[bucket_of(hash)]; link != Entry::kEnd;) {
      const Entry& entry = linked(link);
      if (entry.hash == hash && entry.key == key) return &entry;
      link = entry.next;
    }
    return nullptr;
  }

  /// Has the processor fetch what find() will look at for these hashes: all of them at once, where
  /// one would wait for another's memory.
  void prefetch(std::span<const std::uint32_t> hashes) const {
    for (const std::uint32_t hash : hashes) picklock::prefetch(&heads_[bucket_of(hash)]);
    for (const std::uint32_t hash : hashes) prefetch_entry(heads_[bucket_of(hash)]);
    for (const std::uint32_t hash : hashes) {
      const std::uint32_t link = heads_[bucket_of(hash)];
      if (link == Entry::kEnd) continue;
      const Entry& entry = linked(link);
      if (entry.hash != hash) prefetch_entry(entry.next);
    }
  }

  /// An entry without key and value at the end of the order.
  Entry& append(std::uint64_t sequence, std::uint32_t hash) {
    squeeze();
    const std::uint32_t id = open_segment(sequence);
    Entry& entry = add_to(segments_[id]);
    entry.sequence = sequence;
    entry.hash = hash;
    entry.next = std::exchange(heads_[bucket_of(hash)], last_link(id));
    if (++live_ > heads_.size()) split_bucket();
    return entry;
  }

  /// Not the last one: then the table itself is to go.
  void erase(Entry& entry) {
    std::uint32_t* to = &heads_[bucket_of(entry.hash)];
    while (&linked(*to) != &entry) to = &linked(*to).next;
    const std::uint32_t id = segment_of(*to);
    *to = entry.next;
    entry.bury();
    --live_;
    if (--segments_[id].live == 0 && id != order_.back()) give_back(place_of(segments_[id].first));
    for (int i = 0; i < 2 && heads_.size() > std::max(kFewestBuckets, 2 * live_); ++i)
      merge_bucket();
  }

  /// The live entry with this sequence number, or null.
  const Entry* find_sequence(std::uint64_t sequence) const {
    return dict_find_sequence(segments_[order_[place_of(sequence)]].entries, sequence);
  }

  /// The first live entry whose sequence number is at least `sequence`, or null.
  const Entry* first_from(std::uint64_t sequence) const {
    std::size_t place = place_of(sequence);
    std::size_t at = dict_lower_bound(segments_[order_[place]].entries, sequence);
    for (; place < order_.size(); ++place, at = 0)
      for (const auto& entries = segments_[order_[place]].entries; at < entries.size(); ++at)
        if (entries[at].is_live()) return &entries[at];
    return nullptr;
  }

  template <class Below>
  const Entry* pick(Below&& below) const {
    const std::size_t slots =
        (order_.size() - 1) * kSegment + segments_[order_.back()].entries.size();
    if (live_ < slots / 4) return nth(static_cast<std::size_t>(below(live_)));
    for (;;)
      if (const Entry* entry = at_slot(static_cast<std::size_t>(below(slots)))) return entry;
  }

  template <class Visit>
  void sample(std::size_t places, Visit&& visit) const {
    const std::size_t slots = order_.size() * kSegment;
    const std::size_t step = std::max<std::size_t>(1, slots / places);
    for (std::size_t slot = 0; slot < slots; slot += step)
      if (const Entry* entry = at_slot(slot)) visit(*entry);
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::uint32_t id : order_)
      for (const Entry& entry : segments_[id].entries)
        if (entry.is_live()) visit(entry);
  }

  /// Destroys at most `most` entries, the last ones, without keeping the table in order: to be used
  /// for nothing else from then on. False if those were all.
  bool wear_down(std::size_t most) {
    for (; !order_.empty(); order_.pop_back()) {
      Entries& entries = segments_[order_.back()].entries;
      for (; !entries.empty(); entries.pop_back())
        if (most-- == 0) return true;
      entries = Entries{};
    }
    return false;
  }

 private:
  using Entries = std::vector<Entry, PageAllocator<Entry>>;

  // Invariants:
  // 1. Along order_, `first` and the sequence numbers of live entries grow strictly; each live
  //    entry's is at least its segment's `first` and less than the next one's. Within a segment
  //    those of holes grow along, too.
  // 2. Each segment in order_ has live entries, but for the last one, which may have lost them.
  // 3. A link is its entry's segment, times kSegment, plus its place there, plus 1. Each live entry
  //    is in the chain of its bucket exactly once.
  struct Segment {
    Entries entries;
    std::uint64_t first = 0;
    std::size_t live = 0;
  };

  static std::uint32_t segment_of(std::uint32_t link) {
    return static_cast<std::uint32_t>((link - 1) / kSegment);
  }
  Entry& linked(std::uint32_t link) {
    return segments_[segment_of(link)].entries[(link - 1) % kSegment];
  }
  const Entry& linked(std::uint32_t link) const {
    return segments_[segment_of(link)].entries[(link - 1) % kSegment];
  }
  void prefetch_entry(std::uint32_t link) const {
    if (link == Entry::kEnd) return;
    const auto* const bytes = reinterpret_cast<const char*>(&linked(link));
    picklock::prefetch(bytes);
    picklock::prefetch(bytes + sizeof(Entry) - 1);
  }
  std::uint32_t last_link(std::uint32_t id) const {
    return static_cast<std::uint32_t>(id * kSegment + segments_[id].entries.size());
  }

  /// Where in order_ the segment is in which an entry with this sequence number would be.
  std::size_t place_of(std::uint64_t sequence) const {
    const auto above = std::upper_bound(
        order_.begin(), order_.end(), sequence,
        [this](std::uint64_t sought, std::uint32_t id) { return sought < segments_[id].first; });
    return above == order_.begin() ? 0 : static_cast<std::size_t>(above - order_.begin()) - 1;
  }

  const Entry* at_slot(std::size_t slot) const {
    const auto& entries = segments_[order_[slot / kSegment]].entries;
    const std::size_t at = slot % kSegment;
    return at < entries.size() && entries[at].is_live() ? &entries[at] : nullptr;
  }
  const Entry* nth(std::size_t n) const {
    for (const std::uint32_t id : order_) {
      const Segment& segment = segments_[id];
      if (n >= segment.live) {
        n -= segment.live;
        continue;
      }
      for (const Entry& entry : segment.entries)
        if (entry.is_live() && n-- == 0) return &entry;
    }
    return nullptr;
  }

  // The buckets.

  std::size_t bucket_of(std::uint32_t hash) const {
    const std::size_t bucket = hash & mask_;
    return bucket < heads_.size() ? bucket : bucket & (mask_ >> 1);
  }
  /// One more bucket takes its share from the one that had it until now.
  void split_bucket() {
    const std::size_t bucket = heads_.size();
    heads_.push_back(Entry::kEnd);
    mask_ = std::bit_ceil(heads_.size()) - 1;
    std::uint32_t* stay = &heads_[bucket & (mask_ >> 1)];
    std::uint32_t* go = &heads_[bucket];
    for (std::uint32_t link = *stay; link != Entry::kEnd;) {
      Entry& entry = linked(link);
      std::uint32_t*& end = (entry.hash & mask_) == bucket ? go : stay;
      *end = link;
      end = &entry.next;
      link = entry.next;
    }
    *stay = Entry::kEnd;
    *go = Entry::kEnd;
  }
  /// The last bucket gives its chain back to the one that it came from.
  void merge_bucket() {
    std::uint32_t* end = &heads_[(heads_.size() - 1) & (mask_ >> 1)];
    while (*end != Entry::kEnd) end = &linked(*end).next;
    *end = heads_.back();
    heads_.pop_back();
    mask_ = std::bit_ceil(heads_.size()) - 1;
  }

  // The segments.

  /// A blank entry at the segment's end.
  Entry& add_to(Segment& segment) {
    // A copy's segment has no room to spare.
    if (segment.entries.size() == segment.entries.capacity()) segment.entries.reserve(kSegment);
    ++segment.live;
    return segment.entries.emplace_back();
  }
  std::uint32_t make_segment(std::uint64_t first) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(segments_.size()));
      segments_.emplace_back();
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    segments_[id].first = first;
    return id;
  }
  /// The last one, if it has room, or one behind it.
  std::uint32_t open_segment(std::uint64_t sequence) {
    if (!order_.empty()) {
      Segment& last = segments_[order_.back()];
      if (last.entries.size() < kSegment) return order_.back();
      if (last.live == 0) {
        last.entries.clear();
        last.first = sequence;
        return order_.back();
      }
    }
    order_.push_back(make_segment(sequence));
    return order_.back();
  }
  void give_back(std::size_t place) {
    const std::uint32_t id = order_[place];
    segments_[id].entries = Entries{};
    free_.push_back(id);
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place));
    if (!squeezing_) return;
    if (place < source_) {
      if (place == --source_) filling_ = false;
    } else if (place == source_) {
      looked_ = 0;
    }
  }

  // Squeezing out holes: from its beginning on, the order is copied into new, full segments, a few
  // entries at each insertion.

  void squeeze() {
    constexpr int kLooks = 8;
    if (!squeezing_) {
      if (order_.size() * kSegment <= 2 * (live_ + kSegment)) return;
      squeezing_ = true;
      filling_ = false;
      source_ = looked_ = 0;
    }
    for (int i = 0; i < kLooks; ++i) {
      if (source_ + 1 >= order_.size()) {  // The last one is still growing.
        squeezing_ = false;
        return;
      }
      if (!filling_ && looked_ == 0 && segments_[order_[source_]].live == kSegment)
        ++source_;
      else
        look_at_next();
    }
  }
  void look_at_next() {
    if (segments_[order_[source_]].entries[looked_].is_live()) move_next();
    Segment& source = segments_[order_[source_]];
    if (source.live == 0) return give_back(source_);
    source.first = source.entries[++looked_].sequence;
  }
  /// The entry that is looked at goes to the end of the segment before.
  void move_next() {
    if (!filling_) {
      const std::uint32_t id = make_segment(segments_[order_[source_]].first);
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(source_), id);
      ++source_;
      filling_ = true;
    }
    const std::uint32_t from_id = order_[source_];
    const std::uint32_t to_id = order_[source_ - 1];
    Entry& from = segments_[from_id].entries[looked_];
    Entry& to = add_to(segments_[to_id]);
    const auto old_link = static_cast<std::uint32_t>(from_id * kSegment + looked_ + 1);
    std::uint32_t* link = &heads_[bucket_of(from.hash)];
    while (*link != old_link) link = &linked(*link).next;
    *link = last_link(to_id);
    to = std::move(from);
    from.bury();
    --segments_[from_id].live;
    filling_ = segments_[to_id].entries.size() < kSegment;
  }

  std::vector<Segment> segments_;     // By their ids, which links are made of.
  std::vector<std::uint32_t> order_;  // The ids of those in use.
  std::vector<std::uint32_t> free_;   // And of the others.
  Segmented<std::uint32_t> heads_;    // The first link of each bucket's chain.
  std::size_t mask_ = kFewestBuckets - 1;
  std::size_t live_ = 0;
  bool squeezing_ = false;
  bool filling_ = false;    // The segment before source_ takes what comes from there.
  std::size_t source_ = 0;  // In order_: what stands before has been squeezed.
  std::size_t looked_ = 0;  // How many entries of it have been looked at.
};

}  // namespace picklock
