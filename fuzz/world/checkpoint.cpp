#include "fuzz/world/checkpoint.hpp"

#include "emulator/engine/engine.hpp"
#include "fuzz/world/own_deeds.hpp"

namespace picklock::race {

/// Not while a command blocks: its reply would go to the connection of another state. Nor where
/// workers share what only the scenario could put back.
bool Simulation::can_fork() const {
  if (recorder_ != nullptr || !shares_.empty()) return false;
  for (std::size_t i = 0; i < worker_count_; ++i) {
    if (processes_[i].value == nullptr) return false;
  }
  for (const Server& server : servers_) {
    if (server.blocked > 0) return false;
  }
  return true;
}

void Simulation::keep(Checkpoint& checkpoint) {
  stage_ = Stage::forked;
  checkpoint.moment_ = *this;
  checkpoint.choices_ = choices_;
  checkpoint.facts_ = facts_;
  checkpoint.processes_.resize(worker_count_);
  for (std::size_t i = 0; i < worker_count_; ++i) {
    Checkpoint::KeptProcess& kept = checkpoint.processes_[i];
    kept.moment = processes_[i];
    if (kept.body) {
      kept.body->assign(*processes_[i].value);
    } else {
      kept.body = processes_[i].value->copy();
    }
  }
  checkpoint.servers_.resize(servers_.size());
  for (Server& server : servers_) {
    Checkpoint::KeptServer& kept = checkpoint.servers_[server.index];
    kept.moment = server;
    if (!server.used) continue;
    if (!server.present) server.present = server.redis.snapshot();
    kept.state = server.present;
    kept.known = server.known;
  }
  checkpoint.followers_.resize(followers_.size());
  for (std::size_t i = 0; i < followers_.size(); ++i)
    checkpoint.followers_[i] = {followers_[i].link->save(), followers_[i].stalled_until};
  checkpoint.traffic_.resize(connections_.size());
  for (std::size_t i = 0; i < connections_.size(); ++i) checkpoint.traffic_[i] = connections_[i];
  checkpoint.oracles_ = oracles_.moment();
  checkpoint.properties_ = oracles_.properties().moment();
  checkpoint.histories_ = oracles_.histories().moment();
}

Simulation::Result Simulation::run_from(const Checkpoint& checkpoint, const Scenario& scenario,
                                        Chooser& chooser, Class stop_at) {
  if (stage_ != Stage::forked) furnish(scenario);  // Another run has come between.
  stage_ = Stage::forked;
  chooser_ = &chooser;
  stopped_ = false;
  Moment::operator=(checkpoint.moment_);
  choices_ = checkpoint.choices_;
  facts_ = checkpoint.facts_;
  for (std::size_t i = 0; i < worker_count_; ++i) {
    const Checkpoint::KeptProcess& kept = checkpoint.processes_[i];
    static_cast<ProcessMoment&>(processes_[i]) = kept.moment;
    processes_[i].value->assign(*kept.body);
  }
  for (Server& server : servers_) {
    const Checkpoint::KeptServer& kept = checkpoint.servers_[server.index];
    static_cast<ServerMoment&>(server) = kept.moment;
    if (!server.used) continue;
    server.blocked = 0;
    if (server.present && &server.present->state() == &kept.state->state()) continue;
    server.redis.restore(*kept.state);
    server.touched = true;
    server.present = kept.state;
    server.known = kept.known;
  }
  for (SimulatedConnection& link : connections_) {  // Some have been cut off since.
    Server& server = servers_[link.node()];
    if (link.client && !link.client->is_connected() &&
        server.engine.sessions().contains(link.client->id()))
      revive(server.redis, *link.client);
  }
  for (std::size_t i = 0; i < followers_.size(); ++i) {
    followers_[i].link->restore(checkpoint.followers_[i].link);
    followers_[i].stalled_until = checkpoint.followers_[i].stalled_until;
  }
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    static_cast<Traffic&>(connections_[i]) = checkpoint.traffic_[i];
    connections_[i].held_back.reset();
  }
  oracles_.put_back(checkpoint.oracles_);
  oracles_.properties().put_back(checkpoint.properties_);
  oracles_.histories().put_back(checkpoint.histories_);
  return go_on(stop_at);
}

}  // namespace picklock::race
