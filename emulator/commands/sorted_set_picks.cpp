// Members of sorted sets taken from an end or by chance: ZPOPMIN, ZPOPMAX, ZMPOP, ZRANDMEMBER.
#include <algorithm>
#include <limits>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/sorted_set_replies.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

/// The first key that holds a sorted set; empty if there is none or WRONGTYPE was answered.
std::optional<std::string_view> first_of(Context& c, Args keys) {
  for (const std::string_view key : keys) {
    const auto* zset = c.find_as<SortedSet>(key);
    if (c.failed) return std::nullopt;
    if (zset) return key;
  }
  return std::nullopt;
}

/// Takes up to `count` items from one end and writes them; `nested` ones as pairs.
void pop(Context& c, std::string_view key, bool from_end, std::int64_t count, bool nested) {
  auto* zset = c.edit_as<SortedSet>(key);
  const std::size_t size = std::min(static_cast<std::size_t>(count), zset->size());
  c.reply.array(nested ? size : 2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    const SortedSet::Item item = zset->at(from_end ? zset->size() - 1 : 0);
    if (nested) c.reply.array(2);
    c.reply.bulk(item.member);
    c.reply.real(item.score);
    zset->erase(item.member);
  }
  c.event(EventClass::sorted_set, from_end ? "zpopmax" : "zpopmin", key);
  sorted_sets::delete_if_empty(c, key, *zset);
}

void pop_one_key(Context& c, bool from_end) {
  if (c.args.size() > 3) return c.reply.error(errors::kSyntax);
  const bool counted = c.args.size() == 3;
  const auto count = counted ? parse_int64(c.args[2]) : 1;
  if (!count || *count < 0) return c.reply.error(errors::kMustBePositive);
  const auto key = first_of(c, c.args.subspan(1, 1));
  if (c.failed) return;
  if (!key || *count == 0) return c.reply.array(0);
  pop(c, *key, from_end, *count, counted && c.reply.version() >= 3);
}

void zpopmin(Context& c) { pop_one_key(c, false); }
void zpopmax(Context& c) { pop_one_key(c, true); }

void zmpop(Context& c) {
  const auto keys = parse_int64(c.args[1]);
  if (!keys || *keys < 1) return c.reply.error(errors::kNumkeysNotPositive);
  if (*keys >= static_cast<std::int64_t>(c.args.size()) - 2) return c.reply.error(errors::kSyntax);
  std::size_t at = 2 + static_cast<std::size_t>(*keys);
  const bool from_end = iequals(c.args[at], "max");
  if (!from_end && !iequals(c.args[at], "min")) return c.reply.error(errors::kSyntax);
  std::int64_t count = 1;
  if (++at < c.args.size()) {
    if (!iequals(c.args[at], "count") || at + 1 == c.args.size())
      return c.reply.error(errors::kSyntax);
    const auto given = parse_int64(c.args[at + 1]);
    if (!given || *given < 1) return c.reply.error(errors::kCountNotPositive);
    if (at + 2 < c.args.size()) return c.reply.error(errors::kSyntax);
    count = *given;
  }
  const auto key = first_of(c, c.args.subspan(2, static_cast<std::size_t>(*keys)));
  if (c.failed) return;
  if (!key) return c.reply.null_array();
  c.reply.array(2);
  c.reply.bulk(*key);
  pop(c, *key, from_end, count, true);
}

const SortedSet::Item& draw(Context& c, const SortedSet& zset) {
  return zset.at(c.random.below(zset.size()));
}

/// `count` different ranks, each set of them as likely as any other.
std::vector<std::size_t> draw_different(Context& c, std::size_t size, std::size_t count) {
  std::vector<std::size_t> drawn;
  for (std::size_t rank = 0; rank < size && drawn.size() < count; ++rank)
    if (c.random.below(size - rank) < count - drawn.size()) drawn.push_back(rank);
  return drawn;
}

void draw_many(Context& c, const SortedSet& zset, std::int64_t count, bool scores) {
  if (count < 0) {
    sorted_sets::begin_items(c, static_cast<std::size_t>(-count), scores);
    for (; count < 0; ++count) {
      const SortedSet::Item& item = draw(c, zset);
      sorted_sets::write_item(c, item.member, item.score, scores);
    }
    return;
  }
  const auto ranks =
      draw_different(c, zset.size(), std::min(static_cast<std::size_t>(count), zset.size()));
  sorted_sets::begin_items(c, ranks.size(), scores);
  for (const std::size_t rank : ranks)
    sorted_sets::write_item(c, zset.at(rank).member, zset.at(rank).score, scores);
}

void zrandmember(Context& c) {
  if (c.args.size() == 2) {
    const auto* zset = c.find_as<SortedSet>(c.args[1]);
    if (c.failed) return;
    return zset ? c.reply.bulk(draw(c, *zset).member) : c.reply.null();
  }
  const auto count = parse_int64(c.args[2]);
  if (!count) return c.reply.error(errors::kNotInteger);
  if (*count < -kMaxCount) return c.reply.error(errors::kCountOutOfRange);
  const bool scores = c.args.size() > 3;
  if (scores && (c.args.size() > 4 || !iequals(c.args[3], "withscores")))
    return c.reply.error(errors::kSyntax);
  if (scores && (*count < -kMaxCount / 2 || *count > kMaxCount / 2))
    return c.reply.error(errors::kOutOfRange);
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  if (!zset) return c.reply.array(0);
  draw_many(c, *zset, *count, scores);
}

constexpr KeySpec kPopFrom[] = {{.flags = "RW access delete", .find = KeySpec::Find::keynum}};
constexpr Command kCommands[] = {
    {"zpopmin", -2, kWrite | kFast, kAclSortedSet, keys::kReadDelete, "sorted-set", "5.0.0",
     zpopmin},
    {"zpopmax", -2, kWrite | kFast, kAclSortedSet, keys::kReadDelete, "sorted-set", "5.0.0",
     zpopmax},
    {"zmpop", -4, kWrite | kMovableKeys, kAclSortedSet, kPopFrom, "sorted-set", "7.0.0", zmpop},
    {"zrandmember",
     -2,
     kReadonly,
     kAclSortedSet,
     keys::kRead,
     "sorted-set",
     "6.2.0",
     zrandmember,
     {},
     "nondeterministic_output"},
};

}  // namespace

std::span<const Command> commands::sorted_set_picks() { return kCommands; }

}  // namespace picklock
