// One step of a state machine, and what it wants done then.
#pragma once

#include <vector>

#include "lockclient/machine/hold_machine.hpp"

namespace picklock::test {

struct Wanted {
  std::vector<lock::Requests::Flight> sends;
  std::vector<lock::Notice> notices;
};

inline Wanted resume(lock::HoldMachine& machine, const lock::Event& event) {
  lock::Actions actions{machine.terms().nodes};
  const lock::Shared<void> nobody;
  actions.begin(1, nobody);
  machine.resume(event, actions);
  const auto& flights = actions.requests.flights();
  return {{flights.begin(), flights.end()}, actions.notices};
}

}  // namespace picklock::test
