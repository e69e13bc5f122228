#include "emulator/keyspace/hash.hpp"

namespace picklock {

bool HashValue::set(std::string_view field, std::string_view value) {
  if (!large_) {
    if (const char* place = packed_.find(field)) {
      if (value.size() <= PackedFields::kLongest) return packed_.set_value(place, value), false;
    } else if (packed_.takes(field.size(), value.size())) {
      return packed_.append(field, value), true;
    }
    spread();
  }
  const auto [entry, made] = large_->fields.insert(field);
  entry->value.assign(value);
  return made;
}

bool HashValue::erase(std::string_view field) {
  if (!large_) {
    const char* place = packed_.find(field);
    if (place) packed_.erase(place);
    return place != nullptr;
  }
  if (ever_had_deadlines()) set_deadline(field, kNoDeadline);
  return large_->fields.erase(field);
}

void HashValue::spread() {
  Box<Large> large{std::in_place};
  packed_.for_each([&](std::string_view field, std::string_view value) {
    large->fields.insert(field).first->value.assign(value);
  });
  large_ = std::move(large);
  packed_ = {};
}

std::int64_t HashValue::deadline_of(std::string_view field) const {
  if (!has_deadlines()) return kNoDeadline;
  const auto* entry = large_->fields.find_entry(field);
  if (!entry) return kNoDeadline;
  const auto& of_field = large_->deadlines->of_field;
  const auto found = of_field.find(entry->sequence);
  return found == of_field.end() ? kNoDeadline : found->second;
}

void HashValue::set_deadline(std::string_view field, std::int64_t deadline_ms) {
  if (!ever_had_deadlines()) {
    if (deadline_ms == kNoDeadline || !has(field)) return;
    use_dict();
    large_->deadlines.emplace();
  }
  const auto* entry = large_->fields.find_entry(field);
  if (!entry) return;
  Deadlines& deadlines = *large_->deadlines;
  const auto old = deadlines.of_field.find(entry->sequence);
  if (old != deadlines.of_field.end()) {
    deadlines.in_order.erase({old->second, entry->sequence});
    deadlines.of_field.erase(old);
  }
  if (deadline_ms == kNoDeadline) return;
  deadlines.of_field.emplace(entry->sequence, deadline_ms);
  deadlines.in_order.emplace(deadline_ms, entry->sequence);
}

bool HashValue::has_deadline(std::int64_t deadline_ms) const {
  if (!ever_had_deadlines()) return false;
  const auto& in_order = large_->deadlines->in_order;
  const auto found = in_order.lower_bound({deadline_ms, 0});
  return found != in_order.end() && found->first == deadline_ms;
}

std::size_t HashValue::drop_expired(std::int64_t now_ms) {
  std::size_t dropped = 0;
  for (; has_expired(now_ms); ++dropped) {
    Deadlines& deadlines = *large_->deadlines;
    const auto [deadline_ms, sequence] = *deadlines.in_order.begin();
    deadlines.in_order.erase(deadlines.in_order.begin());
    deadlines.of_field.erase(sequence);
    const std::string field = large_->fields.find_sequence(sequence)->key;
    large_->fields.erase(field);
  }
  return dropped;
}

}  // namespace picklock
