// How CLUSTER INFO, NODES, SLOTS, SHARDS and LINKS show what a node knows.
#pragma once

#include <string>

#include "emulator/commands/context.hpp"

namespace picklock {

struct ClusterNode;

/// A line of CLUSTER NODES, without its end.
std::string describe_node(Context& c, const ClusterNode& node);

void write_cluster_info(Context& c);
void write_cluster_nodes(Context& c);
void write_cluster_slots(Context& c);
void write_cluster_shards(Context& c);
void write_cluster_links(Context& c);

}  // namespace picklock
