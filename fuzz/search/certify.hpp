// Certifying a shrunk failure: no shorter one exists.
//
// Goes through all schedules of the same workers and kinds of faults that have no more faults and
// fewer steps, depth first; a state that was met before after as few steps and faults is cut off.
// What is shorter, if anything, takes the failure's place. Sound for programs that take all from
// their world, and for workers that share nothing but their servers.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "fuzz/search/shrink.hpp"

namespace picklock::race {

struct Certificate {
  Failure shortest;
  std::uint64_t states = 0;
  /// False: there are more states than allowed; what was found until then is given.
  bool complete = false;
};

/// The shortest failures of one scenario that have been certified: what failures of the same kind,
/// workers and kinds of faults can be no shorter than.
class Minima {
 public:
  /// Null: none is known.
  const Failure* find(const Failure& failure) const;
  /// `shortest` is as short as any that is made of what `failure` is made of.
  void add(const Failure& failure, Failure shortest);

 private:
  struct Minimum {
    Failure of;
    Failure shortest;
  };
  std::vector<Minimum> minima_;
};

/// `failure` must be of a run whose choices fit to the letter; `minima` are the scenario's and
/// grow. Ends early, and then incomplete, when `stop` is set. Both may be null.
Certificate certify(Simulation& simulation, const Scenario& scenario, Failure failure,
                    std::uint64_t most_states, Minima* minima = nullptr,
                    const std::atomic<bool>* stop = nullptr);

}  // namespace picklock::race
