// Unions, intersections and differences of sets.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

using Sources = std::vector<const SetValue*>;  // Null for a missing key.

/// The sets at `keys`; nullopt if WRONGTYPE was answered.
std::optional<Sources> read_sources(Context& c, Args keys) {
  Sources sources;
  for (const std::string_view key : keys) {
    sources.push_back(c.read_as<SetValue>(key));
    if (c.failed) return std::nullopt;
  }
  return sources;
}

/// Members of all sources, at most `limit` of them (0: all), in the order of the smallest one,
/// which Redis walks along.
std::vector<std::string> intersect(Sources sources, std::size_t limit = 0) {
  std::vector<std::string> result;
  if (std::ranges::find(sources, nullptr) != sources.end()) return result;
  std::ranges::stable_sort(sources, {}, [](const SetValue* set) { return set->size(); });
  sources[0]->for_each([&](std::string_view member) {
    if (limit > 0 && result.size() == limit) return;
    if (std::all_of(sources.begin() + 1, sources.end(),
                    [&](const SetValue* set) { return set->has(member); }))
      result.emplace_back(member);
  });
  return result;
}

SetValue unite(Context& c, const Sources& sources) {
  SetValue result;
  for (const SetValue* set : sources)
    if (set) set->for_each([&](std::string_view member) { result.add(member, c.limits); });
  return result;
}

/// Whether it is less work to take the members of all the others from a copy of the first. Redis,
/// sunionDiffGenericCommand: by the way depends what form the result has in the end.
bool is_better_copied(const Sources& sources) {
  std::size_t there = 0, members = 0;
  for (const SetValue* set : sources) {
    if (!set) continue;
    ++there;
    members += set->size();
  }
  return sources[0]->size() * there / 2 > members;
}

SetValue subtract(Context& c, const Sources& sources) {
  SetValue result;
  const SetValue* first = sources[0];
  if (!first || std::find(sources.begin() + 1, sources.end(), first) != sources.end())
    return result;
  if (is_better_copied(sources)) {
    for (const SetValue* set : sources) {
      if (!set) continue;
      set->for_each([&](std::string_view member) {
        set == first ? void(result.add(member, c.limits)) : void(result.erase(member));
      });
      if (result.size() == 0) break;
    }
    return result;
  }
  sources[0]->for_each([&](std::string_view member) {
    if (std::none_of(sources.begin() + 1, sources.end(),
                     [&](const SetValue* set) { return set && set->has(member); }))
      result.add(member, c.limits);
  });
  return result;
}

void write(Context& c, const SetValue& result) {
  c.reply.set(result.size());
  result.for_each([&](std::string_view member) { c.reply.bulk(member); });
}

/// Puts `result` at the first key and answers its size; an empty one deletes the key.
/// Tells of it after the reply, as Redis does, but of the key that is new, and of one that goes
/// because `is_missing` says that a source is not there.
void store(Context& c, SetValue result, bool is_missing = false) {
  const std::string_view key = c.args[1];
  const auto size = static_cast<std::int64_t>(result.size());
  if (size == 0) {
    const bool erased = c.db().erase(key);
    if (erased && is_missing) c.event(EventClass::generic, "del", key);
    c.reply.integer(0);
    if (erased && !is_missing) c.event(EventClass::generic, "del", key);
    return;
  }
  c.about_to_overwrite(key);
  c.db().put(key, std::move(result));
  c.tell_changes();
  c.reply.integer(size);
  c.event(EventClass::set, c.command->name, key);
}

void sinter(Context& c) {
  const auto sources = read_sources(c, c.args.subspan(1));
  if (!sources) return;
  const auto members = intersect(*sources);
  c.reply.set(members.size());
  for (const std::string& member : members) c.reply.bulk(member);
}

void sinterstore(Context& c) {
  const auto sources = read_sources(c, c.args.subspan(2));
  if (!sources) return;
  SetValue result;
  for (const std::string& member : intersect(*sources)) result.add(member, c.limits);
  store(c, std::move(result), std::ranges::find(*sources, nullptr) != sources->end());
}

void sunion(Context& c) {
  if (const auto sources = read_sources(c, c.args.subspan(1))) write(c, unite(c, *sources));
}

void sunionstore(Context& c) {
  if (const auto sources = read_sources(c, c.args.subspan(2))) store(c, unite(c, *sources));
}

void sdiff(Context& c) {
  if (const auto sources = read_sources(c, c.args.subspan(1))) write(c, subtract(c, *sources));
}

void sdiffstore(Context& c) {
  if (const auto sources = read_sources(c, c.args.subspan(2))) store(c, subtract(c, *sources));
}

void sintercard(Context& c) {
  const auto count = parse_int64(c.args[1]);
  if (!count || *count < 1) return c.reply.error(errors::kNumkeysNotPositive);
  if (*count > static_cast<std::int64_t>(c.args.size()) - 2)
    return c.reply.error(errors::kTooManyKeys);
  std::int64_t limit = 0;
  const std::size_t keys = static_cast<std::size_t>(*count);
  for (std::size_t at = 2 + keys; at < c.args.size(); at += 2) {
    if (!is_word(c.args[at], "limit") || at + 1 == c.args.size())
      return c.reply.error(errors::kSyntax);
    const auto given = parse_int64(c.args[at + 1]);
    if (!given || *given < 0) return c.reply.error(errors::kLimitNegative);
    limit = *given;
  }
  const auto sources = read_sources(c, c.args.subspan(2, keys));
  if (!sources) return;
  c.reply.integer(
      static_cast<std::int64_t>(intersect(*sources, static_cast<std::size_t>(limit)).size()));
}

constexpr std::string_view kUnordered = "nondeterministic_output_order";
constexpr KeySpec kFrom[] = {{.flags = "RO access", .find = KeySpec::Find::keynum}};
constexpr KeySpec kStored[] = {{"OW update"}, {.flags = "RO access", .first = 2, .last = -1}};
constexpr KeySpec kInterStored[] = {{"RW update"}, {.flags = "RO access", .first = 2, .last = -1}};
constexpr std::uint32_t kSetStores = kWrite | kDenyOom;
constexpr Command kSetAlgebraCommands[] = {
    {"sinter", -2, kReadonly, kAclSet, keys::kReadAll, "set", "1.0.0", sinter, {}, kUnordered},
    {"sunion", -2, kReadonly, kAclSet, keys::kReadAll, "set", "1.0.0", sunion, {}, kUnordered},
    {"sdiff", -2, kReadonly, kAclSet, keys::kReadAll, "set", "1.0.0", sdiff, {}, kUnordered},
    {"sinterstore", -3, kSetStores, kAclSet, kInterStored, "set", "1.0.0", sinterstore},
    {"sunionstore", -3, kSetStores, kAclSet, kStored, "set", "1.0.0", sunionstore},
    {"sdiffstore", -3, kSetStores, kAclSet, kStored, "set", "1.0.0", sdiffstore},
    {"sintercard", -3, kReadonly | kMovableKeys, kAclSet, kFrom, "set", "7.0.0", sintercard},
};

}  // namespace

std::span<const Command> commands::set_algebra() { return kSetAlgebraCommands; }

}  // namespace picklock
