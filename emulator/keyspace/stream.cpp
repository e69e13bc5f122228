#include "emulator/keyspace/stream.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "emulator/keyspace/radix_tree.hpp"

namespace picklock {

void Stream::append(StreamId id, const StreamNode::Words& fields, const EncodingLimits& limits) {
  std::size_t word_bytes = 0;
  for (const std::string_view word : fields) word_bytes += word.size();
  if (!in_->nodes.empty()) in_->is_ordered &= in_->nodes.rbegin()->second.entries().back().id < id;
  StreamNode* node = in_->nodes.empty() ? nullptr : &in_->nodes.rbegin()->second;
  if (node == nullptr || node->is_full_for(word_bytes, limits)) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < fields.size(); i += 2) names.emplace_back(fields[i]);
    node = &in_->nodes.insert_or_assign(in_->nodes.end(), id, StreamNode{id, std::move(names)})
                ->second;
    in_->roomy = id;
  }
  node->append(id, fields);
  ++in_->entries_added;
  in_->last_id = id;
  if (++in_->size == 1) in_->first_id = id;
}

void Stream::add_node(StreamNode node) {
  in_->size += node.live();
  const StreamId id = node.id();
  const auto& entries = node.entries();
  in_->is_ordered &= std::ranges::is_sorted(entries, std::ranges::less{}, &StreamEntry::id);
  if (!in_->nodes.empty())
    in_->is_ordered &= in_->nodes.rbegin()->second.entries().back().id < entries.front().id;
  in_->nodes.emplace_hint(in_->nodes.end(), id, std::move(node));
}

Stream::Nodes::const_iterator Stream::node_of(StreamId id) const {
  const auto behind = in_->nodes.upper_bound(id);
  return behind == in_->nodes.begin() ? behind : std::prev(behind);
}

std::optional<Stream::Item> Stream::find(StreamId id) const {
  const auto items = range(id, id, 1);
  if (items.empty()) return std::nullopt;
  return items.front();
}

bool Stream::erase(StreamId id) {
  const auto found = find(id);
  if (!found) return false;
  StreamNode& node = in_->nodes.find(found->node->id())->second;
  if (node.live() == 1)
    in_->nodes.erase(node.id());
  else
    node.mark_deleted(static_cast<std::size_t>(found->entry - node.entries().data()));
  --in_->size;
  return true;
}

void Stream::refresh_first_id() {
  const auto first = edge(/*last=*/false);
  in_->first_id = first ? first->entry->id : StreamId{};
}

std::optional<Stream::Item> Stream::edge(bool last) const {
  const auto items = range(kMinStreamId, kMaxStreamId, 1, last);
  if (items.empty()) return std::nullopt;
  return items.front();
}

// Redis 7.0, streamIteratorStart and streamIteratorGetID: it begins with the node before, and ends
// at the first living entry that is out of reach.
std::vector<Stream::Item> Stream::range(StreamId first, StreamId last, std::uint64_t count,
                                        bool backwards) const {
  std::vector<Item> items;
  if (first > last) return items;
  /// False: that was the last one.
  const auto take = [&](const StreamNode& node, std::size_t index) {
    const StreamEntry& entry = node.entries()[index];
    if (entry.deleted || (backwards ? entry.id > last : entry.id < first)) return true;
    if (backwards ? entry.id < first : entry.id > last) return false;
    items.push_back({&node, &entry});
    return count == 0 || items.size() < count;
  };
  if (backwards) {
    auto it = in_->nodes.upper_bound(last);
    if (it == in_->nodes.begin() && !in_->is_ordered) it = in_->nodes.end();
    while (it != in_->nodes.begin()) {
      const StreamNode& node = (--it)->second;
      for (std::size_t i = node.entries().size(); i-- > 0;)
        if (!take(node, i)) return items;
    }
    return items;
  }
  for (auto it = node_of(first); it != in_->nodes.end(); ++it) {
    const StreamNode& node = it->second;
    for (std::size_t i = in_->is_ordered ? node.lower_bound(first) : 0; i < node.entries().size();
         ++i)
      if (!take(node, i)) return items;
  }
  return items;
}

