// CLUSTER MEET, FORGET, REPLICATE, FAILOVER, RESET and the epochs.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "emulator/base/ip_address.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/cluster_changes.hpp"
#include "emulator/engine/commands/cluster_steps.hpp"
#include "emulator/engine/commands/cluster_views.hpp"

namespace picklock {

// Nobody ever answers: the handshake with the other node is forgotten as soon as it begins.
void commands::cluster_meet(Context& c) {
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

void commands::cluster_forget(Context& c) {
  const ClusterView& cluster = cluster_of(c);
  const ClusterNode* node = cluster.find(c.args[2]);
  if (!node) return c.reply.error(unknown_node(c.args[2]));
  if (node == &cluster.self) return c.reply.error(errors::kForgetMyself);
  if (cluster.self.primary_id == node->id) return c.reply.error(errors::kForgetMyMaster);
  forget_node(engine_context(c).engine, std::string{c.args[2]});
  c.reply.ok();
}

void commands::cluster_replicate(Context& c) {
  const ClusterView& cluster = cluster_of(c);
  const ClusterNode* node = cluster.find(c.args[2]);
  if (!node) return c.reply.error(unknown_node(c.args[2]));
  if (node == &cluster.self) return c.reply.error(errors::kReplicateMyself);
  if (node->is_replica()) return c.reply.error(errors::kReplicateReplica);
  if (!cluster.self.is_replica() && (cluster.self.slots.any() || c.keyspace[0].size() > 0))
    return c.reply.error(errors::kReplicateNotEmpty);
  become_replica_of(engine_context(c).engine, *node);
  c.reply.ok();
}

void commands::cluster_replicas(Context& c) {
  const ClusterView& cluster = cluster_of(c);
  const ClusterNode* node = cluster.find(c.args[2]);
  if (!node) return c.reply.error(unknown_node(c.args[2]));
  if (node->is_replica()) return c.reply.error(errors::kNodeIsReplica);
  std::vector<const ClusterNode*> replicas = cluster.nodes();
  std::erase_if(replicas, [&](const auto* each) { return each->primary_id != node->id; });
  c.reply.array(replicas.size());
  for (const ClusterNode* replica : replicas) c.reply.bulk(describe_node(c, *replica));
}

void commands::cluster_count_failure_reports(Context& c) {
  if (!cluster_of(c).find(c.args[2])) return c.reply.error(unknown_node(c.args[2]));
  c.reply.integer(0);
}

// Redis 7.0, clusterFailoverReplaceYourMaster. There, but for TAKEOVER, the primary and the others
// are asked first; here there is nobody who could disagree.
void commands::cluster_failover(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLUSTER"));
  const bool takes_over = c.args.size() == 3 && is_word(c.args[2], "takeover");
  const bool forced = takes_over || (c.args.size() == 3 && is_word(c.args[2], "force"));
  if (c.args.size() == 3 && !forced) return c.reply.error(errors::kSyntax);
  Engine& engine = engine_context(c).engine;
  ClusterView& cluster = engine.cluster;
  if (!cluster.self.is_replica()) return c.reply.error(errors::kFailoverOfReplica);
  const ClusterNode* primary = cluster.find(cluster.self.primary_id);  // Not to be forgotten.
  if (!forced && (primary->fails || !primary->connected))
    return c.reply.error(errors::kFailoverUnreachable);
  cluster.bump_epoch();
  const SlotSet slots = primary->slots;
  become_primary(engine);
  cluster.assign(slots, &cluster.self);
  end_vain_waits(engine);
  c.reply.ok();
}

// Redis 7.0: clusterReset.
void commands::cluster_reset(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLUSTER"));
  const bool hard = c.args.size() == 3 && is_word(c.args[2], "hard");
  if (c.args.size() == 3 && !hard && !is_word(c.args[2], "soft"))
    return c.reply.error(errors::kSyntax);
  Engine& engine = engine_context(c).engine;
  ClusterView& cluster = engine.cluster;
  const bool was_replica = cluster.self.is_replica();
  if (!was_replica && c.keyspace[0].size() > 0) return c.reply.error(errors::kResetNotEmpty);
  if (was_replica) {
    become_primary(engine);
    c.keyspace[0].clear();
  }
  cluster.migrating.clear();
  cluster.importing.clear();
  assign_slots(engine, SlotSet{}.set(), nullptr);
  cluster.others.clear();
  if (hard) {
    cluster.current_epoch = cluster.self.epoch = 0;
    // From the old one, since nodes of one seed draw the same.
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (char& digit : cluster.self.id)
      digit = kDigits[(kDigits.find(digit) + c.random.below(16)) % 16];
  }
  c.reply.ok();
}

void commands::cluster_set_config_epoch(Context& c) {
  const auto epoch = parse_int64(c.args[2]);
  if (!epoch) return c.reply.error(errors::kNotInteger);
  if (*epoch < 0) return c.reply.error("ERR Invalid config epoch specified: " + to_text(*epoch));
  ClusterView& cluster = cluster_of(c);
  if (!cluster.others.empty()) return c.reply.error(errors::kEpochOfMany);
  if (cluster.self.epoch != 0) return c.reply.error(errors::kEpochSet);
  cluster.self.epoch = *epoch;
  cluster.current_epoch = std::max(cluster.current_epoch, *epoch);
  c.reply.ok();
}

void commands::cluster_bumpepoch(Context& c) {
  ClusterView& cluster = cluster_of(c);
  const bool bumped = cluster.bump_epoch();
  c.reply.status((bumped ? "BUMPED " : "STILL ") + to_text(cluster.self.epoch));
}

}  // namespace picklock
