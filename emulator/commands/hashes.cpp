// Hashes. A hash that loses its last field is deleted.
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/hash_fields.hpp"

namespace picklock {
namespace {

/// Sets the pairs from word 2 on; the number of fields made, or nullopt if an error was answered.
std::optional<std::int64_t> set_fields(Context& c) {
  if (c.args.size() % 2 != 0) {
    c.reply.error(errors::wrong_arity(c.command->name));
    return std::nullopt;
  }
  HashValue* hash = make_hash(c, c.args[1]);
  if (!hash) return std::nullopt;
  const Args words = c.args.subspan(2);
  if (words.size() > 2 && hash->empty()) {
    std::size_t bytes = 0;
    for (const std::string_view word : words) bytes += word.size();
    hash->expect(words.size() / 2, bytes);
  }
  std::int64_t made = 0;
  for (std::size_t i = 2; i < c.args.size(); i += 2)
    made += set_field(c, c.args[1], *hash, c.args[i], c.args[i + 1]);
  return made;
}

void hset(Context& c) {
  const auto made = set_fields(c);
  if (!made) return;
  if (c.events) c.events->publish_notes();
  c.reply.integer(*made);
  c.event(EventClass::hash, "hset", c.args[1]);
}

void hmset(Context& c) {
  if (!set_fields(c)) return;
  if (c.events) c.events->publish_notes();
  c.reply.ok();
  c.event(EventClass::hash, "hset", c.args[1]);
}

void hsetnx(Context& c) {
  const auto* old = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  if (old && old->has(c.args[2])) return c.reply.integer(0);
  set_field(c, c.args[1], *make_hash(c, c.args[1]), c.args[2], c.args[3]);
  if (c.events) c.events->publish_notes();
  c.reply.integer(1);
  c.event(EventClass::hash, "hset", c.args[1]);
}

void hget(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (!c.failed) reply_field(c, hash, c.args[2]);
}

void hmget(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  c.reply.array(c.args.size() - 2);
  for (const std::string_view field : c.args.subspan(2)) reply_field(c, hash, field);
}

void hgetall(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  c.reply.map(hash ? hash->size() : 0);
  if (!hash) return;
  hash->for_each([&](std::string_view field, std::string_view value) {
    c.reply.bulk(field);
    c.reply.bulk(value);
  });
}

void hkeys(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  c.reply.array(hash ? hash->size() : 0);
  if (hash) hash->for_each([&](std::string_view field, std::string_view) { c.reply.bulk(field); });
}

void hvals(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  c.reply.array(hash ? hash->size() : 0);
  if (hash) hash->for_each([&](std::string_view, std::string_view value) { c.reply.bulk(value); });
}

void hdel(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  std::int64_t deleted = 0;
  bool emptied = false;
  for (const std::string_view field : c.args.subspan(2)) {
    if (!hash || !hash->has(field)) continue;
    auto* editable = c.edit_as<HashValue>(c.args[1]);
    editable->erase(field);
    ++deleted;
    if (!editable->empty()) continue;
    c.db().erase(c.args[1]);
    hash = nullptr;
    emptied = true;
  }
  if (deleted > 0) c.event(EventClass::hash, "hdel", c.args[1]);
  if (emptied) c.event(EventClass::generic, "del", c.args[1]);
  c.reply.integer(deleted);
}

void hexists(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (!c.failed) c.reply.integer(hash && hash->has(c.args[2]) ? 1 : 0);
}

void hlen(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (!c.failed) c.reply.integer(hash ? static_cast<std::int64_t>(hash->size()) : 0);
}

void hincrby(Context& c) {
  const auto by = parse_int64(c.args[3]);
  if (!by) return c.reply.error(errors::kNotInteger);
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  const auto old = hash ? hash->find(c.args[2]) : std::nullopt;
  const auto value = old ? parse_int64(*old) : 0;
  if (!value) return c.reply.error(errors::kHashNotInteger);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*value, *by, &sum)) return c.reply.error(errors::kIncrementOverflow);
  char buffer[kInt64Chars];
  set_field(c, c.args[1], *make_hash(c, c.args[1]), c.args[2], format_int64(sum, buffer),
            FieldTtl::keep);
  if (c.events) c.events->publish_notes();
  c.reply.integer(sum);
  c.event(EventClass::hash, "hincrby", c.args[1]);
}

