#include "emulator/keyspace/stream_group.hpp"

namespace picklock {

Consumer* ConsumerGroup::find_consumer(std::string_view name) {
  const auto found = consumers_.find(name);
  return found == consumers_.end() ? nullptr : &found->second;
}

Consumer& ConsumerGroup::add_consumer(std::string_view name, std::int64_t seen_ms) {
  const std::uint64_t number = ++last_number_;
  names_.emplace_hint(names_.end(), number, name);
  return consumers_.emplace(name, Consumer{number, seen_ms, {}}).first->second;
}

void ConsumerGroup::remove_consumer(std::string_view name) {
  const auto found = consumers_.find(name);
  for (const StreamId id : found->second.pending) pending_.erase(id);
  names_.erase(found->second.number);
  consumers_.erase(found);
}

PendingEntry* ConsumerGroup::find_pending(StreamId id) {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : &found->second;
}

PendingEntry& ConsumerGroup::assign(StreamId id, Consumer& consumer) {
  PendingEntry& entry = pending_[id];
  if (entry.consumer == consumer.number) return entry;
  if (entry.consumer != 0) consumers_.find(name_of(entry.consumer))->second.pending.erase(id);
  entry.consumer = consumer.number;
  consumer.pending.insert(id);
  return entry;
}

bool ConsumerGroup::acknowledge(StreamId id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return false;
  consumers_.find(name_of(found->second.consumer))->second.pending.erase(id);
  pending_.erase(found);
  return true;
}

}  // namespace picklock
