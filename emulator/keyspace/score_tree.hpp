// The items of a large sorted set, in order of score, then of their members' bytes.
//
// A dict finds the score of a member; a B+ tree, which knows how many items lie below each of its
// nodes, finds the rank of a member and the member at a rank, both in O(log n). It is flat, for in
// a large set each node on the way costs a few misses of the processor's caches. Equal histories
// give equal trees. A copyable value; not thread-safe; what is returned is valid until the next
// change.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/packed_items.hpp"
#include "emulator/keyspace/segmented.hpp"

namespace picklock {

class ScoreTree {
 public:
  std::size_t size() const { return scores_.size(); }

  const double* score(std::string_view member) const { return scores_.find(member); }
  /// Adds `member` or moves it. It must not be that of an item.
  void set(std::string_view member, double score);
  bool erase(std::string_view member);
  std::optional<std::size_t> rank(std::string_view member) const;
  /// The item at `rank`, which must be less than size().
  ScoredItem nth(std::size_t rank) const;
  /// As SortedSet::count_while().
  template <class Precedes>
  std::size_t count_while(Precedes&& precedes) const {
    if (size() == 0) return 0;
    std::size_t count = 0;
    Id node = root_;
    for (int level = level_; level > 0; --level) {
      const Inner& inner = inners_[node];
      const std::size_t first_behind = partition(inner, precedes);
      if (first_behind == 0) return count;
      for (std::size_t i = 0; i + 1 < first_behind; ++i) count += inner.sizes[i];
      node = inner.below[first_behind - 1];
    }
    return count + partition(leaves_[node], precedes);
  }
  /// Calls `visit(item)` for the `count` items from `rank` on, which must be there.
  template <class Visit>
  void for_each(std::size_t rank, std::size_t count, Visit&& visit) const {
    if (count > 0) visit_part(root_, level_, rank, rank + count, visit);
  }

  /// The members in order of insertion.
  const Dict<double>& members() const { return scores_; }

 private:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};
  static constexpr std::uint32_t kMost = 64;  ///< Items of a leaf, children of an inner node.

  // Invariants:
  // 1. The items of the leaves, from left to right, are sorted, and are the entries of scores_.
  // 2. All leaves lie level_ below the root; none is empty, but for the root's own.
  // 3. An inner node has of each child its first item and the number of items below it.

  /// A leaf. `names` are places in names_.
  struct Leaf {
    std::uint32_t count = 0;
    std::array<Id, kMost> names{};
    std::array<double, kMost> scores{};

    /// Makes a place.
    void open(std::size_t at);
    /// Takes a place away.
    void close(std::size_t at);
    /// Moves what stands from `from` on behind what `to` has.
    void move_tail(std::size_t from, Leaf& to);
  };
  /// `names` and `scores` are those of the children's first items.
  struct Inner : Leaf {
    std::array<Id, kMost> below{};
    std::array<std::uint32_t, kMost> sizes{};

    void open(std::size_t at);
    void close(std::size_t at);
    void move_tail(std::size_t from, Inner& to);
  };
  /// Nodes by their number, which may be used again.
  template <class Node>
  class Pool {
   public:
    Node& operator[](Id id) { return nodes_[id]; }
    const Node& operator[](Id id) const { return nodes_[id]; }
    Id make();
    void release(Id id) { free_.push_back(id); }

   private:
    Segmented<Node, 256> nodes_;
    std::vector<Id> free_;
  };
  /// A place that was made; `more` is the node, right of the one that was full, that it took.
  struct Room {
    Id node;
    std::size_t at;
    Id more;
  };

  ScoredItem item(const Leaf& row, std::size_t at) const {
    return {names_[row.names[at]], row.scores[at]};
  }
  /// How many items of the row stand before the first one for which `precedes(item)` is false.
  template <class Precedes>
  std::size_t partition(const Leaf& row, Precedes& precedes) const {
    std::size_t first = 0;
    for (std::size_t last = row.count; first < last;) {
      const std::size_t middle = (first + last) / 2;
      if (precedes(item(row, middle)))
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
  std::size_t place(const Leaf& row, double score, std::string_view member) const;
  const Leaf& row(Id node, int level) const { return level == 0 ? leaves_[node] : inners_[node]; }
  Id keep_name(std::string_view member);
  void insert(double score, Id name);
  Id insert_below(Id node, int level, double score, Id name);
  Id put_item(Id leaf, std::size_t at, double score, Id name);
  Id put_child(Id inner, int level, std::size_t at, Id child);
  template <class Node>
  static Room make_room(Pool<Node>& nodes, Id node, std::size_t at);
  void note_first(Inner& inner, int level, std::size_t at) const;
  void note_size(Inner& inner, int level, std::size_t at) const;
  Id remove(double score, std::string_view member);
  Id remove_below(Id node, int level, double score, std::string_view member);
  void release(Id node, int level);
  void join_small(Inner& inner, int level, std::size_t at);

  /// The ranks from `first` to before `last`, as the tree under `node` counts them.
  template <class Visit>
  void visit_part(Id node, int level, std::size_t first, std::size_t last, Visit& visit) const {
    if (level == 0) {
      const Leaf& leaf = leaves_[node];
      for (std::size_t at = first; at < last; ++at) visit(item(leaf, at));
      return;
    }
    const Inner& inner = inners_[node];
    std::size_t before = 0;
    for (std::size_t i = 0; i < inner.count && before < last; before += inner.sizes[i++]) {
      const std::size_t behind = before + inner.sizes[i];
      if (behind > first)
        visit_part(inner.below[i], level - 1, std::max(first, before) - before,
                   std::min(last, behind) - before, visit);
    }
  }

  Dict<double> scores_;
  Segmented<std::string> names_;  // The members, each where it was put.
  std::vector<Id> free_names_;
  Pool<Leaf> leaves_;
  Pool<Inner> inners_;
  Id root_ = kNone;  // None before the first item.
  int level_ = 0;    // The root's: 0 if it is a leaf.
};

}  // namespace picklock
