// Makes one cluster of several engines: who owns what, and what each is told of the others.
//
// Used by Cluster and by the server's loop, which say where the engines can be reached. The engines
// may live on different threads: plan_cluster() needs none of them, take_place() one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/cluster.hpp"

namespace picklock {

class Engine;

/// Gives each of `nodes` (id, host and port are known, one at least) its share of the slots, as
/// `redis-cli --cluster create` does, its epoch, and another id if an earlier one has the same.
void plan_cluster(std::vector<ClusterNode>& nodes);

/// Gives `node`, the one of that number, another id if its own is among `taken`: emulators of one
/// seed have the same.
void tell_apart(ClusterNode& node, std::size_t number, std::span<const std::string> taken);

/// Tells an engine that it is node number `me` of these.
void take_place(Engine& engine, const std::vector<ClusterNode>& nodes, std::size_t me);

/// Lets these, which belong to one thread, publish what is published at any of them (PUBLISH),
/// until stop_sharing_messages(). They must live as long.
void share_messages(const std::vector<Engine*>& engines);
void stop_sharing_messages(Engine& engine);

/// Makes it a cluster of its own that owns every slot.
void leave_cluster(Engine& engine);

/// Where clients on this machine reach what is bound to these addresses, as redis.conf has them: at
/// the first that cannot be missing, if there is one.
std::string reachable_host(std::string_view bind);

}  // namespace picklock
