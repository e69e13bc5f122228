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

std::uint64_t digest(const StringValue& text, const KeyEntry&) { return hash(text, 1); }

std::uint64_t digest(const HashValue& fields, const KeyEntry&) {
  std::uint64_t sum = 2;
  fields.for_each([&](std::string_view field, std::string_view value) {
    const auto deadline = static_cast<std::uint64_t>(fields.deadline_of(field));
    sum += hash(value, hash(field, deadline));
  });
  return sum;
}

std::uint64_t digest(const ListValue& list, const KeyEntry&) {
  std::uint64_t chain = 3;
  for (const std::string_view element : list) chain = hash(element, chain);
  return chain;
}

std::uint64_t digest(const SetValue& set, const KeyEntry&) {
  std::uint64_t sum = 4;
  set.for_each([&](std::string_view member) { sum += hash(member, 4); });
  return sum;
}

std::uint64_t digest(const SortedSet& zset, const KeyEntry&) {
  std::uint64_t chain = 5;
  zset.for_each([&](const SortedSet::Item& item) {
    chain = hash(item.member, chain ^ std::bit_cast<std::uint64_t>(item.score));
  });
  return chain;
}

std::uint64_t digest(const Stream&, const KeyEntry& entry) {
  return hash(digest_of_value(entry), 6);
}

}  // namespace

std::uint64_t digest_of_state(const Engine& engine, bool relative) {
  const std::int64_t now_ms = to_unix_ms(engine.clock.now());
  std::uint64_t sum = engine.scripts.size();
  for (int i = 0; i < engine.keyspace.size(); ++i) {
    const Database* database = engine.keyspace.at(i);
    if (database == nullptr || database->size() == 0) continue;
    database->keys().for_each([&](const auto& entry) {
      const KeyEntry& value = entry.value;
      if (value.deadline_ms != kNoDeadline && value.deadline_ms < now_ms) return;
      const std::uint64_t contents =
          std::visit([&](const auto& typed) { return digest(typed, value); }, value.value);
      const bool lives_on = value.deadline_ms == kNoDeadline;
      const auto deadline =
          static_cast<std::uint64_t>(value.deadline_ms - (relative && !lives_on ? now_ms : 0));
      sum += hash(entry.key,
                  contents ^ (deadline + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15);
    });
  }
  return sum;
}

}  // namespace picklock
