#include "emulator/engine/cluster_changes.hpp"

#include <vector>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/publish.hpp"
#include "emulator/engine/redirection.hpp"

namespace picklock {

namespace {

/// Those that this node serves, as their owner or as a replica of it.
SlotSet served(const ClusterView& cluster) {
  const ClusterNode* primary = cluster.find(cluster.self.primary_id);
  return primary ? cluster.self.slots | primary->slots : cluster.self.slots;
}

}  // namespace

// Redis 7.0, clusterDelSlot: the subscribers go even if the slot comes back at once.
void assign_slots(Engine& engine, const SlotSet& slots, ClusterNode* owner) {
  const SlotSet lost = served(engine.cluster) & slots;
  engine.cluster.assign(slots, owner);
  if (lost.any()) end_shard_subscriptions(engine, lost);
  end_vain_waits(engine);
}

void end_vain_waits(Engine& engine) {
  std::vector<Session*> waiting;
  for (const auto& [id, session] : engine.sessions()) waiting.push_back(session.get());
  engine.begin_turn();  // The program may call, outside of any request.
  for (Session* session : waiting) {
    const auto error = redirection_of_blocked(engine, *session);
    if (!error) continue;
    engine.replies_to(*session).error(*error);
    engine.unblock(*session, [](ReplyWriter&) {});
  }
  engine.end_turn();
}

void become_replica_of(Engine& engine, const ClusterNode& primary) {
  ClusterView& cluster = engine.cluster;
  cluster.self.primary_id = primary.id;
  cluster.migrating.clear();
  cluster.importing.clear();
  const Replication::Primary followed{primary.host, static_cast<int>(primary.port)};
  if (engine.replication.primary != followed) engine.follow(followed);
  end_vain_waits(engine);
}

void become_primary(Engine& engine) {
  engine.cluster.self.primary_id.clear();
  engine.promote();
}

void forget_node(Engine& engine, const std::string& id) {
  ClusterView& cluster = engine.cluster;
  const auto is_it = [&](const auto& open) { return open.second == id; };
  std::erase_if(cluster.migrating, is_it);
  std::erase_if(cluster.importing, is_it);
  for (ClusterNode& node : cluster.others)
    if (node.primary_id == id) node.primary_id.clear();
  if (const ClusterNode* node = cluster.find(id)) assign_slots(engine, node->slots, nullptr);
  std::erase_if(cluster.others, [&](const ClusterNode& node) { return node.id == id; });
  end_vain_waits(engine);
}

}  // namespace picklock
