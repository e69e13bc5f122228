#include "emulator/keyspace/score_tree.hpp"

#include "emulator/base/memory.hpp"
#include "emulator/base/random.hpp"

namespace picklock {

void ScoreTree::set(std::string_view member, double score) {
  const auto [entry, made] = scores_.insert(member);
  if (!made) root_ = without(root_, member, entry->value);
  entry->value = score;
  insert_node(member, score);
}

bool ScoreTree::erase(std::string_view member) {
  auto* entry = scores_.find_entry(member);
  if (!entry) return false;
  // `member` may be that of the node, which goes first.
  root_ = without(root_, entry->key, entry->value);
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
    if (rank == before) return node.item();
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
  if (nodes_.empty()) nodes_.emplace_back();
  std::uint32_t node = static_cast<std::uint32_t>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[node] = {std::string{member}, score, Random{++made_}.next(), kNil, kNil, 1};
  return node;
}

void ScoreTree::insert_node(std::string_view member, double score) {
  const std::uint32_t node = make_node(member, score);
  std::uint32_t left = kNil;
  std::uint32_t right = kNil;
  split(root_, member, score, left, right);
  root_ = merge(merge(left, node), right);
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
  if (nodes_[node].item().precedes(score, member)) {
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

/// The tree under `node` without the given item, which must be in it.
std::uint32_t ScoreTree::without(std::uint32_t node, std::string_view member, double score) {
  Node& here = nodes_[node];
  if (here.score == score && here.member == member) {
    const std::uint32_t rest = merge(here.left, here.right);
    give_back(here.member);
    free_.push_back(node);
    return rest;
  }
  if (here.item().precedes(score, member))
    here.right = without(here.right, member, score);
  else
    here.left = without(here.left, member, score);
  update(node);
  return node;
}

}  // namespace picklock
