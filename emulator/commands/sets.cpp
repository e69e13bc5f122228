// Sets: members added, removed, moved and asked for. A set that loses its last member is deleted.
#include <optional>
#include <string>

#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

/// The set at `key` for writing, made if it is missing. It is known to have no other type.
SetValue& make_set(Context& c, std::string_view key) {
  if (auto* set = c.edit_as<SetValue>(key)) return *set;
  c.db().put(key, SetValue{});
  return std::get<SetValue>(c.edit(key)->value);
}

void sadd(Context& c) {
  const std::string_view key = c.args[1];
  const auto* set = c.find_as<SetValue>(key);
  if (c.failed) return;
  std::int64_t added = 0;
  for (const std::string_view member : c.args.subspan(2)) {
    if (set && set->has(member)) continue;
    SetValue& writable = make_set(c, key);
    writable.add(member, c.limits);
    set = &writable;
    ++added;
  }
  if (added > 0) c.event(EventClass::set, "sadd", key);
  c.reply.integer(added);
}

/// Takes out a member that is there; the key goes with the last one.
void take_out(Context& c, std::string_view key, std::string_view member) {
  auto* set = c.edit_as<SetValue>(key);
  set->erase(member);
  if (set->empty()) c.db().erase(key);
}

void srem(Context& c) {
  const std::string_view key = c.args[1];
  const auto* set = c.find_as<SetValue>(key);
  if (c.failed) return;
  std::int64_t removed = 0;
  for (const std::string_view member : c.args.subspan(2)) {
    if (!set || !set->has(member)) continue;
    if (set->size() == 1) set = nullptr;
    take_out(c, key, member);
    ++removed;
  }
  if (removed > 0) c.event(EventClass::set, "srem", key);
  if (removed > 0 && !set) c.event(EventClass::generic, "del", key);
  c.reply.integer(removed);
}

void smove(Context& c) {
  const std::string_view from = c.args[1];
  const std::string_view to = c.args[2];
  const std::string_view member = c.args[3];
  const KeyEntry* source_entry = c.find(from);  // Either is dropped first, if it has expired.
  const KeyEntry* target_entry = c.find(to);
  if (!source_entry) return c.reply.integer(0);
  const auto* source = c.find_as<SetValue>(from);
  if (c.failed) return;
  const auto* target = target_entry ? c.find_as<SetValue>(to) : nullptr;
  if (c.failed) return;
  const bool there = source->has(member);
  if (!there || source == target) return c.reply.integer(there ? 1 : 0);
  const bool last = source->size() == 1;
  const bool is_new = !target || !target->has(member);
  take_out(c, from, member);
  c.early_event(EventClass::set, "srem", from);
  if (last) c.early_event(EventClass::generic, "del", from);
  if (is_new) {
    make_set(c, to).add(member, c.limits);
    c.event(EventClass::set, "sadd", to);
  }
  c.tell_changes();
  c.reply.integer(1);
}

void smembers(Context& c) {
  const auto* set = c.find_as<SetValue>(c.args[1]);
  if (c.failed) return;
  c.reply.set(set ? set->size() : 0);
  if (set) set->for_each([&](std::string_view member) { c.reply.bulk(member); });
}

void sismember(Context& c) {
  const auto* set = c.find_as<SetValue>(c.args[1]);
  if (!c.failed) c.reply.integer(set && set->has(c.args[2]) ? 1 : 0);
}

void smismember(Context& c) {
  const auto* set = c.find_as<SetValue>(c.args[1]);
  if (c.failed) return;
  c.reply.array(c.args.size() - 2);
  for (const std::string_view member : c.args.subspan(2))
    c.reply.integer(set && set->has(member) ? 1 : 0);
}

void scard(Context& c) {
  const auto* set = c.find_as<SetValue>(c.args[1]);
  if (!c.failed) c.reply.integer(set ? static_cast<std::int64_t>(set->size()) : 0);
}

constexpr KeySpec kMoved[] = {{"RW access delete"}, {.flags = "RW insert", .first = 2}};
constexpr std::uint32_t kReads = kReadonly | kFast;
constexpr Command kSetsCommands[] = {
    {"sadd", -3, kWrite | kDenyOom | kFast, kAclSet, keys::kInsert, "set", "1.0.0", sadd},
    {"srem", -3, kWrite | kFast, kAclSet, keys::kDelete, "set", "1.0.0", srem},
    {"smove", 4, kWrite | kFast, kAclSet, kMoved, "set", "1.0.0", smove},
    {"smembers",
     2,
     kReadonly,
     kAclSet,
     keys::kRead,
     "set",
     "1.0.0",
     smembers,
     {},
     "nondeterministic_output_order"},
    {"sismember", 3, kReads, kAclSet, keys::kLook, "set", "1.0.0", sismember},
    {"smismember", -3, kReads, kAclSet, keys::kRead, "set", "6.2.0", smismember},
    {"scard", 2, kReads, kAclSet, keys::kLook, "set", "1.0.0", scard},
};

}  // namespace

std::span<const Command> commands::sets() { return kSetsCommands; }

}  // namespace picklock
