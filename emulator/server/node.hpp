// One of several servers in one process, as Nodes keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "emulator/engine/control/control.hpp"
#include "emulator/server/nodes.hpp"

namespace picklock {

// Invariants: 1. `link` belongs to whom `follows` names, and is connected while data may pass.
// 2. A node that is `unaware` has no link. 3. `disk` is there only while it is stopped.
struct Nodes::Node {
  std::string name;
  Place* place = nullptr;
  NodeClock* clock = nullptr;  // Null for the first, whose clock the others go by.
  std::uint16_t port = 0;
  bool runs = true;
  bool cut = false;      // Nothing passes between it and the others.
  bool unaware = false;  // It is to follow another one, and still takes itself for a primary.
  Node* follows = nullptr;
  std::optional<ServerAddress> told;  // Whom it knows that it follows, while there is no link.
  std::size_t lag = 0;                // So many units wait; kAll: all of them.
  std::unique_ptr<ReplicaLink> link;
  std::unique_ptr<SyncedData> disk;  // What a crash left on it.
  std::uint64_t returns = 0;         // How often its state was put back.

  Engine& engine() const { return place->engine(); }
  bool is_idle() const { return engine().script == nullptr; }
  bool is_primary() const { return !engine().replication.primary; }
};

}  // namespace picklock
