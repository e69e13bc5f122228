// Deadlines of hash fields: HEXPIRE and its kin, HTTL and its kin, HPERSIST. Redis 7.4, Valkey 9.0.
//
// By the documentation of both; where their grammar and their errors differ, the profile decides.
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/hash_fields.hpp"
#include "emulator/commands/newer_errors.hpp"

namespace picklock {
namespace {

/// What HEXPIRE is asked for.
struct ExpiryRequest {
  std::int64_t deadline_ms = 0;
  ExpiryCondition condition;
  Args fields;
};

/// Redis 8: the deadline, at most one of NX, XX, GT and LT, then the fields.
std::optional<ExpiryRequest> read_redis_request(Context& c, TimeUnit unit, TimeBase base) {
  ExpiryRequest request;
  const auto deadline = read_field_deadline(c, c.args[2], unit, base);
  if (!deadline) return std::nullopt;
  request.deadline_ms = *deadline;
  const std::size_t at = request.condition.take(c.args[3]) ? 4 : 3;
  const auto fields = read_field_block(c, at, errors::kFieldsCount);
  if (!fields) return std::nullopt;
  request.fields = *fields;
  return request;
}

/// Valkey 9.0: the words are read before the deadline, and conditions as EXPIRE reads them.
std::optional<ExpiryRequest> read_valkey_request(Context& c, TimeUnit unit, TimeBase base) {
  const std::size_t at = find_fields_word(c, 3);
  if (at == 0) return std::nullopt;
  const auto condition = read_expiry_condition(c, c.args.subspan(3, at - 3));
  if (!condition) return std::nullopt;
  const auto fields = read_counted_fields(c, at + 1, 1, errors::kValkeyNumfields);
  if (!fields) return std::nullopt;
  const auto deadline = read_field_deadline(c, c.args[2], unit, base);
  if (!deadline) return std::nullopt;
  return ExpiryRequest{*deadline, *condition, *fields};
}

void set_expiry(Context& c, TimeUnit unit, TimeBase base) {
  const std::string_view key = c.args[1];
  std::optional<ExpiryRequest> request;
  if (c.profile->is_valkey() && !(request = read_valkey_request(c, unit, base))) return;
  auto* hash = c.open_as<HashValue>(key);
  if (c.failed) return;
  if (!request && !(request = read_redis_request(c, unit, base))) return;
  int set = 0;
  int deleted = 0;
  c.reply.array(request->fields.size());
  for (const std::string_view field : request->fields) {
    const FieldResult result =
        hash ? expire_field(c, key, *hash, field, request->deadline_ms, request->condition)
             : FieldResult::missing;
    set += result == FieldResult::set;
    deleted += result == FieldResult::deleted;
    c.reply.integer(static_cast<std::int64_t>(result));
  }
  if (set + deleted > 0) tell_change(c, key, *hash, deleted > 0 ? deleted_event(c) : "hexpire");
}

void hexpire(Context& c) { set_expiry(c, TimeUnit::seconds, TimeBase::relative); }
void hpexpire(Context& c) { set_expiry(c, TimeUnit::milliseconds, TimeBase::relative); }
void hexpireat(Context& c) { set_expiry(c, TimeUnit::seconds, TimeBase::absolute); }
void hpexpireat(Context& c) { set_expiry(c, TimeUnit::milliseconds, TimeBase::absolute); }

/// The fields that HTTL and HPERSIST name; the type of the key comes first in Redis, last in
/// Valkey.
std::optional<Args> read_fields(Context& c, std::string_view valkey_mismatch) {
  return c.profile->is_valkey() ? read_counted_fields(c, 3, 1, valkey_mismatch)
                                : read_field_block(c, 2, errors::kFieldsPositive);
}

void show_expiry(Context& c, TimeUnit unit, TimeBase base) {
  constexpr std::int64_t kNoField = -2;
  constexpr std::int64_t kNoTtl = -1;
  const bool valkey = c.profile->is_valkey();
  std::optional<Args> fields;
  if (valkey && !(fields = read_fields(c, errors::kSyntax))) return;
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  if (!valkey && !(fields = read_fields(c, {}))) return;
  c.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    const std::int64_t deadline_ms = hash ? hash->deadline_of(field) : kNoDeadline;
    if (deadline_ms == kNoDeadline) {
      c.reply.integer(hash && hash->has(field) ? kNoTtl : kNoField);
      continue;
    }
    const std::int64_t value = deadline_ms - (base == TimeBase::relative ? c.now_ms : 0);
    // Redis rounds seconds up, Valkey to the nearest.
    c.reply.integer(unit == TimeUnit::milliseconds ? value : (value + (valkey ? 500 : 999)) / 1000);
  }
}

void httl(Context& c) { show_expiry(c, TimeUnit::seconds, TimeBase::relative); }
void hpttl(Context& c) { show_expiry(c, TimeUnit::milliseconds, TimeBase::relative); }
void hexpiretime(Context& c) { show_expiry(c, TimeUnit::seconds, TimeBase::absolute); }
void hpexpiretime(Context& c) { show_expiry(c, TimeUnit::milliseconds, TimeBase::absolute); }

void hpersist(Context& c) {
  const std::string_view key = c.args[1];
  const bool valkey = c.profile->is_valkey();
  std::optional<Args> fields;
  if (valkey && !(fields = read_fields(c, errors::kValkeyNumfields))) return;
  auto* hash = c.open_as<HashValue>(key);
  if (c.failed) return;
  if (!valkey && !(fields = read_fields(c, {}))) return;
  bool changed = false;
  c.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    if (!hash || !hash->has(field)) {
      c.reply.integer(-2);
      continue;
    }
    const bool persisted = persist_field(c, key, *hash, field);
    changed |= persisted;
    c.reply.integer(persisted ? 1 : -1);
  }
  if (changed) c.event(EventClass::hash, "hpersist", key);
}

constexpr std::uint32_t kWrites = kWrite | kDenyOom | kFast;
constexpr std::string_view kUnsteady = "nondeterministic_output";

constexpr Command row(std::string_view name, int arity, std::uint32_t flags,
                      std::span<const KeySpec> keys, Handler handler, std::string_view tips = {}) {
  return {name, arity, flags, kAclHash, keys, "hash", "7.4.0", handler, {}, tips, kNewer};
}

constexpr Command kHashExpiryCommands[] = {
    row("hexpire", -6, kWrites, keys::kUpdate, hexpire),
    row("hpexpire", -6, kWrites, keys::kUpdate, hpexpire),
    row("hexpireat", -6, kWrites, keys::kUpdate, hexpireat),
    row("hpexpireat", -6, kWrites, keys::kUpdate, hpexpireat),
    row("httl", -5, kReadonly | kFast, keys::kRead, httl, kUnsteady),
    row("hpttl", -5, kReadonly | kFast, keys::kRead, hpttl, kUnsteady),
    row("hexpiretime", -5, kReadonly | kFast, keys::kRead, hexpiretime),
    row("hpexpiretime", -5, kReadonly | kFast, keys::kRead, hpexpiretime),
    row("hpersist", -5, kWrite | kFast, keys::kUpdate, hpersist),
};

}  // namespace

std::span<const Command> commands::hash_expiry() { return kHashExpiryCommands; }

}  // namespace picklock
