// Whether this node of a cluster may serve a request, and where the client has to go if not.
//
// Redis 7.0: getNodeByQuery, clusterRedirectClient. Asked by guards.cpp for requests and for
// commands in scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/commands/command.hpp"
#include "emulator/engine/cluster.hpp"

namespace picklock {

class Engine;
struct Session;

/// What a request for some slot is, apart from its keys.
struct SlotRequest {
  const Command& command;
  RequestSlot slot;
  std::uint32_t flags = 0;      ///< As request_flags() says.
  bool writes_replica = false;  ///< Not for a replica: it writes, or EXEC's queue does.
};

struct SlotVerdict {
  enum class Kind : std::uint8_t {
    serve,
    crossed,
    not_served,  ///< Nobody owns the slot.
    down,
    down_read_only,  ///< Reads would be served.
    unstable,        ///< Some keys are here, some have moved already.
    ask,
    moved,
  } kind = Kind::serve;
  const ClusterNode* node = nullptr;  ///< Where to go, for `ask` and `moved`.
  int slot = RequestSlot::kNone;      ///< For those and `serve`.
};

SlotVerdict judge_slot(Engine& engine, const Session& session, const SlotRequest& request);

/// The error that a client gets for a verdict other than `serve`.
std::string slot_error(const Engine& engine, const SlotVerdict& verdict);

/// The address that clients are told of a node.
std::string endpoint_of(const Engine& engine, const ClusterNode& node);
std::int64_t port_of(const Engine& engine, const ClusterNode& node);

/// The error that ends the wait of a session blocked on keys that this node does not serve any
/// more; nullopt if it does. Redis 7.0: clusterRedirectBlockedClientIfNeeded.
std::optional<std::string> redirection_of_blocked(const Engine& engine, const Session& session);

}  // namespace picklock
