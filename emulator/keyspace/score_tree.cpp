#include "emulator/keyspace/score_tree.hpp"

#include <numeric>

#include "emulator/base/memory.hpp"

namespace picklock {
namespace {

template <class T, std::size_t kSize>
void open_place(std::array<T, kSize>& list, std::size_t count, std::size_t at) {
  std::copy_backward(list.begin() + at, list.begin() + count, list.begin() + count + 1);
}
template <class T, std::size_t kSize>
void close_place(std::array<T, kSize>& list, std::size_t count, std::size_t at) {
  std::copy(list.begin() + at + 1, list.begin() + count, list.begin() + at);
}
template <class T, std::size_t kSize>
void copy_tail(const std::array<T, kSize>& list, std::size_t from, std::size_t count,
               std::array<T, kSize>& to, std::size_t at) {
  std::copy(list.begin() + from, list.begin() + count, to.begin() + at);
}

}  // namespace

void ScoreTree::Leaf::open(std::size_t at) {
  open_place(names, count, at);
  open_place(scores, count, at);
  ++count;
}
void ScoreTree::Leaf::close(std::size_t at) {
  close_place(names, count, at);
  close_place(scores, count, at);
  --count;
}
void ScoreTree::Leaf::move_tail(std::size_t from, Leaf& to) {
  copy_tail(names, from, count, to.names, to.count);
  copy_tail(scores, from, count, to.scores, to.count);
  to.count += count - static_cast<std::uint32_t>(from);
  count = static_cast<std::uint32_t>(from);
}
void ScoreTree::Inner::open(std::size_t at) {
  open_place(below, count, at);
  open_place(sizes, count, at);
  Leaf::open(at);
}
void ScoreTree::Inner::close(std::size_t at) {
  close_place(below, count, at);
  close_place(sizes, count, at);
  Leaf::close(at);
}
void ScoreTree::Inner::move_tail(std::size_t from, Inner& to) {
  copy_tail(below, from, count, to.below, to.count);
  copy_tail(sizes, from, count, to.sizes, to.count);
  Leaf::move_tail(from, to);
}

template <class Node>
ScoreTree::Id ScoreTree::Pool<Node>::make() {
  if (free_.empty()) {
    nodes_.push_back({});
    return static_cast<Id>(nodes_.size() - 1);
  }
  const Id id = free_.back();
  free_.pop_back();
  nodes_[id].count = 0;
  return id;
}

void ScoreTree::set(std::string_view member, double score) {
  const auto [entry, made] = scores_.insert(member);
  const Id name = made ? keep_name(member) : remove(entry->value, member);
  entry->value = score;
  insert(score, name);
}

bool ScoreTree::erase(std::string_view member) {
  auto* entry = scores_.find_entry(member);
  if (!entry) return false;
  // `member` may be that of the item, which goes first.
  const Id name = remove(entry->value, entry->key);
  scores_.erase(*entry);
  give_back(names_[name]);
  free_names_.push_back(name);
  return true;
}

std::optional<std::size_t> ScoreTree::rank(std::string_view member) const {
  const double* score = scores_.find(member);
  if (!score) return std::nullopt;
  return count_while([&](const ScoredItem& item) { return item.precedes(*score, member); });
}

ScoredItem ScoreTree::nth(std::size_t rank) const {
  Id node = root_;
  for (int level = level_; level > 0; --level) {
    const Inner& inner = inners_[node];
    std::size_t at = 0;
    while (rank >= inner.sizes[at]) rank -= inner.sizes[at++];
    node = inner.below[at];
  }
  return item(leaves_[node], rank);
}

/// How many items of the row precede the given one. Without branches where it can be, as no branch
/// of a search can be foretold.
std::size_t ScoreTree::place(const Leaf& row, double score, std::string_view member) const {
  std::size_t before = 0;
  std::size_t upto = 0;
  for (std::size_t i = 0; i < row.count; ++i) {
    before += row.scores[i] < score;
    upto += row.scores[i] <= score;
  }
  const auto names = row.names.begin();
  const auto found = std::lower_bound(
      names + before, names + upto, member,
      [this](Id name, std::string_view wanted) { return std::string_view{names_[name]} < wanted; });
  return static_cast<std::size_t>(found - names);
}

ScoreTree::Id ScoreTree::keep_name(std::string_view member) {
  if (free_names_.empty()) {
    names_.push_back(std::string{member});
    return static_cast<Id>(names_.size() - 1);
  }
  const Id name = free_names_.back();
  free_names_.pop_back();
  names_[name] = member;
  return name;
}

void ScoreTree::insert(double score, Id name) {
  if (root_ == kNone) root_ = leaves_.make();
  const Id more = insert_below(root_, level_, score, name);
  if (more == kNone) return;
  const Id top = inners_.make();
  put_child(top, level_ + 1, 0, root_);
  put_child(top, level_ + 1, 1, more);
  root_ = top;
  ++level_;
}

/// Returns the node, right of this one, that it took; kNone if it took none.
ScoreTree::Id ScoreTree::insert_below(Id node, int level, double score, Id name) {
  const std::size_t before = place(row(node, level), score, names_[name]);
  if (level == 0) return put_item(node, before, score, name);
  const std::size_t at = before == 0 ? 0 : before - 1;
  const Id more = insert_below(inners_[node].below[at], level - 1, score, name);
  Inner& inner = inners_[node];  // Only now: there may be more of them.
  if (before == 0) note_first(inner, level, at);
  if (more == kNone) return ++inner.sizes[at], kNone;
  note_size(inner, level, at);
  return put_child(node, level, at + 1, more);
}

ScoreTree::Id ScoreTree::put_item(Id leaf, std::size_t at, double score, Id name) {
  const Room room = make_room(leaves_, leaf, at);
  leaves_[room.node].scores[room.at] = score;
  leaves_[room.node].names[room.at] = name;
  return room.more;
}

ScoreTree::Id ScoreTree::put_child(Id inner, int level, std::size_t at, Id child) {
  const Room room = make_room(inners_, inner, at);
  Inner& holder = inners_[room.node];
  holder.below[room.at] = child;
  note_first(holder, level, room.at);
  note_size(holder, level, room.at);
  return room.more;
}

/// A node that is full is cut in half, but at its end: who adds in order leaves full ones behind.
template <class Node>
ScoreTree::Room ScoreTree::make_room(Pool<Node>& nodes, Id node, std::size_t at) {
  Id more = kNone;
  if (nodes[node].count == kMost) {
    const std::size_t kept = at == kMost ? kMost : kMost / 2;
    more = nodes.make();
    nodes[node].move_tail(kept, nodes[more]);
    if (at > kept || at == kMost) {
      nodes[more].open(at - kept);
      return {more, at - kept, more};
    }
  }
  nodes[node].open(at);
  return {node, at, more};
}

void ScoreTree::note_first(Inner& inner, int level, std::size_t at) const {
  const Leaf& child = row(inner.below[at], level - 1);
  inner.scores[at] = child.scores[0];
  inner.names[at] = child.names[0];
}

void ScoreTree::note_size(Inner& inner, int level, std::size_t at) const {
  const Id child = inner.below[at];
  if (level == 1) {
    inner.sizes[at] = leaves_[child].count;
    return;
  }
  const Inner& below = inners_[child];
  inner.sizes[at] = std::accumulate(below.sizes.begin(), below.sizes.begin() + below.count, 0U);
}

/// Takes an item out that is there; returns its name, which stays.
ScoreTree::Id ScoreTree::remove(double score, std::string_view member) {
  const Id name = remove_below(root_, level_, score, member);
  while (level_ > 0 && inners_[root_].count == 1) {
    const Id child = inners_[root_].below[0];
    release(root_, level_--);
    root_ = child;
  }
  return name;
}

ScoreTree::Id ScoreTree::remove_below(Id node, int level, double score, std::string_view member) {
  const std::size_t before = place(row(node, level), score, member);
  if (level == 0) {
    const Id name = leaves_[node].names[before];
    leaves_[node].close(before);
    return name;
  }
  Inner& inner = inners_[node];
  const bool is_first = before < inner.count && inner.scores[before] == score &&
                        names_[inner.names[before]] == member;
  const std::size_t at = is_first ? before : before - 1;
  const Id name = remove_below(inner.below[at], level - 1, score, member);
  --inner.sizes[at];
  if (inner.sizes[at] == 0) {
    release(inner.below[at], level - 1);
    inner.close(at);
    return name;
  }
  if (is_first) note_first(inner, level, at);
  if (row(inner.below[at], level - 1).count < kMost / 4) join_small(inner, level, at);
  return name;
}

void ScoreTree::release(Id node, int level) {
  level == 0 ? leaves_.release(node) : inners_.release(node);
}

/// Puts a child that has become small together with one beside it, if they fit into one.
void ScoreTree::join_small(Inner& inner, int level, std::size_t at) {
  for (const std::size_t left : {at, at - 1}) {
    if (left >= inner.count - 1U) continue;  // Nothing is beside it: before the first one, too.
    const Id to = inner.below[left];
    const Id from = inner.below[left + 1];
    if (row(to, level - 1).count + row(from, level - 1).count > kMost) continue;
    if (level == 1)
      leaves_[from].move_tail(0, leaves_[to]);
    else
      inners_[from].move_tail(0, inners_[to]);
    inner.sizes[left] += inner.sizes[left + 1];
    release(from, level - 1);
    inner.close(left + 1);
    return;
  }
}

}  // namespace picklock
