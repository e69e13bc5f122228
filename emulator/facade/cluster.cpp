#include <algorithm>
#include <stdexcept>

#include <picklock/cluster.hpp>

#include "emulator/engine/cluster_changes.hpp"
#include "emulator/engine/cluster_join.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/facade/executor.hpp"

namespace picklock {

namespace {

constexpr int kFirstPort = 7000;

ClusterNode node_of(const std::string& id, const std::string& host, int port) {
  return ClusterNode{.id = id, .host = host, .port = port};
}

}  // namespace

Cluster::Member Cluster::look_at(Emulator* emulator, std::size_t index) {
  if (!emulator) throw std::invalid_argument("a cluster is made of emulators: one is null");
  Member found{emulator, "", "127.0.0.1", kFirstPort + static_cast<int>(index)};
  run_on(*emulator, [&](Engine& engine) {
    if (!engine.cluster.enabled)
      throw std::invalid_argument("a cluster's emulators are made with Options::cluster");
    if (engine.keyspace[0].size() > 0 && !engine.replication.primary)
      throw std::invalid_argument("an emulator joins a cluster while it is empty");
    found.id = engine.cluster.self.id;
    if (!engine.control->host) return;
    found.host = reachable_host(engine.config.get("bind"));
    found.port = static_cast<int>(engine.config.number("port"));
  });
  return found;
}

Cluster::Cluster(std::vector<Emulator*> primaries) {
  if (primaries.empty()) throw std::invalid_argument("a cluster has one emulator at least");
  std::vector<ClusterNode> nodes;
  for (Emulator* emulator : primaries) {
    const auto is_it = [&](const Member& other) { return other.emulator == emulator; };
    if (std::ranges::any_of(members_, is_it))
      throw std::invalid_argument("an emulator is one node of a cluster, not two");
    members_.push_back(look_at(emulator, members_.size()));
    run_on(*emulator, [](Engine& engine) {
      if (engine.replication.primary)
        throw std::invalid_argument("a cluster is made of primaries: one is a replica");
    });
    nodes.push_back(node_of(members_.back().id, members_.back().host, members_.back().port));
  }
  plan_cluster(nodes);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].id = nodes[i].id;
    run_on(*members_[i].emulator, [&](Engine& engine) { take_place(engine, nodes, i); });
  }
  share();
}

Cluster::~Cluster() {
  for (const Member& each : members_) run_on(*each.emulator, stop_sharing_messages);
}

// Where each has a thread of its own, two of them could wait for each other.
void Cluster::share() {
  std::vector<Engine*> engines;
  bool served = false;
  for (const Member& each : members_)
    run_on(*each.emulator, [&](Engine& engine) {
      engines.push_back(&engine);
      served |= engine.control->host != nullptr;
    });
  if (!served) share_messages(engines);
}

const Cluster::Member& Cluster::member(const Emulator& node) const {
  const auto is_it = [&](const Member& each) { return each.emulator == &node; };
  const auto found = std::ranges::find_if(members_, is_it);
  if (found == members_.end()) throw std::out_of_range("the emulator is no node of this cluster");
  return *found;
}

const Cluster::Member& Cluster::primary(const Emulator& node) const {
  const Member& found = member(node);
  run_on(*found.emulator, [](Engine& engine) {
    if (engine.cluster.self.is_replica())
      throw std::out_of_range("the emulator is a replica in this cluster");
  });
  return found;
}

void Cluster::add_replica(Emulator& replica, const Emulator& of) {
  const Member& owner = primary(of);
  const auto is_it = [&](const Member& each) { return each.emulator == &replica; };
  if (std::ranges::any_of(members_, is_it))
    throw std::invalid_argument("an emulator is one node of a cluster, not two");
  Member added = look_at(&replica, members_.size());
  std::vector<ClusterNode> nodes;
  run_on(*owner.emulator, [&](Engine& engine) {
    if (engine.cluster.self.id != owner.id)
      throw std::logic_error("the primary has left the cluster, for it has another id");
    for (const ClusterNode* node : engine.cluster.nodes()) nodes.push_back(*node);
  });
  std::vector<std::string> taken;  // The owner may have forgotten some of them.
  for (const Member& each : members_) {
    taken.push_back(each.id);
    run_on(*each.emulator, [&](Engine& engine) {
      for (const ClusterNode* node : engine.cluster.nodes()) taken.push_back(node->id);
    });
  }
  nodes.push_back(node_of(added.id, added.host, added.port));
  tell_apart(nodes.back(), nodes.size(), taken);
  added.id = nodes.back().id;
  nodes.back().primary_id = owner.id;
  for (const Member& each : members_)
    run_on(*each.emulator, [&](Engine& engine) {
      if (engine.cluster.find(owner.id)) engine.cluster.others.push_back(nodes.back());
    });
  run_on(replica, [&](Engine& engine) {
    take_place(engine, nodes, nodes.size() - 1);
    if (!engine.replication.primary) become_replica_of(engine, *engine.cluster.find(owner.id));
  });
  members_.push_back(std::move(added));
  share();
}

void Cluster::give(int first, int last, const Emulator& to) {
  if (first < 0 || last >= kSlots || first > last)
    throw std::out_of_range("slots go from 0 to 16383, the first one first");
  const Member& owner = primary(to);
  SlotSet slots;
  for (int slot = first; slot <= last; ++slot) slots.set(static_cast<std::size_t>(slot));
  std::int64_t epoch = 0;
  std::vector<std::string> down;  // As the new owner knows.
  run_on(*owner.emulator, [&](Engine& engine) {
    for (const ClusterNode& node : engine.cluster.others)
      if (node.fails) down.push_back(node.id);
  });
  for (const Member& each : members_)
    run_on(*each.emulator, [&](Engine& engine) {
      epoch = std::max(epoch, engine.cluster.current_epoch);
      if (each.emulator == &to || engine.cluster.self.is_replica()) return;
      if (std::ranges::find(down, each.id) != down.end()) return;
      engine.keyspace[0].keys().for_each([&](const auto& entry) {
        const int slot = key_slot(entry.key);
        if (slot >= first && slot <= last)
          throw std::logic_error("slot " + std::to_string(slot) +
                                 " has keys where it is, such as " + std::string{entry.key} +
                                 ": move or delete them first");
      });
    });
  for (const Member& each : members_)
    run_on(*each.emulator, [&](Engine& engine) {
      ClusterNode* node = engine.cluster.find(owner.id);
      if (!node) return;  // CLUSTER FORGET.
      node->epoch = engine.cluster.current_epoch = epoch + 1;
      node->primary_id.clear();  // It may have been a replica, until CLUSTER FAILOVER.
      for (int slot = first; slot <= last; ++slot) {
        engine.cluster.migrating.erase(slot);
        engine.cluster.importing.erase(slot);
      }
      assign_slots(engine, slots, node);
    });
}

void Cluster::set_down(const Emulator& node, bool down) {
  const Member& struck = member(node);
  for (const Member& each : members_) {
    if (each.emulator == &node) continue;
    run_on(*each.emulator, [&](Engine& engine) {
      ClusterNode* known = engine.cluster.find(struck.id);
      if (!known) return;
      known->fails = down;
      known->connected = !down;
      end_vain_waits(engine);
    });
  }
}

std::string Cluster::id(const Emulator& node) const { return member(node).id; }

std::string Cluster::address(const Emulator& node) const {
  const Member& found = member(node);
  return found.host + ":" + std::to_string(found.port);
}

}  // namespace picklock
