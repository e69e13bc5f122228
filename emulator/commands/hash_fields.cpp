#include "emulator/commands/hash_fields.hpp"

#include <algorithm>
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/newer_errors.hpp"

namespace picklock {

HashValue* make_hash(Context& c, std::string_view key) {
  if (auto* hash = c.edit_as<HashValue>(key)) return hash;
  if (c.failed) return nullptr;
  c.db().put(key, HashValue{});
  return std::get_if<HashValue>(&c.edit(key)->value);
}

bool set_field(Context& c, std::string_view key, HashValue& hash, std::string_view field,
               std::string_view value, FieldTtl ttl) {
  const bool made = hash.set(field, value);
  if (ttl == FieldTtl::drop && hash.has_deadlines()) hash.set_deadline(field, kNoDeadline);
  const auto longest = static_cast<std::int64_t>(std::max(field.size(), value.size()));
  if (static_cast<std::int64_t>(hash.size()) > c.limits.hash_max_listpack_entries ||
      longest > c.limits.hash_max_listpack_value) {
    c.db().set_form(key, Form::grown);
    hash.use_dict();  // HSCAN goes by it.
  }
  return made;
}

void reply_field(Context& c, const HashValue* hash, std::string_view field) {
  const auto value = hash ? hash->find(field) : std::nullopt;
  if (value)
    c.reply.bulk(*value);
  else
    c.reply.null();
}

std::optional<std::int64_t> read_field_deadline(Context& c, std::string_view text, TimeUnit unit,
                                                TimeBase base) {
  // Redis 8 keeps 46 bits of it.
  const std::int64_t latest = c.profile->is_valkey() ? std::numeric_limits<std::int64_t>::max()
                                                     : (std::int64_t{1} << 46) - 1;
  const auto value = parse_int64(text);
  if (!value) return c.reply.error(errors::kNotInteger), std::nullopt;
  if (*value < 0 && !c.profile->is_valkey())
    return c.reply.error(errors::kFieldExpireNegative), std::nullopt;
  const std::int64_t scale = unit == TimeUnit::seconds ? 1000 : 1;
  const std::int64_t start = base == TimeBase::relative ? c.now_ms : 0;
  if (*value < 0 || *value > latest / scale || *value * scale > latest - start)
    return c.reply.error(errors::invalid_expire(c.command->name)), std::nullopt;
  return *value * scale + start;
}

FieldResult expire_field(Context& c, std::string_view key, HashValue& hash, std::string_view field,
                         std::int64_t deadline_ms, const ExpiryCondition& condition) {
  if (!hash.has(field)) return FieldResult::missing;
  if (!condition.allows(hash.deadline_of(field), deadline_ms)) return FieldResult::unmet;
  if (deadline_ms <= c.now_ms) {
    hash.erase(field);
    return FieldResult::deleted;
  }
  c.db().set_field_deadline(key, field, deadline_ms);
  // Valkey's compact encoding has no room for deadlines, Redis's gets some.
  if (c.profile->is_valkey()) c.db().set_form(key, Form::grown);
  return FieldResult::set;
}

bool persist_field(Context& c, std::string_view key, HashValue& hash, std::string_view field) {
  if (hash.deadline_of(field) == kNoDeadline) return false;
  c.db().set_field_deadline(key, field, kNoDeadline);
  return true;
}

void tell_change(Context& c, std::string_view key, const HashValue& hash, std::string_view event) {
  const bool emptied = hash.empty();
  if (emptied)
    c.db().erase(key);
  else
    c.edit(key);
  c.event(EventClass::hash, event, key);
  if (emptied) c.event(EventClass::generic, "del", key);
}

std::optional<Args> read_field_block(Context& c, std::size_t at, std::string_view bad_count) {
  if (at >= c.args.size() || !is_word(c.args[at], "fields"))
    return c.reply.error(errors::kFieldsMissing), std::nullopt;
  const auto count = at + 1 < c.args.size() ? parse_int64(c.args[at + 1]) : std::nullopt;
  if (!count || *count < 1) return c.reply.error(bad_count), std::nullopt;
  const Args fields = c.args.subspan(at + 2);
  if (*count != static_cast<std::int64_t>(fields.size()))
    return c.reply.error(errors::kFieldsMismatch), std::nullopt;
  return fields;
}

std::size_t find_fields_word(Context& c, std::size_t from) {
  for (std::size_t at = from; at + 1 < c.args.size(); ++at)
    if (is_word(c.args[at], "fields")) return at;
  c.reply.error(errors::kValkeyNumfields);
  return 0;
}

std::optional<Args> read_counted_fields(Context& c, std::size_t at, std::size_t words_each,
                                        std::string_view mismatch) {
  const auto count = parse_int64(c.args[at]);
  if (!count) return c.reply.error(errors::kNotInteger), std::nullopt;
  const Args rest = c.args.subspan(at + 1);
  if (*count < 1 || rest.size() % words_each != 0 ||
      *count != static_cast<std::int64_t>(rest.size() / words_each))
    return c.reply.error(mismatch), std::nullopt;
  return rest;
}

}  // namespace picklock
