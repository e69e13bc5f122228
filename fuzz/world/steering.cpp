// What a scenario itself does to its servers: it promotes replicas, restarts servers, sets clocks
// wrong.
#include <algorithm>
#include <stdexcept>

#include "emulator/base/numbers.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

constexpr std::int64_t kSlowest = -900'000;
constexpr std::int64_t kFastest = 1'000'000;
constexpr Instant kLatest = from_unix_ms(253'402'300'799'999);  // The end of the year 9999.

}  // namespace

/// Before the workers start nothing has been passed over yet.
void Simulation::steer() {
  ++visible_events_;
  steered_ |= steps_ > 0;
}

void World::promote(Node& replica, std::size_t lost) {
  for (Simulation::Follower& follower : simulation_->followers_) {
    if (!follower.used || follower.server != simulation_->node_index(replica)) continue;
    if (!follower.link->is_connected()) break;
    simulation_->steer();
    return simulation_->promote(follower, std::min(lost, follower.link->pending().size()), 0);
  }
  throw std::invalid_argument{"'" + std::string{replica.name()} +
                              "' follows nobody: make it with replica_of(), and promote it once"};
}

void World::restart(Node& node, Restart kept, Duration down) {
  auto& server = static_cast<Simulation::Server&>(node);
  if (down < Duration{} || down > std::chrono::hours{24 * 366})
    throw std::invalid_argument{"a server is down for 0 ms to a year"};
  if (kept == Restart::keeps_synced && !server.saves)
    throw std::logic_error{"nothing of '" + server.label +
                           "' is synchronised: call sync_every_second() for it before the workers "
                           "start"};
  simulation_->steer();
  simulation_->restart(server, kept, simulation_->now_ + down);
}

void World::sync_every_second(Node& node) { static_cast<Simulation::Server&>(node).saves = true; }

void ServerClock::drift(std::int64_t ppm) {
  if (ppm < kSlowest || ppm > kFastest)
    throw std::invalid_argument{"a clock drifts by -900000 to 1000000 parts in a million, not by " +
                                std::string{to_text(ppm)}};
  Simulation::Server& server = simulation_->servers_[node_];
  simulation_->steer();
  simulation_->sync(server);
  server.local_clock.run_fast(ppm, simulation_->now_);
  simulation_->clock_changed(server,
                             ppm == 0 ? "clock runs as it should"
                                      : "clock runs " + std::string{to_text(ppm < 0 ? -ppm : ppm)} +
                                            " ppm " + (ppm < 0 ? "slow" : "fast"),
                             ppm < 0, false);
}

void ServerClock::step(Duration duration) {
  Simulation::Server& server = simulation_->servers_[node_];
  const Instant before = now();
  if (duration < Instant{} - before || duration > kLatest - before)
    throw std::invalid_argument{"a clock can be set to the years 1970 to 9999, and no further"};
  simulation_->steer();
  simulation_->step_clock(server, duration);
}

void ServerClock::freeze() {
  simulation_->steer();
  simulation_->freeze_clock(simulation_->servers_[node_]);
}

void ServerClock::thaw() {
  Simulation::Server& server = simulation_->servers_[node_];
  if (!server.local_clock.frozen()) return;
  simulation_->steer();
  simulation_->sync(server);
  server.local_clock.thaw(simulation_->now_);
  simulation_->clock_changed(server, "clock goes on", false, false);
}

Instant ServerClock::now() const {
  return simulation_->servers_[node_].local_clock.wall(simulation_->read_clock());
}

}  // namespace picklock::race
