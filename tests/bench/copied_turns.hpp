// The exhaustive search over clients that try once a round, as values that are copied at forks and
// as coroutines whose past is replayed. Their stays last as long as the search chooses.
#pragma once

#include <picklock/race.hpp>

namespace picklock::bench {

struct CopiedTurns {
  int clients = 3;  ///< 1 to 8.
  int rounds = 2;   ///< 1 to 9.
  bool values = true;
};

race::Scenario make_copied_turns(const CopiedTurns& settings);

}  // namespace picklock::bench
