// Clients that live for a while: one operation a second each, and a watchdog each. What simulated
// time costs.
#pragma once

#include <cstdint>

#include <picklock/race.hpp>

namespace picklock::bench {

struct LeaseSettings {
  int clients = 8;
  std::uint64_t seconds = 200;  ///< How long each lives.
  bool sends = true;            ///< Otherwise its timers fire, and nothing comes of it.
};

/// Each client tries to take the one lock, or gives it back, once a second; its watchdog renews a
/// hold every 10 s, a third of its ttl.
race::Scenario make_leases(const LeaseSettings& settings);
race::ExploreOptions lease_options();

}  // namespace picklock::bench
