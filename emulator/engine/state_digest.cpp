#include "emulator/engine/state_digest.hpp"

#include <bit>
#include <string_view>
#include <variant>
#include <xxhash.h>

#include "emulator/engine/dataset_digest.hpp"
#include "emulator/engine/engine.hpp"

namespace picklock {
namespace {

std::uint64_t hash(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

// One function for each type. What has no order is added up, what has one is hashed in a chain.

/// Beside a value: what instants are told from; 0, unless they are told by their distance.
struct Place {
  const KeyEntry& entry;
  std::int64_t origin_ms;
};

std::uint64_t digest(const StringValue& text, const Place&) { return hash(text, 1); }

std::uint64_t digest(const HashValue& fields, const Place& place) {
  std::uint64_t sum = 2;
  fields.for_each([&](std::string_view field, std::string_view value) {
    const std::int64_t deadline_ms = fields.deadline_of(field);
    const bool lives_on = deadline_ms == kNoDeadline;
    const auto deadline =
        static_cast<std::uint64_t>(deadline_ms - (lives_on ? 0 : place.origin_ms));
    sum += hash(value, hash(field, deadline));
  });
  return sum;
}

std::uint64_t digest(const ListValue& list, const Place&) {
  std::uint64_t chain = 3;
  for (const std::string_view element : list) chain = hash(element, chain);
  return chain;
}

std::uint64_t digest(const SetValue& set, const Place&) {
  std::uint64_t sum = 4;
  set.for_each([&](std::string_view member) { sum += hash(member, 4); });
  return sum;
}

std::uint64_t digest(const SortedSet& zset, const Place&) {
  std::uint64_t chain = 5;
  zset.for_each([&](const SortedSet::Item& item) {
    chain = hash(item.member, chain ^ std::bit_cast<std::uint64_t>(item.score));
  });
  return chain;
}

/// All that matters of a group, but for the numbers by which it knows its consumers.
std::uint64_t digest(const ConsumerGroup& group, std::int64_t origin_ms) {
  std::uint64_t chain = 7;
  const auto add = [&chain](std::uint64_t number) {
    chain = (chain ^ number) * 0x9e3779b97f4a7c15;
    chain ^= chain >> 32;
  };
  const auto add_id = [&add](StreamId id) {
    add(id.ms);
    add(id.seq);
  };
  add_id(group.last_id);
  add(static_cast<std::uint64_t>(group.entries_read));
  for (const auto& [name, consumer] : group.consumers()) {
    chain = hash(name, chain);
    add(static_cast<std::uint64_t>(consumer.seen_ms - origin_ms));
    for (const StreamId id : consumer.pending) {
      const PendingEntry& entry = group.pending().find(id)->second;
      add_id(id);
      add(static_cast<std::uint64_t>(entry.delivered_ms - origin_ms));
      add(entry.deliveries);
    }
  }
  return chain;
}

std::uint64_t digest(const Stream& stream, const Place& place) {
  std::uint64_t chain = hash(digest_of_value(place.entry), 6) + stream.entries_added();
  for (const StreamId id : {stream.last_id(), stream.max_deleted_id()})
    chain = (chain ^ id.ms) * 0x9e3779b97f4a7c15 + id.seq;
  for (const auto& [name, group] : stream.groups())
    chain = hash(name, chain ^ digest(group, place.origin_ms));
  return chain;
}

/// What scripts and functions are there, and what math.random will draw.
std::uint64_t digest_of_scripts(const Engine& engine) {
  std::uint64_t sum = engine.scripts.random_state();
  engine.scripts.for_each_sha1([&sum](std::string_view sha1) { sum += hash(sha1, 8); });
  engine.functions.libraries().for_each(
      [&sum](const auto& library) { sum += hash(library.value.code, 9); });
  return sum;
}

}  // namespace

std::uint64_t digest_of_state(const Engine& engine, Instant now, bool relative) {
  const std::int64_t now_ms = to_unix_ms(now);
  const std::int64_t origin_ms = relative ? now_ms : 0;
  std::uint64_t sum = digest_of_scripts(engine) + engine.config.digest() + engine.acl.digest();
  if (!engine.active_expiry) sum += 10;
  for (int i = 0; i < engine.keyspace.size(); ++i) {
    const Database* database = engine.keyspace.at(i);
    if (database == nullptr || database->size() == 0) continue;
    database->keys().for_each([&](const auto& entry) {
      const KeyEntry& value = entry.value;
      if (value.deadline_ms != kNoDeadline && value.deadline_ms < now_ms) return;
      const Place place{value, origin_ms};
      const std::uint64_t contents =
          std::visit([&place](const auto& typed) { return digest(typed, place); }, value.value);
      const bool lives_on = value.deadline_ms == kNoDeadline;
      const auto deadline =
          static_cast<std::uint64_t>(value.deadline_ms - (lives_on ? 0 : origin_ms));
      sum += hash(entry.key,
                  contents ^ (deadline + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15);
    });
  }
  return sum;
}

}  // namespace picklock
