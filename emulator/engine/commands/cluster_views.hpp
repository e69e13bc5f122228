// How CLUSTER INFO, NODES, SLOTS and SHARDS show the one node.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock {

void write_cluster_info(Context& c);
void write_cluster_nodes(Context& c);
void write_cluster_slots(Context& c);
void write_cluster_shards(Context& c);

}  // namespace picklock
