// CLUSTER ADDSLOTS, DELSLOTS, FLUSHSLOTS, SETSLOT and what is asked of one slot.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/cluster_changes.hpp"
#include "emulator/engine/commands/cluster_steps.hpp"

namespace picklock {

std::vector<std::string_view> keys_of_slot(Context& c, std::int64_t slot, std::size_t limit) {
  std::vector<std::string_view> found;
  c.db().keys().for_each([&](const auto& entry) {
    if (found.size() < limit && key_slot(entry.key) == slot) found.push_back(entry.key);
  });
  return found;
}

namespace {

std::optional<std::size_t> read_slot(Context& c, std::string_view word) {
  const auto slot = parse_int64(word);
  if (slot && *slot >= 0 && *slot < kSlots) return static_cast<std::size_t>(*slot);
  c.reply.error(errors::kInvalidSlot);
  return std::nullopt;
}

/// Whether slots `from` to `to` can be given (or, if `owned`, taken away); answers the error.
bool check_slots(Context& c, SlotSet& named, std::size_t from, std::size_t to, bool owned) {
  for (std::size_t slot = from; slot <= to; ++slot) {
    const std::string start = "ERR Slot " + to_text(static_cast<std::int64_t>(slot)) + " ";
    if ((cluster_of(c).owner(static_cast<int>(slot)) != nullptr) != owned)
      return c.reply.error(start + (owned ? "is already unassigned" : "is already busy")), false;
    if (named.test(slot)) return c.reply.error(start + "specified multiple times"), false;
    named.set(slot);
  }
  return true;
}

// Redis 7.0: what is given to this node is no longer on its way to it.
void assign(Context& c, const SlotSet& named, bool take_away) {
  ClusterView& cluster = cluster_of(c);
  if (!take_away)
    std::erase_if(cluster.importing, [&](const auto& open) {
      return named.test(static_cast<std::size_t>(open.first));
    });
  assign_slots(engine_context(c).engine, named, take_away ? nullptr : &cluster.self);
  c.reply.ok();
}

template <bool take_away>
void change_slots(Context& c) {
  std::vector<std::size_t> slots;
  for (const std::string_view word : c.args.subspan(2)) {
    const auto slot = read_slot(c, word);
    if (!slot) return;
    slots.push_back(*slot);
  }
  SlotSet named;
  for (const std::size_t slot : slots)
    if (!check_slots(c, named, slot, slot, take_away)) return;
  assign(c, named, take_away);
}

template <bool take_away>
void change_slot_ranges(Context& c) {
  if (c.args.size() % 2 == 1) return c.reply.error(errors::wrong_arity(c.command->name));
  SlotSet named;
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const auto from = read_slot(c, c.args[i]);
    if (!from) return;
    const auto to = read_slot(c, c.args[i + 1]);
    if (!to) return;
    if (*from > *to)
      return c.reply.error("ERR start slot number " + std::to_string(*from) +
                           " is greater than end slot number " + std::to_string(*to));
    if (!check_slots(c, named, *from, *to, take_away)) return;
  }
  assign(c, named, take_away);
}

bool holds_keys(Context& c, int slot) { return !keys_of_slot(c, slot, 1).empty(); }

/// The node that SETSLOT names, which must be a primary; answers the error.
const ClusterNode* find_target(Context& c, std::string_view unknown) {
  const ClusterNode* node = cluster_of(c).find(c.args[4]);
  if (!node) return c.reply.error(std::string{unknown} + std::string{c.args[4]}), nullptr;
  if (node->is_replica()) return c.reply.error(errors::kTargetIsReplica), nullptr;
  return node;
}

void open_slot(Context& c, int slot, bool migrating) {
  ClusterView& cluster = cluster_of(c);
  const bool ours = cluster.owner(slot) == &cluster.self;
  if (migrating != ours)
    return c.reply.error(
        (ours ? "ERR I'm already the owner of hash slot " : "ERR I'm not the owner of hash slot ") +
        to_text(slot));
  const ClusterNode* node = find_target(c, "ERR I don't know about node ");
  if (!node) return;
  (migrating ? cluster.migrating : cluster.importing)[slot] = node->id;
  c.reply.ok();
}

void give_slot(Context& c, int slot) {
  Engine& engine = engine_context(c).engine;
  ClusterView& cluster = engine.cluster;
  const ClusterNode* node = find_target(c, "ERR Unknown node ");
  if (!node) return;
  const bool was_mine = cluster.owner(slot) == &cluster.self;
  const bool is_mine = node == &cluster.self;
  if (was_mine && !is_mine && holds_keys(c, slot))
    return c.reply.error("ERR Can't assign hashslot " + to_text(slot) +
                         " to a different node while I still hold keys for this hash slot.");
  if (!holds_keys(c, slot)) cluster.migrating.erase(slot);
  SlotSet one;
  one.set(static_cast<std::size_t>(slot));
  assign_slots(engine, one, cluster.find(node->id));
  // A primary without slots follows them.
  if (was_mine && cluster.self.slots.none() &&
      engine.config.get("cluster-allow-replica-migration") == "yes")
    become_replica_of(engine, *node);
  // Others are to hear of it: Redis 7.0 raises the epoch of a slot that was moved by hand.
  const bool is_ours = is_mine || cluster.self.primary_id == node->id;
  if (is_ours && cluster.importing.erase(slot) > 0) cluster.bump_epoch();
  end_vain_waits(engine);
  c.reply.ok();
}

}  // namespace

