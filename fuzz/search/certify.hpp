// Certifying a shrunk failure: no shorter one exists.
//
// Goes through all schedules of the same workers and kinds of faults that have no more faults and
// fewer steps, depth first; a state that was met before after as few steps and faults is cut off.
// What is shorter, if anything, takes the failure's place. Sound for programs that take all from
// their world, and for workers that share nothing but their servers.
#pragma once

#include <cstdint>

#include "fuzz/search/shrink.hpp"

namespace picklock::race {

struct Certificate {
  Failure shortest;
  std::uint64_t states = 0;
  /// False: there are more states than allowed; what was found until then is given.
  bool complete = false;
};

/// `failure` must be of a run whose choices fit to the letter.
Certificate certify(Simulation& simulation, const Scenario& scenario, Failure failure,
                    std::uint64_t most_states);

}  // namespace picklock::race
