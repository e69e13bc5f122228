#include "emulator/engine/commands/cluster_views.hpp"

#include <string>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {

namespace {

std::int64_t port_of(const Config& config) {
  const auto announced = config.number("cluster-announce-port");
  return announced != 0 ? announced : config.number("port");
}

// Redis 7.0: the bus listens ten thousand above the clients' port, unless it is told otherwise.
std::int64_t bus_port_of(const Config& config) {
  for (const std::string_view name : {"cluster-announce-bus-port", "cluster-port"})
    if (const auto port = config.number(name); port != 0) return port;
  return config.number("port") + 10'000;
}

}  // namespace

void write_cluster_info(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const Cluster& cluster = engine.cluster;
  const auto owned = static_cast<std::int64_t>(cluster.slots.count());
  std::string text = "cluster_state:";
  text += cluster.is_up(engine.config) ? "ok" : "fail";
  const auto field = [&](std::string_view name, std::int64_t value) {
    text += "\r\n" + std::string{name} + ":" + to_text(value);
  };
  field("cluster_slots_assigned", owned);
  field("cluster_slots_ok", owned);
  field("cluster_slots_pfail", 0);
  field("cluster_slots_fail", 0);
  field("cluster_known_nodes", 1);
  field("cluster_size", owned > 0 ? 1 : 0);
  field("cluster_current_epoch", cluster.current_epoch);
  field("cluster_my_epoch", cluster.my_epoch);
  field("cluster_stats_messages_sent", 0);
  field("cluster_stats_messages_received", 0);
  field("total_cluster_links_buffer_limit_exceeded", 0);
  c.reply.verbatim("txt", text + "\r\n");
}

void write_cluster_nodes(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const Config& config = engine.config;
  std::string line = engine.cluster.id + " " + std::string{config.get("cluster-announce-ip")} +
                     ":" + to_text(port_of(config)) + "@" + to_text(bus_port_of(config));
  if (const auto host = config.get("cluster-announce-hostname"); !host.empty())
    line += "," + std::string{host};
  line += " myself,master - 0 0 " + to_text(engine.cluster.my_epoch) + " connected";
  for (const auto& [from, to] : engine.cluster.ranges()) {
    line += " " + to_text(from);
    if (to != from) line += "-" + to_text(to);
  }
  c.reply.verbatim("txt", line + "\n");
}

namespace {

/// Where the node can be reached, and in a map what else is known of that. Redis 7.0:
/// addNodeToNodeReply.
void write_node(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const Config& config = engine.config;
  const std::string_view kind = config.get("cluster-preferred-endpoint-type");
  const std::string_view address = config.get("cluster-announce-ip");
  const std::string_view host = config.get("cluster-announce-hostname");
  c.reply.array(4);
  if (kind == "ip")
    c.reply.bulk(address);
  else if (kind == "hostname")
    c.reply.bulk(host.empty() ? "?" : host);
  else
    c.reply.null();
  c.reply.integer(port_of(config));
  c.reply.bulk(engine.cluster.id);
  const bool shows_address = kind != "ip";
  const bool shows_host = kind != "hostname" && !host.empty();
  c.reply.map((shows_address ? 1U : 0U) + (shows_host ? 1U : 0U));
  if (shows_address) {
    c.reply.bulk("ip");
    c.reply.bulk(address);
  }
  if (shows_host) {
    c.reply.bulk("hostname");
    c.reply.bulk(host);
  }
}

}  // namespace

void write_cluster_slots(Context& c) {
  const auto ranges = engine_context(c).engine.cluster.ranges();
  c.reply.array(ranges.size());
  for (const auto& [from, to] : ranges) {
    c.reply.array(3);
    c.reply.integer(from);
    c.reply.integer(to);
    write_node(c);
  }
}

void write_cluster_shards(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const Config& config = engine.config;
  const auto ranges = engine.cluster.ranges();
  c.reply.array(1);
  c.reply.map(2);
  c.reply.bulk("slots");
  c.reply.array(2 * ranges.size());
  for (const auto& [from, to] : ranges) {
    c.reply.integer(from);
    c.reply.integer(to);
  }
  c.reply.bulk("nodes");
  c.reply.array(1);
  const auto port = port_of(config);
  const std::string_view kind = config.get("cluster-preferred-endpoint-type");
  const std::string_view address = config.get("cluster-announce-ip");
  const std::string_view host = config.get("cluster-announce-hostname");
  c.reply.map(6U + (port != 0 ? 1U : 0U) + (host.empty() ? 0U : 1U));
  const auto field = [&](std::string_view name, std::string_view value) {
    c.reply.bulk(name);
    c.reply.bulk(value);
  };
  field("id", engine.cluster.id);
  if (port != 0) {
    c.reply.bulk("port");
    c.reply.integer(port);
  }
  field("ip", address);
  if (kind == "unknown-endpoint") {
    c.reply.bulk("endpoint");
    c.reply.null();
  } else {
    field("endpoint", kind == "ip" ? address : host.empty() ? "?" : host);
  }
  if (!host.empty()) field("hostname", host);
  field("role", "master");
  c.reply.bulk("replication-offset");
  c.reply.integer(0);
  field("health", "online");
}

}  // namespace picklock
