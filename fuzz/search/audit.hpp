// Whether a program under test does the same when it is asked the same: a schedule is run again.
//
// Used by the search, which audits some of its schedules. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "fuzz/world/simulation.hpp"

namespace picklock::race {

/// Runs the last schedule of `simulation` again, which gave `result`. Empty if it gives the same;
/// else one line: where the runs part, and what the program did there the one time and the other.
/// `choices` is memory to use again.
std::string audit(Simulation& simulation, const Scenario& scenario,
                  const Simulation::Result& result, std::vector<Choice>& choices);

}  // namespace picklock::race
