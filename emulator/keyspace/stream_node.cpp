#include "emulator/keyspace/stream_node.hpp"

#include <algorithm>
#include <utility>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/back_length.hpp"

namespace picklock {
namespace {

constexpr std::size_t kListpackFrame = 7;

/// Redis: STREAM_LISTPACK_MAX_SIZE.
constexpr std::int64_t kMaxNodeBytes = std::int64_t{1} << 30;

std::size_t with_back_length(std::size_t length) { return length + back_length_size(length); }

std::size_t packed_size(std::int64_t number) {
  if (number >= 0 && number < 128) return with_back_length(1);
  if (number >= -4096 && number < 4096) return with_back_length(2);
  std::size_t bytes = 2;
  for (; bytes < 8; bytes = bytes == 4 ? 8 : bytes + 1) {
    const std::int64_t limit = std::int64_t{1} << (8 * bytes - 1);
    if (number >= -limit && number < limit) break;
  }
  return with_back_length(1 + bytes);
}

std::size_t packed_size(std::uint64_t number) {
  return packed_size(static_cast<std::int64_t>(number));
}

std::size_t packed_size(std::string_view text) {
  if (const auto number = parse_int64(text)) return packed_size(*number);
  const std::size_t header = text.size() < 64 ? 1 : text.size() < 4096 ? 2 : 5;
  return with_back_length(header + text.size());
}

std::size_t packed_size(const std::vector<std::string>& words) {
  std::size_t size = 0;
  for (const std::string& word : words) size += packed_size(std::string_view{word});
  return size;
}

}  // namespace

StreamNode::StreamNode(StreamId id, std::vector<std::string> master_fields)
    : id_(id), master_fields_(std::move(master_fields)) {
  bytes_ = kListpackFrame + 3 * packed_size(std::int64_t{0}) +
           packed_size(std::uint64_t{master_fields_.size()}) + packed_size(master_fields_);
}

bool StreamNode::is_full_for(std::size_t word_bytes, const EncodingLimits& limits) const {
  std::int64_t max_bytes = limits.stream_node_max_bytes;
  if (max_bytes == 0 || max_bytes > kMaxNodeBytes) max_bytes = kMaxNodeBytes;
  if (bytes_ + word_bytes >= static_cast<std::size_t>(max_bytes)) return true;
  const std::int64_t max_entries = limits.stream_node_max_entries;
  return max_entries != 0 && static_cast<std::int64_t>(entries_.size()) >= max_entries;
}

void StreamNode::append(StreamEntry entry) {
  std::uint64_t elements = 3 + entry.words.size();
  if (!entry.has_master_fields) {
    bytes_ += packed_size(std::uint64_t{entry.words.size() / 2});
    ++elements;
  }
  bytes_ += packed_size(std::int64_t{2}) + packed_size(entry.id.ms - id_.ms) +
            packed_size(entry.id.seq - id_.seq) + packed_size(entry.words) + packed_size(elements);
  const bool lives = !entry.deleted;
  entries_.push_back(std::move(entry));
  set_live(live_ + lives, entries_.size() - 1);
}

void StreamNode::append(StreamId id, const Words& fields) {
  StreamEntry entry{id, false, fields.size() == 2 * master_fields_.size(), {}};
  for (std::size_t i = 0; i < master_fields_.size() && entry.has_master_fields; ++i)
    entry.has_master_fields = fields[2 * i] == master_fields_[i];
  if (entry.has_master_fields)
    for (std::size_t i = 1; i < fields.size(); i += 2) entry.words.emplace_back(fields[i]);
  else
    entry.words.assign(fields.begin(), fields.end());
  append(std::move(entry));
}

void StreamNode::mark_deleted(std::size_t index) {
  entries_[index].deleted = true;
  set_live(live_ - 1, entries_.size());
}

/// Sets how many entries live; until now `live_` of `total` did.
void StreamNode::set_live(std::uint64_t live, std::uint64_t total) {
  bytes_ -= packed_size(live_) + packed_size(total - live_);
  live_ = live;
  bytes_ += packed_size(live_) + packed_size(deleted());
}

std::size_t StreamNode::lower_bound(StreamId id) const {
  const auto at = std::ranges::lower_bound(entries_, id, {}, &StreamEntry::id);
  return static_cast<std::size_t>(at - entries_.begin());
}

}  // namespace picklock
