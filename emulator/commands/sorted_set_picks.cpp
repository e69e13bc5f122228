// Members of sorted sets taken from an end or by chance: ZPOPMIN, ZPOPMAX, ZMPOP, ZRANDMEMBER.
#include <algorithm>
#include <limits>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/draws.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/sorted_set_pops.hpp"
#include "emulator/commands/sorted_set_replies.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMaxPicks = std::numeric_limits<std::int64_t>::max();

}  // namespace

namespace sorted_sets {

std::optional<std::string_view> first_of(Context& c, Args keys) {
  for (const std::string_view key : keys) {
    const auto* zset = c.find_as<SortedSet>(key);
    if (c.failed) return std::nullopt;
    if (zset) return key;
  }
  return std::nullopt;
}

void reply_popped(Context& c, std::string_view key, Pop end, std::int64_t count, bool nested) {
  auto* zset = c.edit_as<SortedSet>(key);
  const std::size_t size = std::min(static_cast<std::size_t>(count), zset->size());
  if (nested) c.reply.array(size);
  // Redis tells of it when the first element is out, in the midst of the reply.
  c.early_event(EventClass::sorted_set, end == Pop::max ? "zpopmax" : "zpopmin", key);
  c.tell_changes();
  for (std::size_t i = 0; i < size; ++i) {
    const SortedSet::Item item = zset->at(end == Pop::max ? zset->size() - 1 : 0);
    if (nested) c.reply.array(2);
    c.reply.bulk(item.member);
    c.reply.real(item.score);
    zset->erase(item.member);
  }
  delete_if_empty(c, key, *zset);
}

std::optional<ManyPop> parse_many_pop(Context& c, std::size_t at) {
  const auto error = [&c](std::string_view text) { return c.reply.error(text), std::nullopt; };
  const auto numkeys = parse_int64(c.args[at]);
  if (!numkeys || *numkeys < 1) return error(errors::kNumkeysNotPositive);
  if (*numkeys >= static_cast<std::int64_t>(c.args.size() - at) - 1) return error(errors::kSyntax);
  ManyPop pop{c.args.subspan(at + 1, static_cast<std::size_t>(*numkeys)), Pop::min, 1};
  at += 1 + pop.keys.size();
  if (is_word(c.args[at], "max"))
    pop.end = Pop::max;
  else if (!is_word(c.args[at], "min"))
    return error(errors::kSyntax);
  if (++at == c.args.size()) return pop;
  if (!is_word(c.args[at], "count") || at + 1 == c.args.size()) return error(errors::kSyntax);
  const auto count = parse_int64(c.args[at + 1]);
  if (!count || *count < 1) return error(errors::kCountNotPositive);
  if (at + 2 < c.args.size()) return error(errors::kSyntax);
  pop.count = *count;
  return pop;
}

bool reply_many_popped(Context& c, const ManyPop& pop) {
  const auto key = first_of(c, pop.keys);
  if (c.failed) return true;
  if (!key) return false;
  c.reply.array(2);
  c.reply.bulk(*key);
  const auto size = static_cast<std::int64_t>(std::get<SortedSet>(c.look(*key)->value).size());
  reply_popped(c, *key, pop.end, pop.count, true);
  if (c.effects)
    c.replicate_as(
        {pop.end == Pop::min ? "ZPOPMIN" : "ZPOPMAX", *key, to_text(std::min(size, pop.count))});
  return true;
}

}  // namespace sorted_sets

namespace {

using sorted_sets::Pop;

void pop_one_key(Context& c, Pop end) {
  if (c.args.size() > 3) return c.reply.error(errors::kSyntax);
  const bool counted = c.args.size() == 3;
  const auto count = counted ? parse_int64(c.args[2]) : 1;
  if (!count || *count < 0) return c.reply.error(errors::kMustBePositive);
  const std::string_view key = c.args[1];
  const auto* zset = c.find_as<SortedSet>(key);
  if (c.failed) return;
  if (!zset || *count == 0) return c.reply.array(0);
  const bool nested = counted && c.reply.version() >= 3;
  if (!nested) c.reply.array(2 * std::min(static_cast<std::size_t>(*count), zset->size()));
  sorted_sets::reply_popped(c, key, end, *count, nested);
}

void zpopmin(Context& c) { pop_one_key(c, Pop::min); }
void zpopmax(Context& c) { pop_one_key(c, Pop::max); }

void zmpop(Context& c) {
  const auto pop = sorted_sets::parse_many_pop(c, 1);
  if (pop && !sorted_sets::reply_many_popped(c, *pop)) c.reply.null_array();
}

SortedSet::Item draw(Context& c, const SortedSet& zset) {
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
      const SortedSet::Item item = draw(c, zset);
      sorted_sets::write_item(c, item.member, item.score, scores);
    }
    return;
  }
  const auto ranks =
      draw_different(c, zset.size(), std::min(static_cast<std::size_t>(count), zset.size()));
  sorted_sets::begin_items(c, ranks.size(), scores);
  for (const std::size_t rank : ranks) {
    const SortedSet::Item item = zset.at(rank);
    sorted_sets::write_item(c, item.member, item.score, scores);
  }
}

void zrandmember(Context& c) {
  if (c.args.size() == 2) {
    const auto* zset = c.find_as<SortedSet>(c.args[1]);
    if (c.failed) return;
    return zset ? c.reply.bulk(draw(c, *zset).member) : c.reply.null();
  }
  const auto count = parse_int64(c.args[2]);
  if (!count) return c.reply.error(errors::kNotInteger);
  if (*count < -kMaxPicks) return c.reply.error(errors::kCountOutOfRange);
  const bool scores = c.args.size() > 3;
  if (scores && (c.args.size() > 4 || !is_word(c.args[3], "withscores")))
    return c.reply.error(errors::kSyntax);
  if (scores && (*count < -kMaxPicks / 2 || *count > kMaxPicks / 2))
    return c.reply.error(errors::kOutOfRange);
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  if (!zset) return c.reply.array(0);
  if (*count < -kMostDraws) return c.reply.error(errors::kTooManyDraws);
  draw_many(c, *zset, *count, scores);
}

constexpr KeySpec kPopFrom[] = {{.flags = "RW access delete", .find = KeySpec::Find::keynum}};
constexpr Command kSortedSetPicksCommands[] = {
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

std::span<const Command> commands::sorted_set_picks() { return kSortedSetPicksCommands; }

}  // namespace picklock
