// The value of a stream: entries in nodes, and consumer groups.
//
// Entries are only ever added at the end, and marked as deleted where they are; a node of which
// none is left goes. IDs need not grow: XSETID may go back below what was deleted. A copyable
// value, which once it was moved from may only be assigned to or destroyed; not thread-safe;
// pointers to entries are valid until the next change of the entries.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/keyspace/box.hpp"
#include "emulator/keyspace/encoding_limits.hpp"
#include "emulator/keyspace/stream_group.hpp"
#include "emulator/keyspace/stream_node.hpp"

namespace picklock {

/// How XADD and XTRIM shorten a stream.
struct StreamTrim {
  enum class By : std::uint8_t { nothing, length, id } by = By::nothing;
  std::uint64_t max_length = 0;
  StreamId min_id;
  bool approximate = false;  ///< Whole nodes only.
  std::int64_t limit = 0;    ///< At most so many entries, if not 0.
};

class Stream {
 public:
  using Nodes = std::map<StreamId, StreamNode>;
  using Groups = std::map<std::string, ConsumerGroup, std::less<>>;

  /// An entry and the node that has its fields.
  struct Item {
    const StreamNode* node;
    const StreamEntry* entry;
  };

  StreamId last_id() const { return in_->last_id; }
  void set_last_id(StreamId id) { in_->last_id = id; }
  /// The greatest ID that XDEL has deleted.
  StreamId max_deleted_id() const { return in_->max_deleted_id; }
  void set_max_deleted_id(StreamId id) { in_->max_deleted_id = id; }
  std::uint64_t entries_added() const { return in_->entries_added; }
  void set_entries_added(std::uint64_t count) { in_->entries_added = count; }
  const Groups& groups() const { return in_->groups; }
  Groups& groups() { return in_->groups; }

  /// Entries that live.
  std::uint64_t size() const { return in_->size; }
  /// The first that lives, or 0-0.
  StreamId first_id() const { return in_->first_id; }
  const Nodes& nodes() const { return in_->nodes; }

  /// Puts an entry behind all others; `id` must be greater than last_id(), which it becomes.
  void append(StreamId id, const StreamNode::Words& fields, const EncodingLimits& limits);
  /// Deletes an entry; false if it is not there. Once all are deleted, refresh_first_id().
  bool erase(StreamId id);
  /// Shortens the stream, and says by how many entries.
  std::uint64_t trim(const StreamTrim& trim);
  /// Whether Redis keeps the last node in an allocation with room for more: if XADD has begun it.
  bool has_room() const { return !in_->nodes.empty() && in_->roomy == in_->nodes.rbegin()->first; }
  /// For a copy, which is made to measure.
  void forget_room() { in_->roomy.reset(); }
  /// Puts a node behind the others, for a stream that is read from a dump.
  void add_node(StreamNode node);
  void refresh_first_id();
  void set_first_id(StreamId id) { in_->first_id = id; }

  std::optional<Item> find(StreamId id) const;
  /// The first or the last entry that lives.
  std::optional<Item> edge(bool last) const;
  /// The entries from `first` to `last`, both included, at most `count` of them if that is not 0;
  /// from the end, if `backwards`.
  std::vector<Item> range(StreamId first, StreamId last, std::uint64_t count,
                          bool backwards = false) const;

  /// The number of nodes in the radix tree in which Redis keeps the nodes of the stream.
  std::uint64_t radix_tree_nodes() const;

  /// Whether XDEL has deleted something from `from` on. Redis: streamRangeHasTombstones.
  bool has_deleted_since(StreamId from) const;
  /// How many entries were added up to `id`, if that can be known. Redis:
  /// streamEstimateDistanceFromFirstEverEntry.
  std::int64_t count_added_until(StreamId id) const;
  /// How many entries `group` has still to read, if that can be known.
  std::optional<std::int64_t> lag_of(const ConsumerGroup& group) const;
  /// Notes that `group` has been given the entry `id`.
  void advance(ConsumerGroup& group, StreamId id) const;

 private:
  std::uint64_t trim_within(StreamNode& node, const StreamTrim& trim);
  bool may_drop(const StreamNode& node, const StreamTrim& trim) const;
  Nodes::const_iterator node_of(StreamId id) const;

  // On the heap, for a value of every other type is smaller.
  //
  // Invariants:
  // 1. `nodes` is by the ID of the node; if `is_ordered`, entries' IDs grow along the nodes and
  //    within them.
  // 2. `size` is the sum of the nodes' live().
  struct Inside {
    Nodes nodes;
    std::uint64_t size = 0;
    StreamId first_id;
    StreamId last_id;
    StreamId max_deleted_id;
    std::uint64_t entries_added = 0;
    bool is_ordered = true;
    std::optional<StreamId> roomy;  // The node that append() began last.
    Groups groups;
  };
  Box<Inside> in_{std::in_place};
};

}  // namespace picklock
