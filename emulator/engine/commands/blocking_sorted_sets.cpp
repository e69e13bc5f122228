// BZPOPMIN, BZPOPMAX and BZMPOP: what waits for sorted sets.
#include "emulator/commands/sorted_set_pops.hpp"
#include "emulator/engine/blocking_timeout.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

using sorted_sets::Pop;

bool holds_sorted_set(Context& c, std::string_view key) {
  const KeyEntry* entry = c.find(key);
  return entry && std::holds_alternative<SortedSet>(entry->value);
}

void reply_key_and_popped(Context& c, std::string_view key, Pop end) {
  c.reply.array(3);
  c.reply.bulk(key);
  sorted_sets::reply_popped(c, key, end, 1, /*nested=*/false);
  c.replicate_as({end == Pop::min ? "ZPOPMIN" : "ZPOPMAX", key});
}

template <Pop end>
bool serve_pop(EngineContext& c, std::string_view key) {
  if (!holds_sorted_set(c, key)) return false;
  reply_key_and_popped(c, key, end);
  return true;
}

template <Pop end>
void pop_or_wait(Context& c) {
  const auto timeout = parse_timeout(c, c.args.back());
  if (!timeout) return;
  const Args keys = c.args.subspan(1, c.args.size() - 2);
  const auto key = sorted_sets::first_of(c, keys);
  if (c.failed) return;
  if (key) return reply_key_and_popped(c, *key, end);
  auto& ec = engine_context(c);
  ec.engine.block_on(ec, keys, timeout->deadline, reply_timed_out, serve_pop<end>);
}

void bzmpop(Context& c) {
  const auto pop = sorted_sets::parse_many_pop(c, 2);
  if (!pop) return;
  const auto timeout = parse_timeout(c, c.args[1]);
  if (!timeout || sorted_sets::reply_many_popped(c, *pop)) return;
  auto& ec = engine_context(c);
  ec.engine.block_on(ec, pop->keys, timeout->deadline, reply_timed_out,
                     [](EngineContext& waiting, std::string_view key) {
                       if (!holds_sorted_set(waiting, key)) return false;
                       auto again = *sorted_sets::parse_many_pop(waiting, 2);
                       again.keys = Args{&key, 1};
                       return sorted_sets::reply_many_popped(waiting, again);
                     });
}

constexpr std::uint32_t kSortedSetWaits = kWrite | kNoScript | kBlocking | kFast;
constexpr KeySpec kSortedSetPopKeys[] = {{.flags = "RW access delete", .last = -2}};
constexpr KeySpec kManySortedSetKeys[] = {
    {.flags = "RW access delete", .first = 2, .find = KeySpec::Find::keynum}};

constexpr Command kBlockingSortedSetsCommands[] = {
    {"bzpopmin", -3, kSortedSetWaits, kAclSortedSet, kSortedSetPopKeys, "sorted-set", "5.0.0",
     pop_or_wait<Pop::min>},
    {"bzpopmax", -3, kSortedSetWaits, kAclSortedSet, kSortedSetPopKeys, "sorted-set", "5.0.0",
     pop_or_wait<Pop::max>},
    {"bzmpop", -5, kWrite | kBlocking | kMovableKeys, kAclSortedSet, kManySortedSetKeys,
     "sorted-set", "7.0.0", bzmpop},
};

}  // namespace

std::span<const Command> commands::blocking_sorted_sets() { return kBlockingSortedSetsCommands; }

}  // namespace picklock
