#include "emulator/engine/replica_link.hpp"

#include <utility>

#include "emulator/engine/engine.hpp"

namespace picklock {
namespace {

// What State::open says of the last unit.
constexpr std::size_t kEnded = 0;
constexpr std::size_t kSelected = 1;  // SELECT belongs to what comes behind it.
constexpr std::size_t kInTransaction = 2;

}  // namespace

std::string_view ReplicaLink::objection(const Engine& primary, const Engine& replica) {
  if (&primary == &replica) return "a server cannot be its own replica";
  if (replica.cluster.enabled != primary.cluster.enabled)
    return "a cluster's node follows another one, and nobody else does";
  if (replica.near_primary != nullptr) return "it is a replica already: promote it first";
  for (const Engine* one = &primary; one != nullptr; one = one->near_primary)
    if (one == &replica) return "the primary follows this server: replicas go in no circle";
  return {};
}

ReplicaLink::ReplicaLink(Engine& primary, Engine& replica, Addresses addresses)
    : primary_(&primary), replica_(&replica), addresses_(std::move(addresses)) {
  connect();
  for (Engine* end : {primary_, replica_}) end->links.push_back(this);
}

ReplicaLink::~ReplicaLink() {
  cut();
  for (Engine* end : {primary_, replica_}) std::erase(end->links, this);
  if (replica_->near_primary == primary_) replica_->near_primary = nullptr;
}

void ReplicaLink::listen(bool on) {
  if (std::exchange(listens_, on) == on) return;
  if (on)
    primary_->listen(*this);
  else
    primary_->stop_listening(*this);
}

void ReplicaLink::connect() {
  cut();
  replica_->near_primary = primary_;
  replica_->follow(addresses_.primary);
  Replication::Replica replica{.host = addresses_.replica.host, .port = addresses_.replica.port};
  replica.is_near = true;
  state_.id = primary_->add_replica(std::move(replica));
  replica_->take_over(*primary_);
  state_.full_syncs = primary_->replication.full_syncs;
  state_.connected = true;
  listen(true);
  confirm();
}

void ReplicaLink::cut() {
  listen(false);
  state_.pending.clear();
  state_.open = kEnded;
  if (!std::exchange(state_.connected, false)) return;
  primary_->remove_replica(state_.id);
  // It may follow another one by now.
  if (!replica_->replication.over_network) replica_->lose_primary();
}

void ReplicaLink::promote() {
  cut();
  replica_->near_primary = nullptr;
  replica_->promote();
}

void ReplicaLink::effect(const Effect& words) {
  if (state_.open == kEnded) state_.pending.emplace_back();
  state_.pending.back().push_back(words);
  if (words[0] == "MULTI")
    state_.open = kInTransaction;
  else if (words[0] == "EXEC")
    state_.open = kEnded;
  else if (state_.open != kInTransaction)
    state_.open = words[0] == "SELECT" ? kSelected : kEnded;
}

void ReplicaLink::server_ended(const Engine& server) {
  if (&server == primary_ || &server == replica_) cut();
}

/// One that was cut stays so, and both ends know.
void ReplicaLink::start_anew() {
  const bool follows =
      replica_->replication.primary == addresses_.primary && !replica_->replication.over_network;
  if (!follows) return cut();
  if (state_.connected)
    connect();
  else
    replica_->lose_primary();
}

std::size_t ReplicaLink::apply(std::size_t most) {
  if (state_.connected && replica_->replication.primary != addresses_.primary) cut();
  if (!state_.connected) return 0;
  // Who follows a replica that has taken over other data must do so, too.
  if (primary_->replication.full_syncs != state_.full_syncs) connect();
  std::size_t applied = 0;
  while (applied < most && !state_.pending.empty() && !replica_->holds_back_writes()) {
    if (state_.pending.size() == 1 && state_.open != kEnded) break;
    const Unit unit = std::move(state_.pending.front());
    state_.pending.pop_front();
    for (const Effect& effect : unit) replica_->apply(effect);
    ++applied;
  }
  if (applied > 0) confirm();
  return applied;
}

void ReplicaLink::confirm() { primary_->acknowledge(state_.id, replica_->replication.offset); }

void ReplicaLink::restore(const State& state) {
  state_ = state;
  listen(state.connected);
}

std::string to_text(const ReplicaLink::Unit& unit) {
  std::string text;
  for (const Effect& effect : unit) {
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < effect.size(); ++i) text += (i > 0 ? " " : "") + effect[i];
  }
  return text;
}

}  // namespace picklock
