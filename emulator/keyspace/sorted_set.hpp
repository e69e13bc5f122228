// The value of a sorted set: members ordered by score, then by bytes.
//
// A small one is a row of bytes, a large one a tree on the heap. The row is used only as long as
// Redis would keep a listpack. A copyable value; not thread-safe; items are valid until the next
// change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/keyspace/box.hpp"
#include "emulator/keyspace/encoding_limits.hpp"
#include "emulator/keyspace/packed_items.hpp"
#include "emulator/keyspace/score_tree.hpp"

namespace picklock {

class SortedSet {
 public:
  using Item = ScoredItem;

  std::size_t size() const { return large_ ? large_->tree.size() : packed_.size(); }
  bool empty() const { return size() == 0; }

  /// The score of `member`, or nullopt.
  std::optional<double> score(std::string_view member) const {
    if (large_) {
      const double* score = large_->tree.score(member);
      return score ? std::optional{*score} : std::nullopt;
    }
    const char* place = packed_.find(member).at;
    return place ? std::optional{PackedItems::score_at(place)} : std::nullopt;
  }
  /// Makes room, so that memory is asked for once: `count` items are about to be added that take so
  /// many bytes_for() in all.
  void expect(std::size_t count, std::size_t bytes) {
    if (!large_) packed_.expect(count, bytes);
  }
  static std::size_t bytes_for(std::string_view member, double score) {
    return PackedItems::bytes_for(member, score);
  }
  /// Adds `member`, which must not be that of an item, or moves it; `score` must not be NaN.
  void set(std::string_view member, double score, const EncodingLimits& limits = {});
  /// False if it is not there.
  bool erase(std::string_view member);
  /// Removes the `count` items from `rank` on; they must be there.
  void erase(std::size_t rank, std::size_t count);

  /// How many members stand before `member`, or nullopt if it is not there.
  std::optional<std::size_t> rank(std::string_view member) const;
  /// The item at `rank`, which must be less than size(). In a small set this takes time in
  /// proportion to the rank: for_each() and items() are for several.
  Item at(std::size_t rank) const { return large_ ? large_->tree.nth(rank) : packed_.nth(rank); }
  /// How many items stand before the first one for which `precedes(item)` is false. It must be true
  /// for a first part of the order and false for the rest.
  template <class Precedes>
  std::size_t count_while(Precedes&& precedes) const {
    return large_ ? large_->tree.count_while(precedes) : packed_.count_while(precedes);
  }
  /// Calls `visit(item)` for the `count` items from `rank` on, which must be there.
  template <class Visit>
  void for_each(std::size_t rank, std::size_t count, Visit&& visit) const {
    if (large_)
      large_->tree.for_each(rank, count, visit);
    else
      packed_.for_each(rank, count, visit);
  }
  /// The same for all.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each(0, size(), visit);
  }
  std::vector<Item> items(std::size_t rank, std::size_t count) const {
    std::vector<Item> items;
    items.reserve(count);
    for_each(rank, count, [&](const Item& item) { items.push_back(item); });
    return items;
  }
  /// Calls `visit(member, score)` for about `places` members that lie evenly spread.
  template <class Visit>
  void sample(std::size_t places, Visit&& visit) const {
    if (large_)
      return large_->tree.members().sample(
          places, [&](const auto& entry) { visit(entry.key, entry.value); });
    const std::size_t step = std::max<std::size_t>(1, size() / places);
    std::size_t rank = 0;
    for_each([&](const Item& item) {
      if (rank++ % step == 0) visit(item.member, item.score);
    });
  }

  /// The members in order of insertion, once Redis would keep a skiplist; before that, perhaps
  /// null.
  const Dict<double>* dict() const { return large_ ? &large_->tree.members() : nullptr; }
  /// Whether Redis would still keep it as a listpack: it never goes back to one.
  bool compact() const { return !large_ || large_->compact; }
  /// SORT makes Redis leave the listpack for good.
  void leave_compact() {
    if (!large_) spread();
    large_->compact = false;
  }

 private:
  struct Large {
    ScoreTree tree;
    bool compact = true;  // With limits above those that the row has.
  };

  void spread();

  PackedItems packed_;  // Empty if large_ is there.
  Box<Large> large_;
};

}  // namespace picklock
