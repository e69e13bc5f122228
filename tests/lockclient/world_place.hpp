// The simulated world as a place for the tests of the lock client: a case is run again and again,
// each time in another order of what the network carries.
//
// Every connection belongs to a client process of its own; the case is a blocking worker that uses
// them. Used by the places of test_lockclient.
#pragma once

#include <functional>

#include <picklock/race/verdict.hpp>

#include "tests/lockclient/place.hpp"

namespace picklock::test {

/// Runs `body` under many schedules: up to 6 connections, to up to 5 servers.
race::Verdict run_in_world(const race::ExploreOptions& options,
                           const std::function<void(Place&)>& body);

}  // namespace picklock::test
