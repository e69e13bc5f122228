#include <algorithm>

#include <picklock/emulator.hpp>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/state_digest.hpp"

namespace picklock {

namespace {
const KeyEntry* look(const Engine& engine, int database, std::string_view key) {
  const Database* keys = engine.keyspace.at(database);
  return keys ? keys->peek(key, to_unix_ms(engine.now())) : nullptr;
}

std::optional<std::string_view> string_of(const KeyEntry* entry) {
  const auto* value = entry ? std::get_if<StringValue>(&entry->value) : nullptr;
  return value ? std::optional<std::string_view>{*value} : std::nullopt;
}

std::optional<Instant> deadline_of(const KeyEntry* entry) {
  if (!entry || entry->deadline_ms == kNoDeadline) return std::nullopt;
  return from_unix_ms(std::min(entry->deadline_ms, kLastInstantMs));
}
}  // namespace

bool Inspector::exists(std::string_view key) const {
  return look(*engine_, database_, key) != nullptr;
}

std::string_view Inspector::type(std::string_view key) const {
  const KeyEntry* entry = look(*engine_, database_, key);
  return entry ? type_name(entry->value) : "none";
}

std::optional<std::string_view> Inspector::string(std::string_view key) const {
  return string_of(look(*engine_, database_, key));
}

std::optional<std::string_view> Inspector::field(std::string_view key,
                                                 std::string_view field) const {
  const KeyEntry* entry = look(*engine_, database_, key);
  const auto* hash = entry ? std::get_if<HashValue>(&entry->value) : nullptr;
  const auto value = hash ? hash->find(field) : std::nullopt;
  const std::int64_t deadline_ms = value ? hash->deadline_of(field) : kNoDeadline;
  if (deadline_ms != kNoDeadline && deadline_ms < to_unix_ms(engine_->clock.now()))
    return std::nullopt;
  return value;
}

std::optional<Instant> Inspector::deadline(std::string_view key) const {
  return deadline_of(look(*engine_, database_, key));
}

Inspector::Key Inspector::key(std::string_view name) const {
  const KeyEntry* entry = look(*engine_, database_, name);
  return {.exists = entry != nullptr, .string = string_of(entry), .deadline = deadline_of(entry)};
}

std::vector<std::string> Inspector::keys() const {
  std::vector<std::string> names;
  const Database* database = engine_->keyspace.at(database_);
  if (!database) return names;
  const std::int64_t now_ms = to_unix_ms(engine_->clock.now());
  database->keys().for_each([&](const auto& entry) {
    if (database->peek(entry.key, now_ms)) names.push_back(entry.key);
  });
  return names;
}

std::uint64_t Inspector::digest(bool relative) const {
  return digest_of_state(*engine_, engine_->clock.now(), relative);
}

std::uint64_t Inspector::changes() const { return engine_->keyspace.changes(); }

}  // namespace picklock
