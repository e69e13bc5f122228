#include "emulator/keyspace/sorted_set.hpp"

#include "emulator/base/random.hpp"

namespace picklock {
namespace {

bool precedes(const SortedSet::Item& item, std::string_view member, double score) {
  return item.score < score || (item.score == score && std::string_view{item.member} < member);
}

}  // namespace

void SortedSet::set(std::string_view member, double score, const EncodingLimits& limits) {
  const auto [entry, made] = scores_.insert(member);
  if (!made) {
    if (entry->value == score) return;
    erase_node(member, entry->value);
  } else if (static_cast<std::int64_t>(size()) > limits.zset_max_listpack_entries ||
             static_cast<std::int64_t>(member.size()) > limits.zset_max_listpack_value) {
    compact_ = false;
  }
  // Redis 7.0, zzlInsertAt: a listpack keeps whole scores as integers, which have no -0.
  if (compact_ && score == 0) score = 0.0;
  entry->value = score;
  insert_node(member, score);
}

bool SortedSet::erase(std::string_view member) {
  const double* score = scores_.find(member);
  if (!score) return false;
  erase_node(member, *score);
  scores_.erase(member);
  return true;
}

std::optional<std::size_t> SortedSet::rank(std::string_view member) const {
  const double* score = scores_.find(member);
  if (!score) return std::nullopt;
  return count_while([&](const Item& item) { return precedes(item, member, *score); });
}

const SortedSet::Item& SortedSet::at(std::size_t rank) const {
  std::uint32_t at = root_;
  for (;;) {
    const Node& node = nodes_[at];
    const std::size_t before = size_of(node.left);
    if (rank == before) return node.item;
    if (rank < before) {
      at = node.left;
    } else {
      rank -= before + 1;
      at = node.right;
    }
  }
}

void SortedSet::update(std::uint32_t node) {
  nodes_[node].size = size_of(nodes_[node].left) + 1 + size_of(nodes_[node].right);
}

std::uint32_t SortedSet::make_node(std::string_view member, double score) {
  if (nodes_.empty()) nodes_.emplace_back();
  std::uint32_t node = static_cast<std::uint32_t>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[node] = {{std::string{member}, score}, Random{++made_}.next(), kNil, kNil, 1};
  return node;
}

void SortedSet::insert_node(std::string_view member, double score) {
  const std::uint32_t node = make_node(member, score);
  std::uint32_t left = kNil;
  std::uint32_t right = kNil;
  split(root_, member, score, left, right);
  root_ = merge(merge(left, node), right);
}

void SortedSet::erase_node(std::string_view member, double score) {
  root_ = without(root_, member, score);
}

/// Joins two trees of which all of `left` precedes all of `right`.
std::uint32_t SortedSet::merge(std::uint32_t left, std::uint32_t right) {
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
void SortedSet::split(std::uint32_t node, std::string_view member, double score,
                      std::uint32_t& left, std::uint32_t& right) {
  if (node == kNil) {
    left = right = kNil;
    return;
  }
  std::uint32_t middle = kNil;
  if (precedes(nodes_[node].item, member, score)) {
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
std::uint32_t SortedSet::without(std::uint32_t node, std::string_view member, double score) {
  Node& here = nodes_[node];
  if (here.item.score == score && here.item.member == member) {
    const std::uint32_t rest = merge(here.left, here.right);
    here.item.member = {};
    free_.push_back(node);
    return rest;
  }
  if (precedes(here.item, member, score))
    here.right = without(here.right, member, score);
  else
    here.left = without(here.left, member, score);
  update(node);
  return node;
}

}  // namespace picklock
