// The handlers of CLUSTER, READONLY, READWRITE and ASKING, for the rows in cluster.cpp.
//
// cluster_slots.cpp has those that are about slots, cluster_nodes.cpp those about nodes and epochs.
// They may take the server to be in cluster mode.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/engine/engine_context.hpp"

namespace picklock {

inline ClusterView& cluster_of(Context& c) { return engine_context(c).engine.cluster; }
inline std::string unknown_node(std::string_view id) {
  return "ERR Unknown node " + std::string{id};
}

namespace commands {

void cluster_addslots(Context& c);
void cluster_delslots(Context& c);
void cluster_addslotsrange(Context& c);
void cluster_delslotsrange(Context& c);
void cluster_flushslots(Context& c);
void cluster_setslot(Context& c);
void cluster_keyslot(Context& c);
void cluster_countkeysinslot(Context& c);
void cluster_getkeysinslot(Context& c);

void cluster_meet(Context& c);
void cluster_forget(Context& c);
void cluster_replicate(Context& c);
void cluster_replicas(Context& c);
void cluster_count_failure_reports(Context& c);
void cluster_failover(Context& c);
void cluster_reset(Context& c);
void cluster_set_config_epoch(Context& c);
void cluster_bumpepoch(Context& c);

}  // namespace commands

/// The keys of a slot in order of creation, at most `limit`.
std::vector<std::string_view> keys_of_slot(Context& c, std::int64_t slot, std::size_t limit);

}  // namespace picklock
