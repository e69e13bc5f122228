// The items of a large sorted set, in order of score, then of their members' bytes.
//
// A dict finds the score of a member; a treap, whose nodes know the size of their subtrees, finds
// the rank of a member and the member at a rank, both in O(log n). The treap's priorities come from
// a counter, so equal histories give equal trees. A copyable value; not thread-safe; what is
// returned is valid until the next change.
#pragma once

#include <algorithm>
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
    std::size_t count = 0;
    for (std::uint32_t at = root_; at != kNil;) {
      const Node& node = nodes_[at];
      if (precedes(item(at))) {
        count += size_of(node.left) + 1;
        at = node.right;
      } else {
        at = node.left;
      }
    }
    return count;
  }
  /// Calls `visit(item)` for the `count` items from `rank` on, which must be there.
  template <class Visit>
  void for_each(std::size_t rank, std::size_t count, Visit&& visit) const {
    visit_part(root_, rank, rank + count, visit);
  }

  /// The members in order of insertion.
  const Dict<double>& members() const { return scores_; }

 private:
  // Invariants:
  // 1. nodes_[0] is nil: of size 0, never linked to another node.
  // 2. In-order, the nodes under root_ are sorted; a node's priority is at least its children's.
  // 3. The nodes under root_ and the entries of scores_ are the same members with the same scores.
  /// In half a cache line: in a large tree each costs a miss. Its member is beside, for most often
  /// the score decides.
  struct alignas(32) Node {
    double score = 0;
    std::uint64_t priority = 0;
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::uint32_t size = 0;
  };
  static constexpr std::uint32_t kNil = 0;

  ScoredItem item(std::uint32_t node) const { return {names_[node], nodes_[node].score}; }
  /// As ScoredItem::precedes().
  bool precedes(std::uint32_t node, double score, std::string_view member) const {
    const double own = nodes_[node].score;
    return own < score || (own == score && names_[node] < member);
  }

  std::uint32_t size_of(std::uint32_t node) const { return node == kNil ? 0 : nodes_[node].size; }
  void update(std::uint32_t node);
  std::uint32_t make_node(std::string_view member, double score);
  void insert_node(std::string_view member, double score);
  void remove_node(std::string_view member, double score);
  std::uint32_t merge(std::uint32_t left, std::uint32_t right);
  void split(std::uint32_t node, std::string_view member, double score, std::uint32_t& left,
             std::uint32_t& right);

  /// The ranks from `first` to before `last`, as the tree under `node` counts them.
  template <class Visit>
  void visit_part(std::uint32_t node, std::size_t first, std::size_t last, Visit& visit) const {
    if (node == kNil || first >= last) return;
    const Node& here = nodes_[node];
    const std::size_t before = size_of(here.left);
    if (first < before) visit_part(here.left, first, std::min(last, before), visit);
    if (first <= before && before < last) visit(item(node));
    if (last > before + 1)
      visit_part(here.right, std::max(first, before + 1) - before - 1, last - before - 1, visit);
  }

  Dict<double> scores_;
  Segmented<Node> nodes_;
  Segmented<std::string> names_;     // Of each node its member.
  std::vector<std::uint32_t> free_;  // Nodes that may be used again.
  std::uint32_t root_ = kNil;
  std::uint64_t made_ = 0;
};

}  // namespace picklock
