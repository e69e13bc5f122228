// CLUSTER, READONLY, READWRITE, ASKING: a cluster of one node, or none at all.
#include <algorithm>
#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "emulator/base/ip_address.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/cluster_views.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {
namespace {

/// A handler for servers in cluster mode; all others refuse.
template <Handler handler>
void in_cluster(Context& c) {
  if (!engine_context(c).engine.cluster.enabled) return c.reply.error(errors::kClusterDisabled);
  handler(c);
}

Cluster& cluster_of(Context& c) { return engine_context(c).engine.cluster; }

void answer_ok(Context& c) { c.reply.ok(); }

template <bool on>
void read_replicas(Context& c) {
  engine_context(c).session.reads_replicas = on;
  c.reply.ok();
}

/// Changes what the node owns. Who has subscribed to channels of a slot that goes is told.
void own(Context& c, const std::bitset<kSlots>& slots) {
  Engine& engine = engine_context(c).engine;
  const auto lost = engine.cluster.slots & ~slots;
  engine.cluster.slots = slots;
  if (lost.any()) end_shard_subscriptions(engine, lost);
}

std::optional<std::size_t> read_slot(Context& c, std::string_view word) {
  const auto slot = parse_int64(word);
  if (slot && *slot >= 0 && *slot < kSlots) return static_cast<std::size_t>(*slot);
  c.reply.error(errors::kInvalidSlot);
  return std::nullopt;
}

/// Whether slots `from` to `to` can be given (or, if `owned`, taken away); answers the error.
bool check_slots(Context& c, std::bitset<kSlots>& named, std::size_t from, std::size_t to,
                 bool owned) {
  for (std::size_t slot = from; slot <= to; ++slot) {
    const std::string start = "ERR Slot " + to_text(static_cast<std::int64_t>(slot)) + " ";
    if (cluster_of(c).slots.test(slot) != owned)
      return c.reply.error(start + (owned ? "is already unassigned" : "is already busy")), false;
    if (named.test(slot)) return c.reply.error(start + "specified multiple times"), false;
    named.set(slot);
  }
  return true;
}

void assign(Context& c, const std::bitset<kSlots>& named, bool take_away) {
  const auto& slots = cluster_of(c).slots;
  own(c, take_away ? slots & ~named : slots | named);
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
  std::bitset<kSlots> named;
  for (const std::size_t slot : slots)
    if (!check_slots(c, named, slot, slot, take_away)) return;
  assign(c, named, take_away);
}

template <bool take_away>
void change_slot_ranges(Context& c) {
  if (c.args.size() % 2 == 1) return c.reply.error(errors::wrong_arity(c.command->name));
  std::bitset<kSlots> named;
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

void flushslots(Context& c) {
  if (c.keyspace[0].size() > 0) return c.reply.error(errors::kFlushslotsNotEmpty);
  own(c, {});
  c.reply.ok();
}

bool is_this_node(Context& c, std::string_view id) { return id == cluster_of(c).id; }

std::string unknown_node(std::string_view id) { return "ERR Unknown node " + std::string{id}; }

void setslot(Context& c) {
  const auto slot = read_slot(c, c.args[2]);
  if (!slot) return;
  const std::string_view action = c.args[3];
  const bool ours = cluster_of(c).slots.test(*slot);
  if (iequals(action, "stable") && c.args.size() == 4) return c.reply.ok();
  if (c.args.size() != 5) return c.reply.error(errors::kSetslotUsage);
  const std::string_view node = c.args[4];
  if (iequals(action, "migrating") || iequals(action, "importing")) {
    if (iequals(action, "migrating") != ours)
      return c.reply.error((ours ? "ERR I'm already the owner of hash slot "
                                 : "ERR I'm not the owner of hash slot ") +
                           std::to_string(*slot));
    if (!is_this_node(c, node))
      return c.reply.error("ERR I don't know about node " + std::string{node});
    return c.reply.ok();
  }
  if (!iequals(action, "node")) return c.reply.error(errors::kSetslotUsage);
  if (!is_this_node(c, node)) return c.reply.error(unknown_node(node));
  cluster_of(c).slots.set(*slot);
  c.reply.ok();
}

// Nobody ever answers: the handshake with the other node is forgotten as soon as it begins.
void meet(Context& c) {
  if (c.args.size() > 5) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLUSTER"));
  constexpr std::int64_t kBusDistance = 10'000;
  const auto port = parse_int64(c.args[3]);
  if (!port) return c.reply.error("ERR Invalid TCP base port specified: " + std::string{c.args[3]});
  auto bus_port = std::optional{*port > 0 && *port <= 65535 ? *port + kBusDistance : 0};
  if (c.args.size() == 5) bus_port = parse_int64(c.args[4]);
  if (!bus_port)
    return c.reply.error("ERR Invalid TCP bus port specified: " + std::string{c.args[4]});
  const auto is_port = [](std::int64_t number) { return number > 0 && number <= 65535; };
  if (!is_ip_address(c.args[2]) || !is_port(*port) || !is_port(*bus_port))
    return c.reply.error("ERR Invalid node address specified: " + std::string{c.args[2]} + ":" +
                         std::string{c.args[3]});
  c.reply.ok();
}

void forget(Context& c) {
  c.reply.error(is_this_node(c, c.args[2]) ? std::string{errors::kForgetMyself}
                                           : unknown_node(c.args[2]));
}

void replicate(Context& c) {
  c.reply.error(is_this_node(c, c.args[2]) ? std::string{errors::kReplicateMyself}
                                           : unknown_node(c.args[2]));
}

void replicas(Context& c) {
  if (!is_this_node(c, c.args[2])) return c.reply.error(unknown_node(c.args[2]));
  c.reply.array(0);
}

void count_failure_reports(Context& c) {
  if (!is_this_node(c, c.args[2])) return c.reply.error(unknown_node(c.args[2]));
  c.reply.integer(0);
}

void failover(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLUSTER"));
  if (c.args.size() == 3 && !iequals(c.args[2], "force") && !iequals(c.args[2], "takeover"))
    return c.reply.error(errors::kSyntax);
  c.reply.error(errors::kFailoverOfReplica);
}

void reset(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLUSTER"));
  const bool hard = c.args.size() == 3 && iequals(c.args[2], "hard");
  if (c.args.size() == 3 && !hard && !iequals(c.args[2], "soft"))
    return c.reply.error(errors::kSyntax);
  if (c.keyspace[0].size() > 0) return c.reply.error(errors::kResetNotEmpty);
  Cluster& cluster = cluster_of(c);
  own(c, {});
  if (hard) {
    cluster.current_epoch = cluster.my_epoch = 0;
    for (char& digit : cluster.id) digit = "0123456789abcdef"[c.random.below(16)];
  }
  c.reply.ok();
}

void set_config_epoch(Context& c) {
  const auto epoch = parse_int64(c.args[2]);
  if (!epoch) return c.reply.error(errors::kNotInteger);
  if (*epoch < 0) return c.reply.error("ERR Invalid config epoch specified: " + to_text(*epoch));
  Cluster& cluster = cluster_of(c);
  if (cluster.my_epoch != 0) return c.reply.error(errors::kEpochSet);
  cluster.my_epoch = *epoch;
  cluster.current_epoch = std::max(cluster.current_epoch, *epoch);
  c.reply.ok();
}

void bumpepoch(Context& c) {
  Cluster& cluster = cluster_of(c);
  const bool still = cluster.my_epoch != 0 && cluster.my_epoch == cluster.current_epoch;
  if (!still) cluster.my_epoch = ++cluster.current_epoch;
  c.reply.status((still ? "STILL " : "BUMPED ") + to_text(cluster.my_epoch));
}

void keyslot(Context& c) { c.reply.integer(key_slot(c.args[2])); }

/// The keys of a slot in order of creation, at most `limit`.
std::vector<std::string_view> keys_of(Context& c, std::int64_t slot, std::size_t limit) {
  std::vector<std::string_view> found;
  c.db().keys().for_each([&](const auto& entry) {
    if (found.size() < limit && key_slot(entry.key) == slot) found.push_back(entry.key);
  });
  return found;
}

void countkeysinslot(Context& c) {
  const auto slot = parse_int64(c.args[2]);
  if (!slot) return c.reply.error(errors::kNotInteger);
  if (*slot < 0 || *slot >= kSlots) return c.reply.error(errors::kSlotNumber);
  c.reply.integer(static_cast<std::int64_t>(keys_of(c, *slot, c.db().size()).size()));
}

void getkeysinslot(Context& c) {
  const auto slot = parse_int64(c.args[2]);
  if (!slot) return c.reply.error(errors::kNotInteger);
  const auto limit = parse_int64(c.args[3]);
  if (!limit) return c.reply.error(errors::kNotInteger);
  if (*slot < 0 || *slot >= kSlots || *limit < 0) return c.reply.error(errors::kSlotOrKeys);
  const auto found = keys_of(c, *slot, static_cast<std::size_t>(*limit));
  c.reply.array(found.size());
  for (const std::string_view key : found) c.reply.bulk(key);
}

void myid(Context& c) { c.reply.bulk(cluster_of(c).id); }
void links(Context& c) { c.reply.array(0); }
void info(Context& c) { write_cluster_info(c); }
void nodes(Context& c) { write_cluster_nodes(c); }
void slots(Context& c) { write_cluster_slots(c); }
void shards(Context& c) { write_cluster_shards(c); }
void help_lines(Context& c) { write_help(c, help::cluster()); }

constexpr std::uint32_t kLook = kStale;
constexpr std::uint32_t kAsk = kAdmin | kStale;
constexpr std::uint32_t kChange = kAdmin | kStale | kNoAsyncLoading;
constexpr std::string_view kVaries = "nondeterministic_output";

constexpr Command row(std::string_view name, int arity, std::uint32_t flags, Handler handler,
                      std::string_view since = "3.0.0", std::string_view tips = {}) {
  return {name, arity, flags, 0, {}, "cluster", since, handler, {}, tips};
}

constexpr Command kClusterSubcommands[] = {
    row("cluster|count-failure-reports", 3, kAsk, in_cluster<count_failure_reports>, "3.0.0",
        kVaries),
    row("cluster|meet", -4, kChange, in_cluster<meet>),
    row("cluster|help", 2, kLoading | kStale, in_cluster<help_lines>, "5.0.0"),
    row("cluster|shards", 2, kLook, in_cluster<shards>, "7.0.0", kVaries),
    row("cluster|flushslots", 2, kChange, in_cluster<flushslots>),
    row("cluster|slots", 2, kLook, in_cluster<slots>, "3.0.0", kVaries),
    row("cluster|info", 2, kLook, in_cluster<info>, "3.0.0", kVaries),
    row("cluster|saveconfig", 2, kChange, in_cluster<answer_ok>),
    row("cluster|failover", -2, kChange, in_cluster<failover>),
    row("cluster|addslots", -3, kChange, in_cluster<change_slots<false>>),
    row("cluster|reset", -2, kAdmin | kNoScript | kStale, in_cluster<reset>),
    row("cluster|delslotsrange", -4, kChange, in_cluster<change_slot_ranges<true>>, "7.0.0"),
    row("cluster|nodes", 2, kLook, in_cluster<nodes>, "3.0.0", kVaries),
    row("cluster|bumpepoch", 2, kChange, in_cluster<bumpepoch>, "3.0.0", kVaries),
    row("cluster|setslot", -4, kChange, in_cluster<setslot>),
    row("cluster|links", 2, kLook, in_cluster<links>, "7.0.0", kVaries),
    row("cluster|replicas", 3, kAsk, in_cluster<replicas>, "5.0.0", kVaries),
    row("cluster|slaves", 3, kAsk, in_cluster<replicas>, "3.0.0", kVaries),
    row("cluster|delslots", -3, kChange, in_cluster<change_slots<true>>),
    row("cluster|myid", 2, kLook, in_cluster<myid>),
    row("cluster|forget", 3, kChange, in_cluster<forget>),
    row("cluster|addslotsrange", -4, kChange, in_cluster<change_slot_ranges<false>>, "7.0.0"),
    row("cluster|set-config-epoch", 3, kChange, in_cluster<set_config_epoch>),
    row("cluster|getkeysinslot", 4, kLook, in_cluster<getkeysinslot>, "3.0.0", kVaries),
    row("cluster|keyslot", 3, kLook, in_cluster<keyslot>),
    row("cluster|replicate", 3, kChange, in_cluster<replicate>),
    row("cluster|countkeysinslot", 3, kLook, in_cluster<countkeysinslot>),
};

constexpr std::uint32_t kForConnection = kLoading | kStale | kFast;

constexpr Command kClusterCommands[] = {
    {"cluster", -2, 0, 0, {}, "cluster", "3.0.0", nullptr, kClusterSubcommands},
    {"readonly",
     1,
     kForConnection,
     kAclConnection,
     {},
     "cluster",
     "3.0.0",
     in_cluster<read_replicas<true>>},
    {"readwrite",
     1,
     kForConnection,
     kAclConnection,
     {},
     "cluster",
     "3.0.0",
     in_cluster<read_replicas<false>>},
    {"asking", 1, kFast, kAclConnection, {}, "cluster", "3.0.0", in_cluster<answer_ok>},
};

}  // namespace

std::span<const Command> commands::cluster() { return kClusterCommands; }

}  // namespace picklock
