#include "emulator/keyspace/score_tree.hpp"

#include "emulator/base/memory.hpp"
#include "emulator/base/random.hpp"

namespace picklock {

void ScoreTree::set(std::string_view member, double score) {
  const auto [entry, made] = scores_.insert(member);
  if (!made) remove_node(member, entry->value);
  entry->value = score;
  insert_node(member, score);
}

bool ScoreTree::erase(std::string_view member) {
  auto* entry = scores_.find_entry(member);
  if (!entry) return false;
  // `member` may be that of the node, which goes first.
  remove_node(entry->key, entry->value);
  scores_.erase(*entry);
  return true;
}

std::optional<std::size_t> ScoreTree::rank(std::string_view member) const {
  const double* score = scores_.find(member);
  if (!score) return std::nullopt;
  return count_while([&](const ScoredItem& item) { return item.precedes(*score, member); });
}

ScoredItem ScoreTree::nth(std::size_t rank) const {
  std::uint32_t at = root_;
  for (;;) {
    const Node& node = nodes_[at];
    const std::size_t before = size_of(node.left);
    if (rank == before) return item(at);
    if (rank < before) {
      at = node.left;
    } else {
      rank -= before + 1;
      at = node.right;
    }
  }
}

void ScoreTree::update(std::uint32_t node) {
  nodes_[node].size = size_of(nodes_[node].left) + 1 + size_of(nodes_[node].right);
}

std::uint32_t ScoreTree::make_node(std::string_view member, double score) {
  const auto add = [this] {
    nodes_.push_back({});
    names_.push_back({});
  };
  if (nodes_.empty()) add();
  std::uint32_t node = static_cast<std::uint32_t>(nodes_.size());
  if (free_.empty()) {
    add();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[node] = {score, Random{++made_}.next(), kNil, kNil, 1};
  names_[node] = member;
  return node;
}

/// On the way to its place only nodes that lie there are looked at: what lies beside is mostly in
/// no cache.
void ScoreTree::insert_node(std::string_view member, double score) {
  const std::uint32_t made = make_node(member, score);
  Node& node = nodes_[made];
  std::uint32_t* place = &root_;
  while (*place != kNil && nodes_[*place].priority >= node.priority) {
    Node& above = nodes_[*place];
    ++above.size;
    place = precedes(*place, score, member) ? &above.right : &above.left;
  }
  split(*place, member, score, node.left, node.right);
  *place = made;
  update(made);
}

/// Of the given item, which must be in the tree.
void ScoreTree::remove_node(std::string_view member, double score) {
  std::uint32_t* place = &root_;
  while (nodes_[*place].score != score || names_[*place] != member) {
    Node& above = nodes_[*place];
    --above.size;
    place = precedes(*place, score, member) ? &above.right : &above.left;
  }
  const std::uint32_t gone = *place;
  *place = merge(nodes_[gone].left, nodes_[gone].right);
  give_back(names_[gone]);
  free_.push_back(gone);
}

/// Joins two trees of which all of `left` precedes all of `right`.
std::uint32_t ScoreTree::merge(std::uint32_t left, std::uint32_t right) {
  if (left == kNil) return right;
  if (right == kNil) return left;
  if (nodes_[left].priority >= nodes_[right].priority) {
    nodes_[left].right = merge(nodes_[left].right, right);
    update(left);
    return left;
  }
  nodes_[right].left = merge(left, nodes_[right].left);
  update(right);
  return right;
}

/// Cuts the tree under `node` into what precedes the given place and the rest.
void ScoreTree::split(std::uint32_t node, std::string_view member, double score,
                      std::uint32_t& left, std::uint32_t& right) {
  if (node == kNil) {
    left = right = kNil;
    return;
  }
  std::uint32_t middle = kNil;
  if (precedes(node, score, member)) {
    split(nodes_[node].right, member, score, middle, right);
    nodes_[node].right = middle;
    left = node;
  } else {
    split(nodes_[node].left, member, score, left, middle);
    nodes_[node].left = middle;
    right = node;
  }
  update(node);
}

}  // namespace picklock