void hincrbyfloat(Context& c) {
  const auto by = parse_long_double(c.args[3]);
  if (!by) return c.reply.error(errors::kNotFloat);
  if (std::isinf(*by)) return c.reply.error(errors::kNanOrInfinity);
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  const auto old = hash ? hash->find(c.args[2]) : std::nullopt;
  const auto value = old ? parse_long_double(*old) : 0.0L;
  if (!value) return c.reply.error(errors::kHashNotFloat);
  const long double sum = *value + *by;
  if (std::isnan(sum) || std::isinf(sum)) return c.reply.error(errors::kIncrementNan);
  const std::string text = format_long_double(sum);
  set_field(c, c.args[1], *make_hash(c, c.args[1]), c.args[2], text, FieldTtl::keep);
  if (c.events) c.events->publish_notes();
  c.reply.bulk(text);
  c.event(EventClass::hash, "hincrbyfloat", c.args[1]);
  c.replicate_as({"HSET", c.args[1], c.args[2], text});
}

void hstrlen(Context& c) {
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  const auto value = hash ? hash->find(c.args[2]) : std::nullopt;
  c.reply.integer(value ? static_cast<std::int64_t>(value->size()) : 0);
}

constexpr Command kHashesCommands[] = {
    {"hset", -4, kWrite | kDenyOom | kFast, kAclHash, keys::kUpdate, "hash", "2.0.0", hset},
    {"hmset", -4, kWrite | kDenyOom | kFast, kAclHash, keys::kUpdate, "hash", "2.0.0", hmset},
    {"hsetnx", 4, kWrite | kDenyOom | kFast, kAclHash, keys::kInsert, "hash", "2.0.0", hsetnx},
    {"hget", 3, kReadonly | kFast, kAclHash, keys::kRead, "hash", "2.0.0", hget},
    {"hmget", -3, kReadonly | kFast, kAclHash, keys::kRead, "hash", "2.0.0", hmget},
    {"hgetall",
     2,
     kReadonly,
     kAclHash,
     keys::kRead,
     "hash",
     "2.0.0",
     hgetall,
     {},
     "nondeterministic_output_order"},
    {"hdel", -3, kWrite | kFast, kAclHash, keys::kDelete, "hash", "2.0.0", hdel},
    {"hexists", 3, kReadonly | kFast, kAclHash, keys::kLook, "hash", "2.0.0", hexists},
    {"hlen", 2, kReadonly | kFast, kAclHash, keys::kLook, "hash", "2.0.0", hlen},
    {"hkeys",
     2,
     kReadonly,
     kAclHash,
     keys::kRead,
     "hash",
     "2.0.0",
     hkeys,
     {},
     "nondeterministic_output_order"},
    {"hvals",
     2,
     kReadonly,
     kAclHash,
     keys::kRead,
     "hash",
     "2.0.0",
     hvals,
     {},
     "nondeterministic_output_order"},
    {"hincrby", 4, kWrite | kDenyOom | kFast, kAclHash, keys::kReadUpdate, "hash", "2.0.0",
     hincrby},
    {"hincrbyfloat", 4, kWrite | kDenyOom | kFast, kAclHash, keys::kReadUpdate, "hash", "2.6.0",
     hincrbyfloat},
    {"hstrlen", 3, kReadonly | kFast, kAclHash, keys::kLook, "hash", "3.2.0", hstrlen},
};

}  // namespace

std::span<const Command> commands::hashes() { return kHashesCommands; }

}  // namespace picklock
