// SPOP and SRANDMEMBER: members of a set, drawn by the seeded generator.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/draws.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

std::string draw(Context& c, const SetValue& set) {
  return set.members().pick([&](std::uint64_t bound) { return c.random.below(bound); })->key;
}

/// `count` different members in their order of insertion, each choice as likely as any other.
std::vector<std::string> draw_different(Context& c, const SetValue& set, std::size_t count) {
  std::vector<std::string> drawn;
  std::size_t left = set.size();
  set.members().for_each([&](const auto& entry) {
    const std::size_t missing = count - drawn.size();
    if (missing > 0 && c.random.below(left) < missing) drawn.push_back(entry.key);
    --left;
  });
  return drawn;
}

/// Redis 7.0, spopWithCountCommand: when few members remain they become a new set, which may be an
/// intset again.
void make_anew(Context& c, SetValue& set, std::size_t taken) {
  constexpr std::size_t kFew = 5;  // SPOP_MOVE_STRATEGY_MUL
  if (set.size() * kFew > taken) return;
  SetValue fresh;
  set.for_each([&](std::string_view member) { fresh.add(member, c.limits); });
  set = std::move(fresh);
}

/// Tells of it, and says whether that was all: then the key is gone, which is told after the reply.
bool take_out(Context& c, std::string_view key, const std::vector<std::string>& members) {
  auto* set = c.edit_as<SetValue>(key);
  for (const std::string& member : members) set->erase(member);
  make_anew(c, *set, members.size());
  const bool emptied = set->empty();
  if (emptied) c.db().erase(key);
  c.early_event(EventClass::set, "spop", key);
  return emptied;
}

// Redis, spopWithCountCommand.
void replicate_removal(Context& c, std::string_view key, const std::vector<std::string>& members) {
  if (!c.effects) return;
  for (const std::string& member : members) c.replicate_apart({"SREM", key, member});
}

void spop(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::kSyntax);
  const std::string_view key = c.args[1];
  const bool counted = c.args.size() == 3;
  const auto count = counted ? parse_int64(c.args[2]) : 1;
  if (!count || *count < 0) return c.reply.error(errors::kMustBePositive);
  const auto* set = c.find_as<SetValue>(key);
  if (c.failed) return;
  if (!counted) {
    if (!set) return c.reply.null();
    const std::string member = draw(c, *set);
    const bool emptied = take_out(c, key, {member});
    c.replicate_as({"SREM", key, member});
    c.reply.bulk(member);
    if (emptied) c.early_event(EventClass::generic, "del", key);
    return;
  }
  if (!set || *count == 0) return c.reply.set(0);
  std::vector<std::string> members;
  const bool all = static_cast<std::size_t>(*count) >= set->size();
  if (all) {
    ++c.keyspace.hits;  // Redis answers with the union of the set alone, which it reads.
    set->for_each([&](std::string_view member) { members.emplace_back(member); });
  } else
    members = draw_different(c, *set, static_cast<std::size_t>(*count));
  const bool emptied = take_out(c, key, members);
  if (all)
    c.replicate_as({"DEL", key});
  else
    replicate_removal(c, key, members);
  c.reply.set(members.size());
  for (const std::string& member : members) c.reply.bulk(member);
  if (emptied) c.early_event(EventClass::generic, "del", key);
}

void draw_many(Context& c, const SetValue& set, std::int64_t count) {
  if (count < 0) {
    c.reply.array(static_cast<std::size_t>(-count));
    for (; count < 0; ++count) c.reply.bulk(draw(c, set));
    return;
  }
  if (static_cast<std::size_t>(count) >= set.size()) {
    c.reply.array(set.size());
    return set.for_each([&](std::string_view member) { c.reply.bulk(member); });
  }
  const auto members = draw_different(c, set, static_cast<std::size_t>(count));
  c.reply.array(members.size());
  for (const std::string& member : members) c.reply.bulk(member);
}

void srandmember(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::kSyntax);
  const bool counted = c.args.size() == 3;
  const auto count = counted ? parse_int64(c.args[2]) : 1;
  if (!count) return c.reply.error(errors::kNotInteger);
  if (*count < -kMaxCount) return c.reply.error(errors::kCountOutOfRange);
  const auto* set = c.find_as<SetValue>(c.args[1]);
  if (c.failed) return;
  if (!counted) return set ? c.reply.bulk(draw(c, *set)) : c.reply.null();
  if (!set) return c.reply.array(0);
  if (*count < -kMostDraws) return c.reply.error(errors::kTooManyDraws);
  draw_many(c, *set, *count);
}

constexpr Command kSetPicksCommands[] = {
    {"spop",
     -2,
     kWrite | kFast,
     kAclSet,
     keys::kReadDelete,
     "set",
     "1.0.0",
     spop,
     {},
     "nondeterministic_output"},
    {"srandmember",
     -2,
     kReadonly,
     kAclSet,
     keys::kRead,
     "set",
     "1.0.0",
     srandmember,
     {},
     "nondeterministic_output"},
};

}  // namespace

std::span<const Command> commands::set_picks() { return kSetPicksCommands; }

}  // namespace picklock
