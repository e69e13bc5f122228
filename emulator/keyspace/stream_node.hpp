// A node of a stream: the entries that Redis packs into one listpack.
//
// Where a node ends and the next begins can be seen: trimming with "~" removes whole nodes only. So
// a node knows how many bytes its listpack would have. The listpack is: how many entries live, how
// many are deleted, the number of master fields, these fields, 0; then for each entry its flags
// (1 deleted, 2 has the master fields), its ID as two differences to the node's, the number of its
// fields and each field with its value or, with the master fields, only the values, and the number
// of these elements. A copyable value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/keyspace/encoding_limits.hpp"
#include "emulator/keyspace/stream_id.hpp"

namespace picklock {

struct StreamEntry {
  StreamId id;
  bool deleted = false;
  bool has_master_fields = false;
  /// The values only, if it has the master fields; otherwise each field with its value.
  std::vector<std::string> words;
};

class StreamNode {
 public:
  using Words = std::vector<std::string_view>;

  /// An empty node, to whose ID those of its entries are relative.
  StreamNode(StreamId id, std::vector<std::string> master_fields);

  StreamId id() const { return id_; }
  const std::vector<std::string>& master_fields() const { return master_fields_; }
  /// In the order in which they were added, those included that were deleted.
  const std::vector<StreamEntry>& entries() const { return entries_; }
  std::uint64_t live() const { return live_; }
  std::uint64_t deleted() const { return entries_.size() - live_; }
  /// The size of the listpack.
  std::size_t bytes() const { return bytes_; }

  /// Whether Redis would begin another node for an entry whose words have `word_bytes` bytes.
  bool is_full_for(std::size_t word_bytes, const EncodingLimits& limits) const;
  /// Puts `entry` behind the others.
  void append(StreamEntry entry);
  /// Puts an entry behind the others; `fields` has each field with its value.
  void append(StreamId id, const Words& fields);
  /// Marks the entry at `index`, which must live.
  void mark_deleted(std::size_t index);
  /// The index of the first entry whose ID is not before `id`; for IDs that grow.
  std::size_t lower_bound(StreamId id) const;

  std::size_t field_count(const StreamEntry& entry) const {
    return entry.has_master_fields ? entry.words.size() : entry.words.size() / 2;
  }
  std::string_view field(const StreamEntry& entry, std::size_t index) const {
    return entry.has_master_fields ? master_fields_[index] : entry.words[2 * index];
  }
  std::string_view value(const StreamEntry& entry, std::size_t index) const {
    return entry.words[entry.has_master_fields ? index : 2 * index + 1];
  }

 private:
  void set_live(std::uint64_t live, std::uint64_t total);

  StreamId id_;
  std::vector<std::string> master_fields_;
  std::vector<StreamEntry> entries_;
  std::uint64_t live_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace picklock
