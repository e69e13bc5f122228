// A copy of everything that a run changes, so that an exhaustive search can go on from a choice
// instead of going the way to it once more.
//
// For worlds whose workers are all values. Its memory is used again when another state is kept in
// it. What a scenario only declares is not in it: runs that go on from it belong to one scenario.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fuzz/world/simulation.hpp"

namespace picklock::race {

class Simulation::Checkpoint {
 private:
  friend class Simulation;
  struct KeptServer {
    ServerMoment moment;
    std::optional<Snapshot> state;
    KnownDigest known;
  };
  struct KeptFollower {
    ReplicaLink::State link;
    Instant stalled_until;
  };
  struct KeptProcess {
    ProcessMoment moment;
    std::unique_ptr<ValueBody> body;
  };

  Moment moment_;
  std::vector<Choice> choices_;
  std::vector<WorkerFacts> facts_;
  std::vector<KeptProcess> processes_;
  std::vector<KeptServer> servers_;
  std::vector<KeptFollower> followers_;
  std::vector<Traffic> traffic_;
  OraclesMoment oracles_;
  PropertiesMoment properties_;
  HistoriesMoment histories_;
};

}  // namespace picklock::race
