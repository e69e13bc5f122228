#include "emulator/keyspace/stream.hpp"

#include <iterator>
#include <ranges>
#include <utility>

#include "emulator/keyspace/radix_tree.hpp"

namespace picklock {

void Stream::append(StreamId id, const StreamNode::Words& fields, const EncodingLimits& limits) {
  std::size_t word_bytes = 0;
  for (const std::string_view word : fields) word_bytes += word.size();
  if (nodes_.empty() || nodes_.rbegin()->second.is_full_for(word_bytes, limits)) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < fields.size(); i += 2) names.emplace_back(fields[i]);
    nodes_.emplace_hint(nodes_.end(), id, StreamNode{id, std::move(names)});
    roomy_ = id;
  }
  nodes_.rbegin()->second.append(id, fields);
  ++entries_added;
  last_id = id;
  if (++size_ == 1) first_id_ = id;
}

void Stream::add_node(StreamNode node) {
  size_ += node.live();
  const StreamId id = node.id();
  nodes_.emplace_hint(nodes_.end(), id, std::move(node));
}

Stream::Nodes::const_iterator Stream::node_of(StreamId id) const {
  const auto behind = nodes_.upper_bound(id);
  return behind == nodes_.begin() ? behind : std::prev(behind);
}

std::optional<Stream::Item> Stream::find(StreamId id) const {
  const auto node = node_of(id);
  if (node == nodes_.end()) return std::nullopt;
  const auto& entries = node->second.entries();
  const std::size_t at = node->second.lower_bound(id);
  if (at == entries.size() || entries[at].id != id || entries[at].deleted) return std::nullopt;
  return Item{&node->second, &entries[at]};
}

bool Stream::erase(StreamId id) {
  const auto found = find(id);
  if (!found) return false;
  StreamNode& node = nodes_.find(found->node->id())->second;
  if (node.live() == 1)
    nodes_.erase(node.id());
  else
    node.mark_deleted(node.lower_bound(id));
  --size_;
  return true;
}

void Stream::refresh_first_id() {
  const auto first = edge(/*last=*/false);
  first_id_ = first ? first->entry->id : StreamId{};
}

std::optional<Stream::Item> Stream::edge(bool last) const {
  const auto items = range(kMinStreamId, kMaxStreamId, 1, last);
  if (items.empty()) return std::nullopt;
  return items.front();
}

namespace {

/// Adds the entry to `items` if it lives; false once there are `count`.
bool collect(std::vector<Stream::Item>& items, const StreamNode& node, std::size_t index,
             std::uint64_t count) {
  const StreamEntry& entry = node.entries()[index];
  if (!entry.deleted) items.push_back({&node, &entry});
  return count == 0 || items.size() < count;
}

}  // namespace

std::vector<Stream::Item> Stream::range(StreamId first, StreamId last, std::uint64_t count,
                                        bool backwards) const {
  std::vector<Item> items;
  if (first > last) return items;
  if (backwards) {
    for (auto it = nodes_.upper_bound(last); it != nodes_.begin();) {
      const StreamNode& node = (--it)->second;
      for (std::size_t i = node.entries().size(); i-- > 0;) {
        if (node.entries()[i].id > last) continue;
        if (node.entries()[i].id < first || !collect(items, node, i, count)) return items;
      }
    }
    return items;
  }
  for (auto it = node_of(first); it != nodes_.end(); ++it) {
    const StreamNode& node = it->second;
    for (std::size_t i = node.lower_bound(first); i < node.entries().size(); ++i)
      if (node.entries()[i].id > last || !collect(items, node, i, count)) return items;
  }
  return items;
}

bool Stream::may_drop(const StreamNode& node, const StreamTrim& trim) const {
  if (trim.by == StreamTrim::By::length) return size_ - node.live() >= trim.max_length;
  return node.entries().back().id < trim.min_id;
}

std::uint64_t Stream::trim_within(StreamNode& node, const StreamTrim& trim) {
  std::uint64_t trimmed = 0;
  for (std::size_t i = 0; i < node.entries().size(); ++i) {
    const StreamEntry& entry = node.entries()[i];
    const bool enough =
        trim.by == StreamTrim::By::length ? size_ <= trim.max_length : entry.id >= trim.min_id;
    if (enough) break;
    if (entry.deleted) continue;
    node.mark_deleted(i);
    ++trimmed;
    --size_;
  }
  return trimmed;
}

// Redis 7.0, streamTrim. A node stays even if trimming by ID leaves nothing in it that lives.
std::uint64_t Stream::trim(const StreamTrim& trim) {
  if (trim.by == StreamTrim::By::nothing) return 0;
  std::uint64_t trimmed = 0;
  while (!nodes_.empty()) {
    if (trim.by == StreamTrim::By::length && size_ <= trim.max_length) break;
    StreamNode& node = nodes_.begin()->second;
    if (trim.limit != 0 && trimmed + node.live() > static_cast<std::uint64_t>(trim.limit)) break;
    if (!may_drop(node, trim)) {
      if (!trim.approximate) trimmed += trim_within(node, trim);
      break;
    }
    size_ -= node.live();
    trimmed += node.live();
    nodes_.erase(nodes_.begin());
  }
  if (size_ == 0 || trimmed > 0) refresh_first_id();
  return trimmed;
}

std::uint64_t Stream::radix_tree_nodes() const {
  return picklock::radix_tree_nodes(std::views::keys(nodes_));
}

bool Stream::has_deleted_since(StreamId from) const {
  return size_ > 0 && !max_deleted_id.is_zero() && first_id_ <= max_deleted_id &&
         from <= max_deleted_id;
}

std::int64_t Stream::count_added_until(StreamId id) const {
  const auto added = static_cast<std::int64_t>(entries_added);
  // A stream that was read from a dump may claim any number.
  const auto removed = static_cast<std::int64_t>(entries_added - size_);
  if (added == 0) return 0;
  if (size_ == 0 && id <= last_id) return added;
  if (id == last_id) return added;
  if (id > last_id) return ConsumerGroup::kUnknown;
  if (max_deleted_id.is_zero() || max_deleted_id < first_id_) {
    if (id < first_id_) return removed;
    if (id == first_id_) return static_cast<std::int64_t>(entries_added - size_ + 1);
  }
  return ConsumerGroup::kUnknown;
}

std::optional<std::int64_t> Stream::lag_of(const ConsumerGroup& group) const {
  if (entries_added == 0) return 0;
  const bool is_exact =
      group.entries_read != ConsumerGroup::kUnknown && !has_deleted_since(group.last_id);
  const std::int64_t read = is_exact ? group.entries_read : count_added_until(group.last_id);
  if (!is_exact && read == ConsumerGroup::kUnknown) return std::nullopt;
  return static_cast<std::int64_t>(entries_added - static_cast<std::uint64_t>(read));
}

void Stream::advance(ConsumerGroup& group, StreamId id) const {
  if (id <= group.last_id) return;
  if (group.entries_read != ConsumerGroup::kUnknown && !has_deleted_since(id))
    group.entries_read = static_cast<std::int64_t>(  // It may have been set to the greatest one.
        static_cast<std::uint64_t>(group.entries_read) + 1);
  else if (entries_added != 0)
    group.entries_read = count_added_until(id);
  group.last_id = id;
}

}  // namespace picklock
