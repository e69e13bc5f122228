// INCR, DECR and their kin: strings read as numbers.
#include <cmath>
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

/// `found`: what find() has just given for the key, which holds a string, or null.
void store(Context& c, std::string_view key, const KeyEntry* found, std::string_view text) {
  if (!found) return c.db().put_text(key, text);
  KeyEntry& entry = c.db().edit(key, *found);
  std::get<StringValue>(entry.value).assign(text);
  entry.form = Form::fresh;
}

void increment(Context& c, std::int64_t by) {
  const KeyEntry* found = c.find(c.args[1]);
  const auto* old = c.as<StringValue>(found);
  if (c.failed) return;
  const auto value = old ? parse_int64(*old) : 0;
  if (!value) return c.reply.error(errors::kNotInteger);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*value, by, &sum)) return c.reply.error(errors::kIncrementOverflow);
  char buffer[kInt64Chars];
  store(c, c.args[1], found, format_int64(sum, buffer));
  c.event(EventClass::string, "incrby", c.args[1]);
  c.reply.integer(sum);
}

void incr(Context& c) { increment(c, 1); }
void decr(Context& c) { increment(c, -1); }

void incrby(Context& c) {
  const auto by = parse_int64(c.args[2]);
  if (!by) return c.reply.error(errors::kNotInteger);
  increment(c, *by);
}

void decrby(Context& c) {
  const auto by = parse_int64(c.args[2]);
  if (!by) return c.reply.error(errors::kNotInteger);
  if (*by == std::numeric_limits<std::int64_t>::min())
    return c.reply.error(errors::kDecrementOverflow);
  increment(c, -*by);
}

void incrbyfloat(Context& c) {
  const KeyEntry* found = c.find(c.args[1]);
  const auto* old = c.as<StringValue>(found);
  if (c.failed) return;
  const auto value = old ? parse_long_double(*old) : 0.0L;
  const auto by = value ? parse_long_double(c.args[2]) : std::nullopt;
  if (!by) return c.reply.error(errors::kNotFloat);
  const long double sum = *value + *by;
  if (std::isnan(sum) || std::isinf(sum)) return c.reply.error(errors::kIncrementNan);
  const std::string text = format_long_double(sum);
  store(c, c.args[1], found, text);
  c.db().set_form(c.args[1], Form::text);
  c.event(EventClass::string, "incrbyfloat", c.args[1]);
  c.replicate_as({"SET", c.args[1], text, "KEEPTTL"});
  c.reply.bulk(text);
}

constexpr Command kCountersCommands[] = {
    {"incr", 2, kWrite | kDenyOom | kFast, kAclString, keys::kReadUpdate, "string", "1.0.0", incr},
    {"decr", 2, kWrite | kDenyOom | kFast, kAclString, keys::kReadUpdate, "string", "1.0.0", decr},
    {"incrby", 3, kWrite | kDenyOom | kFast, kAclString, keys::kReadUpdate, "string", "1.0.0",
     incrby},
    {"decrby", 3, kWrite | kDenyOom | kFast, kAclString, keys::kReadUpdate, "string", "1.0.0",
     decrby},
    {"incrbyfloat", 3, kWrite | kDenyOom | kFast, kAclString, keys::kReadUpdate, "string", "2.6.0",
     incrbyfloat},
};

}  // namespace

std::span<const Command> commands::counters() { return kCountersCommands; }

}  // namespace picklock
