#include "emulator/engine/commands/cluster_views.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/redirection.hpp"

namespace picklock {

namespace {

constexpr std::int64_t kBusDistance = 10'000;

const ClusterView& view_of(Context& c) { return engine_context(c).engine.cluster; }

bool is_self(Context& c, const ClusterNode& node) { return &node == &view_of(c).self; }

// Redis 7.0: the bus listens ten thousand above the clients' port, unless it is told otherwise.
std::int64_t bus_port_of(Context& c, const ClusterNode& node) {
  const Config& config = engine_context(c).engine.config;
  if (is_self(c, node))
    for (const std::string_view name : {"cluster-announce-bus-port", "cluster-port"})
      if (const auto port = config.number(name); port != 0) return port;
  if (node.bus_port != 0) return node.bus_port;
  return (node.port != 0 ? node.port : config.number("port")) + kBusDistance;
}

std::string text_of(Context& c, const ClusterNode& node, std::string_view setting,
                    const std::string& told) {
  const std::string_view own = engine_context(c).engine.config.get(setting);
  return is_self(c, node) && !own.empty() ? std::string{own} : told;
}

std::string host_of(Context& c, const ClusterNode& node) {
  return text_of(c, node, "cluster-announce-ip", node.host);
}

std::string hostname_of(Context& c, const ClusterNode& node) {
  return text_of(c, node, "cluster-announce-hostname", node.hostname);
}

std::vector<const ClusterNode*> replicas_of(Context& c, const ClusterNode& primary) {
  std::vector<const ClusterNode*> found = view_of(c).nodes();
  std::erase_if(found, [&](const auto* node) { return node->primary_id != primary.id; });
  return found;
}

std::string open_slots(const ClusterView& cluster) {
  std::map<int, std::string> shown;
  for (const auto& [slot, id] : cluster.importing) shown[slot] = "-<-" + id;
  for (const auto& [slot, id] : cluster.migrating) shown[slot] = "->-" + id;
  std::string text;
  for (const auto& [slot, way] : shown) text += " [" + to_text(slot) + way + "]";
  return text;
}

}  // namespace

std::string describe_node(Context& c, const ClusterNode& node) {
  const ClusterView& cluster = view_of(c);
  const bool self = is_self(c, node);
  std::string line = node.id + " " + host_of(c, node) + ":" +
                     to_text(port_of(engine_context(c).engine, node)) + "@" +
                     to_text(bus_port_of(c, node));
  if (const auto hostname = hostname_of(c, node); !hostname.empty()) line += "," + hostname;
  line += self ? " myself," : " ";
  line += node.is_replica() ? "slave" : "master";
  if (node.fails) line += ",fail";
  line += " " + (node.is_replica() ? node.primary_id : std::string{"-"});
  line += " 0 " + to_text(self ? 0 : c.now_ms) + " " + to_text(cluster.epoch_of(node));
  line += node.connected || self ? " connected" : " disconnected";
  for (const auto& [from, to] : slot_ranges(node.slots)) {
    line += " " + to_text(from);
    if (to != from) line += "-" + to_text(to);
  }
  return self ? line + open_slots(cluster) : line;
}

void write_cluster_info(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const ClusterView& cluster = engine.cluster;
  const auto count = [](const SlotSet& slots) { return static_cast<std::int64_t>(slots.count()); };
  std::int64_t failing = 0;
  for (const ClusterNode& node : cluster.others)
    if (node.fails) failing += count(node.slots);
  const std::int64_t owned = count(cluster.owned());
  std::string text = "cluster_state:";
  text += cluster.is_up(engine.config) ? "ok" : "fail";
  const auto field = [&](std::string_view name, std::int64_t value) {
    text += "\r\n" + std::string{name} + ":" + to_text(value);
  };
  field("cluster_slots_assigned", owned);
  field("cluster_slots_ok", owned - failing);
  field("cluster_slots_pfail", 0);
  field("cluster_slots_fail", failing);
  field("cluster_known_nodes", static_cast<std::int64_t>(cluster.others.size()) + 1);
  field("cluster_size", cluster.size());
  field("cluster_current_epoch", cluster.current_epoch);
  field("cluster_my_epoch", cluster.epoch_of(cluster.self));
  field("cluster_stats_messages_sent", 0);
  field("cluster_stats_messages_received", 0);
  field("total_cluster_links_buffer_limit_exceeded", 0);
  c.reply.verbatim("txt", text + "\r\n");
}

void write_cluster_nodes(Context& c) {
  std::string text;
  for (const ClusterNode* node : view_of(c).nodes()) text += describe_node(c, *node) + "\n";
  c.reply.verbatim("txt", text);
}

namespace {

/// Where the node can be reached, and in a map what else is known of that. Redis 7.0:
/// addNodeToNodeReply.
void write_node(Context& c, const ClusterNode& node) {
  const Engine& engine = engine_context(c).engine;
  const std::string_view kind = engine.config.get("cluster-preferred-endpoint-type");
  const std::string host = hostname_of(c, node);
  c.reply.array(4);
  if (kind == "unknown-endpoint")
    c.reply.null();
  else
    c.reply.bulk(endpoint_of(engine, node));
  c.reply.integer(port_of(engine, node));
  c.reply.bulk(node.id);
  const bool shows_address = kind != "ip";
  const bool shows_host = kind != "hostname" && !host.empty();
  c.reply.map((shows_address ? 1U : 0U) + (shows_host ? 1U : 0U));
  if (shows_address) {
    c.reply.bulk("ip");
    c.reply.bulk(host_of(c, node));
  }
  if (shows_host) {
    c.reply.bulk("hostname");
    c.reply.bulk(host);
  }
}

}  // namespace

void write_cluster_slots(Context& c) {
  const ClusterView& cluster = view_of(c);
  std::map<std::pair<int, int>, const ClusterNode*> ranges;
  for (const ClusterNode* node : cluster.nodes())
    for (const auto& range : slot_ranges(node->slots)) ranges.emplace(range, node);
  c.reply.array(ranges.size());
  for (const auto& [range, owner] : ranges) {
    auto replicas = replicas_of(c, *owner);
    std::erase_if(replicas, [](const ClusterNode* node) { return node->fails; });
    c.reply.array(3 + replicas.size());
    c.reply.integer(range.first);
    c.reply.integer(range.second);
    write_node(c, *owner);
    for (const ClusterNode* replica : replicas) write_node(c, *replica);
  }
}

namespace {

/// Redis 7.0: clusterGenNodeDetails.
void write_member(Context& c, const ClusterNode& node) {
  const Engine& engine = engine_context(c).engine;
  const auto port = port_of(engine, node);
  const std::string host = hostname_of(c, node);
  c.reply.map(6U + (port != 0 ? 1U : 0U) + (host.empty() ? 0U : 1U));
  const auto field = [&](std::string_view name, std::string_view value) {
    c.reply.bulk(name);
    c.reply.bulk(value);
  };
  field("id", node.id);
  if (port != 0) {
    c.reply.bulk("port");
    c.reply.integer(port);
  }
  field("ip", host_of(c, node));
  if (engine.config.get("cluster-preferred-endpoint-type") == "unknown-endpoint") {
    c.reply.bulk("endpoint");
    c.reply.null();
  } else {
    field("endpoint", endpoint_of(engine, node));
  }
  if (!host.empty()) field("hostname", host);
  field("role", node.is_replica() ? "replica" : "master");
  c.reply.bulk("replication-offset");
  c.reply.integer(0);
  field("health", node.fails ? "fail" : "online");
}

}  // namespace

void write_cluster_shards(Context& c) {
  std::vector<const ClusterNode*> primaries = view_of(c).nodes();
  std::erase_if(primaries, [](const ClusterNode* node) { return node->is_replica(); });
  c.reply.array(primaries.size());
  for (const ClusterNode* primary : primaries) {
    const auto ranges = slot_ranges(primary->slots);
    c.reply.map(2);
    c.reply.bulk("slots");
    c.reply.array(2 * ranges.size());
    for (const auto& [from, to] : ranges) {
      c.reply.integer(from);
      c.reply.integer(to);
    }
    const auto replicas = replicas_of(c, *primary);
    c.reply.bulk("nodes");
    c.reply.array(1 + replicas.size());
    write_member(c, *primary);
    for (const ClusterNode* replica : replicas) write_member(c, *replica);
  }
}

namespace {

void write_link(Context& c, std::string_view direction, const ClusterNode& node) {
  c.reply.map(6);
  const auto field = [&](std::string_view name, std::string_view value) {
    c.reply.bulk(name);
    c.reply.bulk(value);
  };
  field("direction", direction);
  field("node", node.id);
  c.reply.bulk("create-time");
  c.reply.integer(to_unix_ms(engine_context(c).engine.started_at));
  field("events", "r");
  for (const std::string_view name : {"send-buffer-allocated", "send-buffer-used"}) {
    c.reply.bulk(name);
    c.reply.integer(0);
  }
}

}  // namespace

// Redis 7.0: addReplyLinksOfClusterNode. As if each pair of nodes had one link in each direction.
void write_cluster_links(Context& c) {
  std::vector<const ClusterNode*> linked = view_of(c).nodes();
  std::erase_if(linked,
                [&](const ClusterNode* node) { return is_self(c, *node) || !node->connected; });
  c.reply.array(2 * linked.size());
  for (const ClusterNode* node : linked)
    for (const std::string_view direction : {"to", "from"}) write_link(c, direction, *node);
}

}  // namespace picklock
