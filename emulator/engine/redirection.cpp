#include "emulator/engine/redirection.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/engine.hpp"

namespace picklock {

namespace {

using Judged = SlotVerdict::Kind;

bool is_on(const Engine& engine, std::string_view name) { return engine.config.get(name) == "yes"; }

bool is_of_shard_channels(const Command& command) {
  return !command.keys.empty() && command.keys[0].flags == "not_key";
}

/// Why a cluster that is down does not serve it; `serve` if it does.
Judged judge_down(const Engine& engine, const SlotRequest& request) {
  if (engine.cluster.is_up(engine.config)) return Judged::serve;
  if (is_of_shard_channels(request.command))
    return is_on(engine, "cluster-allow-pubsubshard-when-down") ? Judged::serve : Judged::down;
  if (!is_on(engine, "cluster-allow-reads-when-down")) return Judged::down;
  return (request.flags & kWrite) != 0 ? Judged::down_read_only : Judged::serve;
}

/// How many of the keys of an open slot are here.
std::size_t count_here(Engine& engine, const SlotRequest& request) {
  if (is_of_shard_channels(request.command)) return request.slot.keys.size();
  const std::int64_t now_ms = to_unix_ms(engine.clock.now());
  return static_cast<std::size_t>(std::ranges::count_if(
      request.slot.keys,
      [&](std::string_view key) { return engine.keyspace[0].peek(key, now_ms) != nullptr; }));
}

bool has_several(const std::vector<std::string_view>& keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return key != keys.front(); });
}

/// A replica reads for its primary where the client has said READONLY; shard channels are there
/// too.
bool may_replica_serve(const ClusterView& cluster, const Session& session,
                       const SlotRequest& request, const ClusterNode& owner) {
  return (session.reads_replicas || is_of_shard_channels(request.command)) &&
         !request.writes_replica && cluster.self.primary_id == owner.id;
}

}  // namespace

SlotVerdict judge_slot(Engine& engine, const Session& session, const SlotRequest& request) {
  const RequestSlot& asked = request.slot;
  if (asked.first == RequestSlot::kNone) return {};
  const ClusterView& cluster = engine.cluster;
  const ClusterNode* owner = cluster.owner(asked.first);
  if (!owner) return {Judged::not_served};
  if (asked.crossed) return {Judged::crossed};
  if (const Judged down = judge_down(engine, request); down != Judged::serve) return {down};

  const auto target = cluster.migrating.find(asked.first);
  const bool migrates = owner == &cluster.self && target != cluster.migrating.end();
  const bool imports = !migrates && cluster.importing.contains(asked.first);
  const SlotVerdict serve{Judged::serve, nullptr, asked.first};
  if ((migrates || imports) && request.command.name == "migrate") return serve;
  const std::size_t here = migrates || imports ? count_here(engine, request) : 0;
  const bool lacks_some = here < asked.keys.size();
  if (migrates && lacks_some) {
    if (here > 0) return {Judged::unstable};
    const ClusterNode* node = cluster.find(target->second);
    return node == &cluster.self ? serve : SlotVerdict{Judged::ask, node, asked.first};
  }
  if (imports && (session.asks || (request.flags & kAsking) != 0))
    return lacks_some && has_several(asked.keys) ? SlotVerdict{Judged::unstable} : serve;
  if (owner == &cluster.self || may_replica_serve(cluster, session, request, *owner)) return serve;
  return {Judged::moved, owner, asked.first};
}

std::string endpoint_of(const Engine& engine, const ClusterNode& node) {
  const bool is_self = &node == &engine.cluster.self;
  const std::string_view kind = engine.config.get("cluster-preferred-endpoint-type");
  if (kind == "unknown-endpoint") return "";
  if (kind == "hostname") {
    const std::string_view own = engine.config.get("cluster-announce-hostname");
    const std::string_view name = is_self && !own.empty() ? own : std::string_view{node.hostname};
    return name.empty() ? "?" : std::string{name};
  }
  const std::string_view own = engine.config.get("cluster-announce-ip");
  return is_self && !own.empty() ? std::string{own} : node.host;
}

std::int64_t port_of(const Engine& engine, const ClusterNode& node) {
  if (&node != &engine.cluster.self) return node.port;
  if (const auto told = engine.config.number("cluster-announce-port"); told != 0) return told;
  return node.port != 0 ? node.port : engine.config.number("port");
}

std::string slot_error(const Engine& engine, const SlotVerdict& verdict) {
  switch (verdict.kind) {
    case Judged::crossed:
      return std::string{errors::kCrossSlot};
    case Judged::not_served:
      return std::string{errors::kSlotNotServed};
    case Judged::down:
      return std::string{errors::kClusterDown};
    case Judged::down_read_only:
      return std::string{errors::kClusterReadOnly};
    case Judged::unstable:
      return std::string{errors::kTryAgain};
    case Judged::ask:
    case Judged::moved:
      break;
    case Judged::serve:
      return {};
  }
  return (verdict.kind == Judged::ask ? "ASK " : "MOVED ") + to_text(verdict.slot) + " " +
         endpoint_of(engine, *verdict.node) + ":" + to_text(port_of(engine, *verdict.node));
}

std::optional<std::string> redirection_of_blocked(const Engine& engine, const Session& session) {
  if (!session.blocked || session.blocked->keys.empty()) return std::nullopt;
  const ClusterView& cluster = engine.cluster;
  if (!cluster.is_up(engine.config)) return std::string{errors::kClusterDown};
  const int slot = key_slot(session.blocked->keys.front());
  const ClusterNode* owner = cluster.owner(slot);
  const bool reads_here = session.reads_replicas && owner && cluster.self.primary_id == owner->id &&
                          !session.blocked->command->has(kWrite);
  if (owner == &cluster.self || reads_here || cluster.importing.contains(slot)) return std::nullopt;
  if (!owner) return std::string{errors::kSlotNotServed};
  return slot_error(engine, {Judged::moved, owner, slot});
}

}  // namespace picklock
