// Writer's part for streams: the nodes as listpacks, then the counters and the consumer groups.
#include "emulator/keyspace/rdb/listpack.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/writer.hpp"

namespace picklock::rdb {
namespace {

constexpr std::int64_t kDeleted = 1;
constexpr std::int64_t kSameFields = 2;

std::int64_t as_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }

void append_entry(ListpackWriter& listpack, const StreamNode& node, const StreamEntry& entry) {
  const std::int64_t words = as_signed(entry.words.size());
  listpack.append((entry.deleted ? kDeleted : 0) | (entry.has_master_fields ? kSameFields : 0));
  listpack.append(as_signed(entry.id.ms - node.id().ms));
  listpack.append(as_signed(entry.id.seq - node.id().seq));
  if (!entry.has_master_fields) listpack.append(words / 2);
  for (const std::string& word : entry.words) listpack.append(std::string_view{word});
  listpack.append(words + (entry.has_master_fields ? 3 : 4));
}

}  // namespace

std::string stream_listpack(const StreamNode& node) {
  ListpackWriter listpack;
  listpack.append(as_signed(node.live()));
  listpack.append(as_signed(node.deleted()));
  listpack.append(as_signed(node.master_fields().size()));
  for (const std::string& field : node.master_fields()) listpack.append(std::string_view{field});
  listpack.append(std::int64_t{0});
  for (const StreamEntry& entry : node.entries()) append_entry(listpack, node, entry);
  return listpack.take();
}

void Writer::write_id(StreamId id) {
  write_length(id.ms);
  write_length(id.seq);
}

void Writer::write_raw_id(StreamId id) {
  append_big_endian(bytes_, id.ms, 8);
  append_big_endian(bytes_, id.seq, 8);
}

void Writer::write(const KeyEntry&, const Stream& stream) {
  write_length(stream.nodes().size());
  for (const auto& [id, node] : stream.nodes()) {
    write_length(16);
    write_raw_id(id);
    write_string(stream_listpack(node));
  }
  write_length(stream.size());
  write_id(stream.last_id());
  write_id(stream.first_id());
  write_id(stream.max_deleted_id());
  write_length(stream.entries_added());
  write_length(stream.groups().size());
  for (const auto& [name, group] : stream.groups()) {
    write_string(name);
    write(group);
  }
}

void Writer::write(const ConsumerGroup& group) {
  write_id(group.last_id);
  write_length(static_cast<std::uint64_t>(group.entries_read));
  write_length(group.pending().size());
  for (const auto& [id, pending] : group.pending()) {
    write_raw_id(id);
    append_little_endian(bytes_, static_cast<std::uint64_t>(pending.delivered_ms), 8);
    write_length(pending.deliveries);
  }
  write_length(group.consumers().size());
  for (const auto& [name, consumer] : group.consumers()) {
    write_string(name);
    append_little_endian(bytes_, static_cast<std::uint64_t>(consumer.seen_ms), 8);
    write_length(consumer.pending.size());
    for (const StreamId id : consumer.pending) write_raw_id(id);
  }
}

}  // namespace picklock::rdb
