#include "emulator/keyspace/hash.hpp"

namespace picklock {

std::int64_t HashValue::deadline_of(std::string_view field) const {
  if (!has_deadlines()) return kNoDeadline;
  const Entry* entry = find_entry(field);
  if (!entry) return kNoDeadline;
  const auto found = deadlines_->of_field.find(entry->sequence);
  return found == deadlines_->of_field.end() ? kNoDeadline : found->second;
}

void HashValue::set_deadline(std::string_view field, std::int64_t deadline_ms) {
  const Entry* entry = find_entry(field);
  if (!entry) return;
  if (!deadlines_) {
    if (deadline_ms == kNoDeadline) return;
    deadlines_ = std::make_unique<Deadlines>();
  }
  const auto old = deadlines_->of_field.find(entry->sequence);
  if (old != deadlines_->of_field.end()) {
    deadlines_->in_order.erase({old->second, entry->sequence});
    deadlines_->of_field.erase(old);
  }
  if (deadline_ms == kNoDeadline) return;
  deadlines_->of_field.emplace(entry->sequence, deadline_ms);
  deadlines_->in_order.emplace(deadline_ms, entry->sequence);
}

bool HashValue::has_deadline(std::int64_t deadline_ms) const {
  if (!deadlines_) return false;
  const auto found = deadlines_->in_order.lower_bound({deadline_ms, 0});
  return found != deadlines_->in_order.end() && found->first == deadline_ms;
}

std::size_t HashValue::drop_expired(std::int64_t now_ms) {
  std::size_t dropped = 0;
  for (; has_expired(now_ms); ++dropped) {
    const auto [deadline_ms, sequence] = *deadlines_->in_order.begin();
    deadlines_->in_order.erase(deadlines_->in_order.begin());
    deadlines_->of_field.erase(sequence);
    const std::string field = find_sequence(sequence)->key;
    Dict::erase(field);
  }
  return dropped;
}

}  // namespace picklock
