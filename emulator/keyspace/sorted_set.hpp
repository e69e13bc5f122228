// The value of a sorted set: members ordered by score, then by bytes.
//
// A dict finds the score of a member; a treap, whose nodes know the size of their subtrees, finds
// the rank of a member and the member at a rank, both in O(log n). The treap's priorities come from
// a counter, so equal histories give equal trees. A copyable value; not thread-safe; references are
// valid until the next change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/encoding_limits.hpp"

namespace picklock {

class SortedSet {
 public:
  struct Item {
    std::string member;
    double score = 0;
  };

  std::size_t size() const { return scores_.size(); }
  bool empty() const { return scores_.empty(); }

  /// The score of `member`, or null.
  const double* score(std::string_view member) const { return scores_.find(member); }
  /// Adds `member` or moves it; `score` must not be NaN.
  void set(std::string_view member, double score, const EncodingLimits& limits = {});
  bool erase(std::string_view member);

  /// How many members stand before `member`, or nullopt if it is not there.
  std::optional<std::size_t> rank(std::string_view member) const;
  /// The item at `rank`, which must be less than size().
  const Item& at(std::size_t rank) const;
  /// How many items stand before the first one for which `precedes(item)` is false. It must be true
  /// for a first part of the order and false for the rest.
  template <class Precedes>
  std::size_t count_while(Precedes&& precedes) const {
    std::size_t count = 0;
    for (std::uint32_t at = root_; at != kNil;) {
      const Node& node = nodes_[at];
      if (precedes(node.item)) {
        count += size_of(node.left) + 1;
        at = node.right;
      } else {
        at = node.left;
      }
    }
    return count;
  }

  /// The members in order of insertion.
  const Dict<double>& members() const { return scores_; }
  /// Whether Redis would still keep it as a listpack: it never goes back to one.
  bool compact() const { return compact_; }
  /// SORT makes Redis leave the listpack for good.
  void leave_compact() { compact_ = false; }

 private:
  // Invariants:
  // 1. nodes_[0] is nil: of size 0, never linked to another node.
  // 2. In-order, the nodes under root_ are sorted; a node's priority is at least its children's.
  // 3. The nodes under root_ and the entries of scores_ are the same members with the same scores.
  struct Node {
    Item item;
    std::uint64_t priority = 0;
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::uint32_t size = 0;
  };
  static constexpr std::uint32_t kNil = 0;

  std::uint32_t size_of(std::uint32_t node) const { return node == kNil ? 0 : nodes_[node].size; }
  void update(std::uint32_t node);
  std::uint32_t make_node(std::string_view member, double score);
  void insert_node(std::string_view member, double score);
  void erase_node(std::string_view member, double score);
  std::uint32_t merge(std::uint32_t left, std::uint32_t right);
  void split(std::uint32_t node, std::string_view member, double score, std::uint32_t& left,
             std::uint32_t& right);
  std::uint32_t without(std::uint32_t node, std::string_view member, double score);

  Dict<double> scores_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;  // Nodes that may be used again.
  std::uint32_t root_ = kNil;
  std::uint64_t made_ = 0;
  bool compact_ = true;
};

}  // namespace picklock