bool Stream::may_drop(const StreamNode& node, const StreamTrim& trim) const {
  if (trim.by == StreamTrim::By::length) return in_->size - node.live() >= trim.max_length;
  return node.entries().back().id < trim.min_id;
}

std::uint64_t Stream::trim_within(StreamNode& node, const StreamTrim& trim) {
  std::uint64_t trimmed = 0;
  for (std::size_t i = 0; i < node.entries().size(); ++i) {
    const StreamEntry& entry = node.entries()[i];
    const bool enough =
        trim.by == StreamTrim::By::length ? in_->size <= trim.max_length : entry.id >= trim.min_id;
    if (enough) break;
    if (entry.deleted) continue;
    node.mark_deleted(i);
    ++trimmed;
    --in_->size;
  }
  return trimmed;
}

// Redis 7.0, streamTrim. A node stays even if trimming by ID leaves nothing in it that lives.
std::uint64_t Stream::trim(const StreamTrim& trim) {
  if (trim.by == StreamTrim::By::nothing) return 0;
  std::uint64_t trimmed = 0;
  while (!in_->nodes.empty()) {
    if (trim.by == StreamTrim::By::length && in_->size <= trim.max_length) break;
    StreamNode& node = in_->nodes.begin()->second;
    if (trim.limit != 0 && trimmed + node.live() > static_cast<std::uint64_t>(trim.limit)) break;
    if (!may_drop(node, trim)) {
      if (!trim.approximate) trimmed += trim_within(node, trim);
      break;
    }
    in_->size -= node.live();
    trimmed += node.live();
    in_->nodes.erase(in_->nodes.begin());
  }
  if (in_->size == 0 || trimmed > 0) refresh_first_id();
  return trimmed;
}

std::uint64_t Stream::radix_tree_nodes() const {
  return picklock::radix_tree_nodes(std::views::keys(in_->nodes));
}

bool Stream::has_deleted_since(StreamId from) const {
  return in_->size > 0 && !in_->max_deleted_id.is_zero() && in_->first_id <= in_->max_deleted_id &&
         from <= in_->max_deleted_id;
}

std::int64_t Stream::count_added_until(StreamId id) const {
  const auto added = static_cast<std::int64_t>(in_->entries_added);
  // A stream that was read from a dump may claim any number.
  const auto removed = static_cast<std::int64_t>(in_->entries_added - in_->size);
  if (added == 0) return 0;
  if (in_->size == 0 && id <= in_->last_id) return added;
  if (id == in_->last_id) return added;
  if (id > in_->last_id) return ConsumerGroup::kUnknown;
  if (in_->max_deleted_id.is_zero() || in_->max_deleted_id < in_->first_id) {
    if (id < in_->first_id) return removed;
    if (id == in_->first_id) return static_cast<std::int64_t>(in_->entries_added - in_->size + 1);
  }
  return ConsumerGroup::kUnknown;
}

std::optional<std::int64_t> Stream::lag_of(const ConsumerGroup& group) const {
  if (in_->entries_added == 0) return 0;
  const bool is_exact =
      group.entries_read != ConsumerGroup::kUnknown && !has_deleted_since(group.last_id);
  const std::int64_t read = is_exact ? group.entries_read : count_added_until(group.last_id);
  if (!is_exact && read == ConsumerGroup::kUnknown) return std::nullopt;
  return static_cast<std::int64_t>(in_->entries_added - static_cast<std::uint64_t>(read));
}

void Stream::advance(ConsumerGroup& group, StreamId id) const {
  if (id <= group.last_id) return;
  if (group.entries_read != ConsumerGroup::kUnknown && !has_deleted_since(id))
    group.entries_read = static_cast<std::int64_t>(  // It may have been set to the greatest one.
        static_cast<std::uint64_t>(group.entries_read) + 1);
  else if (in_->entries_added != 0)
    group.entries_read = count_added_until(id);
  group.last_id = id;
}

}  // namespace picklock
