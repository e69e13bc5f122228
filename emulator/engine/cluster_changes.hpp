// What else happens when a node's view of its cluster changes: subscriptions and waits that end,
// roles.
//
// Used by CLUSTER and by join_cluster(). Runs on the engine's thread.
#pragma once

#include <string>

#include "emulator/engine/cluster.hpp"

namespace picklock {

class Engine;

/// Gives slots to `owner`, or to nobody if it is null. Shard channels of what this node's side
/// loses are unsubscribed from, and who waits for keys of other nodes is sent there.
void assign_slots(Engine& engine, const SlotSet& slots, ClusterNode* owner);

/// To be called after any other change of the view: sends away who waits for keys in vain.
void end_vain_waits(Engine& engine);

/// Redis 7.0: clusterSetMaster.
void become_replica_of(Engine& engine, const ClusterNode& primary);
/// Redis 7.0: clusterSetNodeAsMaster, replicationUnsetMaster.
void become_primary(Engine& engine);

/// Redis 7.0: clusterDelNode. `id` must not be this node's own.
void forget_node(Engine& engine, const std::string& id);

}  // namespace picklock
