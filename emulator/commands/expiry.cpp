// EXPIRE and its kin, TTL and its kin, PERSIST.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/expire_time.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {

namespace {
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
}  // namespace

std::optional<std::int64_t> read_set_deadline(Context& c, std::string_view text, TimeUnit unit,
                                              TimeBase base) {
  auto value = parse_int64(text);
  if (!value) {
    c.reply.error(errors::kNotInteger);
    return std::nullopt;
  }
  const std::int64_t scale = unit == TimeUnit::seconds ? 1000 : 1;
  const std::int64_t start = base == TimeBase::relative ? c.clock_ms() : 0;
  if (*value <= 0 || *value > kMax / scale || *value * scale > kMax - start) {
    c.reply.error(errors::invalid_expire(c.command->name));
    return std::nullopt;
  }
  return *value * scale + start;
}

bool ExpiryCondition::take(std::string_view word) {
  for (const auto& [name, flag] :
       {std::pair{"nx", &nx}, std::pair{"xx", &xx}, std::pair{"gt", &gt}, std::pair{"lt", &lt}})
    if (is_word(word, name)) return *flag = true;
  return false;
}

bool ExpiryCondition::allows(std::int64_t current, std::int64_t wanted) const {
  if (nx && current != kNoDeadline) return false;
  if (xx && current == kNoDeadline) return false;
  if (gt && (current == kNoDeadline || wanted <= current)) return false;
  if (lt && current != kNoDeadline && wanted >= current) return false;
  return true;
}

std::optional<ExpiryCondition> read_expiry_condition(Context& c, Args words) {
  ExpiryCondition condition;
  for (const std::string_view word : words) {
    if (condition.take(word)) continue;
    c.reply.error(errors::unsupported_option(word));
    return std::nullopt;
  }
  if (condition.nx && (condition.xx || condition.gt || condition.lt)) {
    c.reply.error(errors::kExpireNxConflict);
    return std::nullopt;
  }
  if (condition.gt && condition.lt) {
    c.reply.error(errors::kExpireGtLtConflict);
    return std::nullopt;
  }
  return condition;
}

namespace {

/// The deadline that word 2 asks for. Negative ones are fine (they delete), only overflow is not.
std::optional<std::int64_t> read_deadline(Context& c, TimeUnit unit, TimeBase base) {
  const auto value = parse_int64(c.args[2]);
  if (!value) {
    c.reply.error(errors::kNotInteger);
    return std::nullopt;
  }
  const std::int64_t scale = unit == TimeUnit::seconds ? 1000 : 1;
  const std::int64_t start = base == TimeBase::relative ? c.clock_ms() : 0;
  if (*value > kMax / scale || *value < kMin / scale || *value * scale > kMax - start) {
    c.reply.error(errors::invalid_expire(c.command->name));
    return std::nullopt;
  }
  return *value * scale + start;
}

/// With an instant, and the condition as it was given.
void replicate_expiry(Context& c, std::int64_t deadline_ms) {
  const std::string instant = to_text(deadline_ms);
  std::vector<std::string_view> words(c.args.begin(), c.args.end());
  words[0] = c.command->name == "pexpireat" ? c.args[0] : "PEXPIREAT";
  if (c.command->name != "pexpireat") words[2] = instant;
  c.replicate_as(words);
}

void set_expiry(Context& c, TimeUnit unit, TimeBase base) {
  const auto condition = read_expiry_condition(c, c.args.subspan(3));
  if (!condition) return;
  const auto deadline = read_deadline(c, unit, base);
  if (!deadline) return;
  const std::string_view key = c.args[1];
  const KeyEntry* entry = c.find(key);
  if (!entry || !condition->allows(entry->deadline_ms, *deadline)) return c.reply.integer(0);
  const bool gone = already_expired(c, *deadline);
  if (gone) {
    c.db().erase(key);
    c.replicate_deletion(key, "expire");
  } else {
    c.db().set_deadline(key, *deadline);
    if (c.effects) replicate_expiry(c, *deadline);
  }
  // Redis tells of a deletion before it replies, of a new deadline afterwards.
  if (gone) c.event(EventClass::generic, "del", key);
  c.reply.integer(1);
  if (!gone) c.event(EventClass::generic, "expire", key);
}

void expire(Context& c) { set_expiry(c, TimeUnit::seconds, TimeBase::relative); }
void pexpire(Context& c) { set_expiry(c, TimeUnit::milliseconds, TimeBase::relative); }
void expireat(Context& c) { set_expiry(c, TimeUnit::seconds, TimeBase::absolute); }
void pexpireat(Context& c) { set_expiry(c, TimeUnit::milliseconds, TimeBase::absolute); }

void show_expiry(Context& c, TimeUnit unit, TimeBase base) {
  const KeyEntry* entry = c.find_untouched(c.args[1]);
  if (!entry) return c.reply.integer(-2);
  if (entry->deadline_ms == kNoDeadline) return c.reply.integer(-1);
  std::int64_t value = entry->deadline_ms;
  if (base == TimeBase::relative) value = std::max<std::int64_t>(0, value - c.clock_ms());
  // Seconds are rounded to the nearest, deadlines as well as lifetimes (Redis: ttlGenericCommand).
  c.reply.integer(unit == TimeUnit::milliseconds ? value
                                                 : value / 1000 + (value % 1000 >= 500 ? 1 : 0));
}

void ttl(Context& c) { show_expiry(c, TimeUnit::seconds, TimeBase::relative); }
void pttl(Context& c) { show_expiry(c, TimeUnit::milliseconds, TimeBase::relative); }
void expiretime(Context& c) { show_expiry(c, TimeUnit::seconds, TimeBase::absolute); }
void pexpiretime(Context& c) { show_expiry(c, TimeUnit::milliseconds, TimeBase::absolute); }

void persist(Context& c) {
  const KeyEntry* entry = c.find(c.args[1]);
  if (!entry || entry->deadline_ms == kNoDeadline) return c.reply.integer(0);
  c.db().set_deadline(c.args[1], kNoDeadline);
  c.event(EventClass::generic, "persist", c.args[1]);
  c.reply.integer(1);
}

constexpr Command kExpiryCommands[] = {
    {"expire", -3, kWrite | kFast, kAclKeyspace, keys::kUpdate, "generic", "1.0.0", expire},
    {"pexpire", -3, kWrite | kFast, kAclKeyspace, keys::kUpdate, "generic", "2.6.0", pexpire},
    {"expireat", -3, kWrite | kFast, kAclKeyspace, keys::kUpdate, "generic", "1.2.0", expireat},
    {"pexpireat", -3, kWrite | kFast, kAclKeyspace, keys::kUpdate, "generic", "2.6.0", pexpireat},
    {"ttl",
     2,
     kReadonly | kFast,
     kAclKeyspace,
     keys::kRead,
     "generic",
     "1.0.0",
     ttl,
     {},
     "nondeterministic_output"},
    {"pttl",
     2,
     kReadonly | kFast,
     kAclKeyspace,
     keys::kRead,
     "generic",
     "2.6.0",
     pttl,
     {},
     "nondeterministic_output"},
    {"expiretime", 2, kReadonly | kFast, kAclKeyspace, keys::kRead, "generic", "7.0.0", expiretime},
    {"pexpiretime", 2, kReadonly | kFast, kAclKeyspace, keys::kRead, "generic", "7.0.0",
     pexpiretime},
    {"persist", 2, kWrite | kFast, kAclKeyspace, keys::kUpdate, "generic", "2.2.0", persist},
};

}  // namespace

std::span<const Command> commands::expiry() { return kExpiryCommands; }

}  // namespace picklock
