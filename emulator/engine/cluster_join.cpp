#include "emulator/engine/cluster_join.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "emulator/base/sha1.hpp"
#include "emulator/engine/cluster_changes.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {

void tell_apart(ClusterNode& node, std::size_t number, std::span<const std::string> taken) {
  const std::string own = node.id;
  for (; std::ranges::find(taken, node.id) != taken.end(); ++number) {
    const auto digits = sha1_hex(own + " " + std::to_string(number));
    node.id.assign(digits.data(), digits.size());
  }
}

void plan_cluster(std::vector<ClusterNode>& nodes) {
  const std::size_t count = nodes.size();
  const auto edge = [&](std::size_t index) { return (index * kSlots + count / 2) / count; };
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < count; ++i) {
    tell_apart(nodes[i], i + 1, taken);
    taken.push_back(nodes[i].id);
    nodes[i].slots.reset();
    for (std::size_t slot = edge(i); slot < edge(i + 1); ++slot) nodes[i].slots.set(slot);
    nodes[i].epoch = static_cast<std::int64_t>(i) + 1;
  }
}

void take_place(Engine& engine, const std::vector<ClusterNode>& nodes, std::size_t me) {
  ClusterView& cluster = engine.cluster;
  cluster.self = nodes[me];
  cluster.others.clear();
  for (const ClusterNode& node : nodes) {
    if (node.id != cluster.self.id) cluster.others.push_back(node);
    cluster.current_epoch = std::max(cluster.current_epoch, node.epoch);
  }
  cluster.migrating.clear();
  cluster.importing.clear();
  end_vain_waits(engine);
}

void share_messages(const std::vector<Engine*>& engines) {
  for (Engine* engine : engines)
    engine->control->on_publish = [engine, engines](std::string_view channel,
                                                    std::string_view message) {
      for (Engine* other : engines)
        if (other != engine) publish(*other, channel, message);
    };
}

void stop_sharing_messages(Engine& engine) { engine.control->on_publish = nullptr; }

void leave_cluster(Engine& engine) {
  std::vector<ClusterNode> alone{engine.cluster.self};
  plan_cluster(alone);
  take_place(engine, alone, 0);
}

std::string reachable_host(std::string_view bind) {
  std::string found;
  std::istringstream words{std::string{bind}};
  for (std::string word; words >> word;) {
    const bool may_be_missing = word.starts_with('-');
    if (may_be_missing && !found.empty()) continue;
    found = may_be_missing ? word.substr(1) : word;
    if (!may_be_missing) break;
  }
  if (found.empty() || found == "*" || found == "0.0.0.0") return "127.0.0.1";
  return found == "::*" || found == "::" ? "::1" : found;
}

}  // namespace picklock
