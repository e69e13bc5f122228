// What the hash commands share: a hash to write to, its fields, and the deadlines of its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/commands/context.hpp"
#include "emulator/commands/expire_time.hpp"

namespace picklock {

/// The hash at `key` for writing, made if it is missing; null if WRONGTYPE was answered.
HashValue* make_hash(Context& c, std::string_view key);

/// Redis 7.4: HSET takes a field's deadline away, HINCRBY leaves it.
enum class FieldTtl : std::uint8_t { drop, keep };

/// Sets one field of the hash at `key`; true if it was made. Redis leaves the compact encoding for
/// good once the hash, a field or a value is too large.
bool set_field(Context& c, std::string_view key, HashValue& hash, std::string_view field,
               std::string_view value, FieldTtl ttl = FieldTtl::drop);

/// Answers with the value of `field`, or null if it or the whole hash is missing.
void reply_field(Context& c, const HashValue* hash, std::string_view field);

/// The deadline that `text` asks for, in the range that fields have; nullopt with the error
/// answered.
std::optional<std::int64_t> read_field_deadline(Context& c, std::string_view text, TimeUnit unit,
                                                TimeBase base);

/// What became of one field, as HEXPIRE answers it.
enum class FieldResult : std::int8_t { missing = -2, unmet = 0, set = 1, deleted = 2 };

/// Gives `field` a deadline if `condition` allows it. A deadline that is past deletes the field; a
/// hash that is empty then has still to be deleted: see tell_change().
FieldResult expire_field(Context& c, std::string_view key, HashValue& hash, std::string_view field,
                         std::int64_t deadline_ms, const ExpiryCondition& condition = {});
/// Takes the deadline of `field` away; false if it has none.
bool persist_field(Context& c, std::string_view key, HashValue& hash, std::string_view field);

/// Counts a change of the hash at `key`, deletes the key if its last field is gone, and tells of
/// `event` and of the deletion.
void tell_change(Context& c, std::string_view key, const HashValue& hash, std::string_view event);

/// The event for fields that a past deadline has deleted.
inline std::string_view deleted_event(const Context& c) {
  return c.profile->is_valkey() ? "hexpired" : "hdel";
}

/// Reads "FIELDS numfields field..." at word `at`, which must take up the rest of the request;
/// `bad_count` is the error for a count that is none. Nullopt with the error answered. Redis 8.
std::optional<Args> read_field_block(Context& c, std::size_t at, std::string_view bad_count);

/// Valkey 9.0 looks for the word FIELDS from word 1 on: where it stands, or 0 with the error
/// answered.
std::size_t find_fields_word(Context& c, std::size_t from);
/// Valkey 9.0: reads "numfields" at word `at` and then the rest of the request, which must be
/// `words_each` words for each field; nullopt with `mismatch` or another error answered.
std::optional<Args> read_counted_fields(Context& c, std::size_t at, std::size_t words_each,
                                        std::string_view mismatch);

}  // namespace picklock
