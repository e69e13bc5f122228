// HGETDEL of Redis 8.0; HGETEX and HSETEX of Redis 8.0 and Valkey 9.0: fields and their deadlines
// at once. By the documentation of both; where they differ, the profile decides.
#include <algorithm>
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/hash_fields.hpp"
#include "emulator/commands/newer_errors.hpp"
#include "emulator/commands/string_options.hpp"

namespace picklock {
namespace {

using Expire = StringOptions::Expire;

void hgetdel(Context& c) {
  const std::string_view key = c.args[1];
  auto* hash = c.open_as<HashValue>(key);
  if (c.failed) return;
  const auto fields = read_field_block(c, 2, errors::kFieldsPositive);
  if (!fields) return;
  bool deleted = false;
  c.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    reply_field(c, hash, field);
    deleted |= hash && hash->erase(field);
  }
  if (deleted) tell_change(c, key, *hash, "hdel");
}

/// What HGETEX and HSETEX are asked for. The words of `fields` are names, or names and values.
struct ValuesRequest {
  StringOptions options;
  std::int64_t deadline_ms = kNoDeadline;
  Args fields;
};

bool read_deadline(Context& c, ValuesRequest& request) {
  if (!request.options.has_time()) return true;
  const auto deadline =
      read_field_deadline(c, request.options.time, request.options.unit(), request.options.base());
  if (deadline) request.deadline_ms = *deadline;
  return deadline.has_value();
}

/// Redis 8: at most one option, then the fields.
bool read_redis_hgetex(Context& c, ValuesRequest& request) {
  StringOptions& options = request.options;
  std::size_t at = 2;
  if (const auto expire = StringOptions::find_expire(word_number(c.args[2]))) {
    options.expire = *expire;
    options.time = c.args[3];
    if (!read_deadline(c, request)) return false;
    at = 4;
  } else if (is_word(c.args[2], "persist")) {
    options.persist = true;
    at = 3;
  }
  const auto fields = read_field_block(c, at, errors::kFieldsPositive);
  if (fields) request.fields = *fields;
  return fields.has_value();
}

/// Valkey 9.0: all words but the deadline, which is read once the key's type is known.
bool read_valkey_words(Context& c, ValuesRequest& request, Dialect dialect,
                       std::size_t words_each) {
  const std::size_t at = find_fields_word(c, 2);
  if (at == 0) return false;
  const auto options = read_string_options(c, c.args.subspan(2, at - 2), dialect);
  if (!options) return false;
  request.options = *options;
  const auto fields = read_counted_fields(c, at + 1, words_each, errors::kValkeyNumfields);
  if (fields) request.fields = *fields;
  return fields.has_value();
}

void hgetex(Context& c) {
  const std::string_view key = c.args[1];
  const bool valkey = c.profile->is_valkey();
  ValuesRequest request;
  if (valkey && !read_valkey_words(c, request, Dialect::hgetex, 1)) return;
  auto* hash = c.open_as<HashValue>(key);
  if (c.failed) return;
  if (!(valkey ? read_deadline(c, request) : read_redis_hgetex(c, request))) return;
  int updated = 0;
  int deleted = 0;
  c.reply.array(request.fields.size());
  for (const std::string_view field : request.fields) {
    reply_field(c, hash, field);
    if (!hash) continue;
    if (request.options.persist) {
      updated += persist_field(c, key, *hash, field);
    } else if (request.options.has_time()) {
      const auto result = expire_field(c, key, *hash, field, request.deadline_ms);
      updated += result == FieldResult::set;
      deleted += result == FieldResult::deleted;
    }
  }
  if (updated > 0)
    tell_change(c, key, *hash, request.options.persist ? "hpersist" : "hexpire");
  else if (deleted > 0)
    tell_change(c, key, *hash, deleted_event(c));
}

/// Redis 8: takes "FIELDS numfields field value..." at word `at`, the last that HSETEX may be
/// given.
bool take_pairs(Context& c, ValuesRequest& request, std::size_t at) {
  const auto wrong_arity = [&] { c.reply.error(errors::wrong_arity("hsetex")); };
  if (at + 3 >= c.args.size()) return wrong_arity(), false;
  const auto count = parse_int64(c.args[at + 1]);
  if (!count || *count < 1 || *count > std::numeric_limits<std::int32_t>::max())
    return c.reply.error(errors::kFieldsInvalid), false;
  request.fields = c.args.subspan(at + 2);
  if (request.fields.size() % 2 != 0 ||
      *count != static_cast<std::int64_t>(request.fields.size() / 2))
    return wrong_arity(), false;
  return true;
}

/// Redis 8: the options in any order before the fields, each checked where it stands.
bool read_redis_hsetex(Context& c, ValuesRequest& request) {
  StringOptions& options = request.options;
  for (std::size_t at = 2; at < c.args.size(); ++at) {
    const std::string_view word = c.args[at];
    const auto expire = StringOptions::find_expire(word_number(word));
    if (is_word(word, "fields")) return take_pairs(c, request, at);
    if (expire || is_word(word, "keepttl")) {
      if (options.has_time() || options.keep_ttl)
        return c.reply.error(errors::kFieldExpirations), false;
      options.keep_ttl = !expire;
      if (!expire) continue;
      if (++at >= c.args.size()) return c.reply.error(errors::kExpireTimeMissing), false;
      options.expire = *expire;
      options.time = c.args[at];
      if (!read_deadline(c, request)) return false;
    } else if (is_word(word, "fnx") || is_word(word, "fxx")) {
      if (options.fnx || options.fxx) return c.reply.error(errors::kFieldConditions), false;
      (is_word(word, "fnx") ? options.fnx : options.fxx) = true;
    } else {
      return c.reply.error(errors::unknown_argument(word)), false;
    }
  }
  return c.reply.error(errors::wrong_arity("hsetex")), false;
}

/// Whether FNX, FXX and, in Valkey, NX and XX let the fields be set.
bool may_set(const HashValue* hash, const ValuesRequest& request) {
  const StringOptions& options = request.options;
  if ((options.nx && hash) || (options.xx && !hash)) return false;
  if (!options.fnx && !options.fxx) return true;
  for (std::size_t i = 0; i < request.fields.size(); i += 2)
    if ((hash && hash->has(request.fields[i])) != options.fxx) return false;
  return true;
}

/// Sets the fields and their deadline; how many a past deadline has deleted.
int set_all(Context& c, HashValue& hash, const ValuesRequest& request) {
  const StringOptions& options = request.options;
  const bool keeps = options.keep_ttl || options.has_time();
  int deleted = 0;
  for (std::size_t i = 0; i < request.fields.size(); i += 2) {
    const std::string_view field = request.fields[i];
    set_field(c, c.args[1], hash, field, request.fields[i + 1],
              keeps ? FieldTtl::keep : FieldTtl::drop);
    if (!options.has_time()) continue;
    deleted += expire_field(c, c.args[1], hash, field, request.deadline_ms) == FieldResult::deleted;
  }
  return deleted;
}

void hsetex(Context& c) {
  const std::string_view key = c.args[1];
  const bool valkey = c.profile->is_valkey();
  ValuesRequest request;
  if (!(valkey ? read_valkey_words(c, request, Dialect::hsetex, 2) : read_redis_hsetex(c, request)))
    return;
  const auto* old = c.find_as<HashValue>(key);
  if (c.failed || (valkey && !read_deadline(c, request))) return;
  if (!may_set(old, request)) return c.reply.integer(0);
  HashValue* hash = make_hash(c, key);
  const bool deleted = set_all(c, *hash, request) > 0;
  c.reply.integer(1);
  c.event(EventClass::hash, "hset", key);
  if (!request.options.has_time()) return;
  // Valkey tells of the deadline even if it was past.
  if (valkey && deleted) c.event(EventClass::hash, "hexpire", key);
  tell_change(c, key, *hash, deleted ? deleted_event(c) : "hexpire");
}

constexpr KeySpec kHgetexKeys[] = {
    {.flags = "RW access update", .notes = "RW and UPDATE because it changes the TTL"}};

constexpr Command kHashValuesCommands[] = {
    {"hgetdel",
     -5,
     kWrite | kFast,
     kAclHash,
     keys::kReadDelete,
     "hash",
     "8.0.0",
     hgetdel,
     {},
     {},
     kRedis84},
    {"hgetex", -5, kWrite | kFast, kAclHash, kHgetexKeys, "hash", "8.0.0", hgetex, {}, {}, kNewer},
    {"hsetex",
     -6,
     kWrite | kDenyOom | kFast,
     kAclHash,
     keys::kUpdate,
     "hash",
     "8.0.0",
     hsetex,
     {},
     {},
     kNewer},
};

}  // namespace

std::span<const Command> commands::hash_values() { return kHashValuesCommands; }

}  // namespace picklock