void commands::cluster_addslots(Context& c) { change_slots<false>(c); }
void commands::cluster_delslots(Context& c) { change_slots<true>(c); }
void commands::cluster_addslotsrange(Context& c) { change_slot_ranges<false>(c); }
void commands::cluster_delslotsrange(Context& c) { change_slot_ranges<true>(c); }

void commands::cluster_flushslots(Context& c) {
  if (c.keyspace[0].size() > 0) return c.reply.error(errors::kFlushslotsNotEmpty);
  const SlotSet mine = cluster_of(c).self.slots;
  assign_slots(engine_context(c).engine, mine, nullptr);
  c.reply.ok();
}

void commands::cluster_setslot(Context& c) {
  ClusterView& cluster = cluster_of(c);
  if (cluster.self.is_replica()) return c.reply.error(errors::kSetslotOfReplica);
  const auto read = read_slot(c, c.args[2]);
  if (!read) return;
  const int slot = static_cast<int>(*read);
  const std::string_view action = c.args[3];
  if (is_word(action, "migrating") && c.args.size() == 5) return open_slot(c, slot, true);
  if (is_word(action, "importing") && c.args.size() == 5) return open_slot(c, slot, false);
  if (is_word(action, "node") && c.args.size() == 5) return give_slot(c, slot);
  if (!is_word(action, "stable") || c.args.size() != 4) return c.reply.error(errors::kSetslotUsage);
  cluster.migrating.erase(slot);
  cluster.importing.erase(slot);
  end_vain_waits(engine_context(c).engine);
  c.reply.ok();
}

void commands::cluster_keyslot(Context& c) { c.reply.integer(key_slot(c.args[2])); }

void commands::cluster_countkeysinslot(Context& c) {
  const auto slot = parse_int64(c.args[2]);
  if (!slot) return c.reply.error(errors::kNotInteger);
  if (*slot < 0 || *slot >= kSlots) return c.reply.error(errors::kSlotNumber);
  c.reply.integer(static_cast<std::int64_t>(keys_of_slot(c, *slot, c.db().size()).size()));
}

void commands::cluster_getkeysinslot(Context& c) {
  const auto slot = parse_int64(c.args[2]);
  if (!slot) return c.reply.error(errors::kNotInteger);
  const auto limit = parse_int64(c.args[3]);
  if (!limit) return c.reply.error(errors::kNotInteger);
  if (*slot < 0 || *slot >= kSlots || *limit < 0) return c.reply.error(errors::kSlotOrKeys);
  const auto found = keys_of_slot(c, *slot, static_cast<std::size_t>(*limit));
  c.reply.array(found.size());
  for (const std::string_view key : found) c.reply.bulk(key);
}

}  // namespace picklock
