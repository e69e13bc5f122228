// What a recorded run notes beside its events.
#include "fuzz/world/simulation.hpp"

namespace picklock::race {

void Simulation::record_keys(Server& server) {
  std::vector<Event::Key> keys;
  for (const Oracles::LockKey& key : oracles_.lock_keys()) {
    if (!key.declared || key.node != server.index) continue;
    const std::string owner = key.writer == kNobody ? "" : processes_[key.writer].name;
    Event::Key noted{.name = key.name, .present = key.present, .owner = owner, .token = key.value};
    if (noted.token.empty()) noted.token = owner;
    if (key.present && key.deadline) {
      const Instant last = server.local_clock.world_until_wall_ms(*key.deadline);
      if (last != Instant::max()) noted.until = last;
    }
    keys.push_back(std::move(noted));
  }
  // A replica has none: the event that reaches it has changed those of its primary.
  if (!keys.empty()) recorder_->note_keys(server.index, std::move(keys));
}

}  // namespace picklock::race
