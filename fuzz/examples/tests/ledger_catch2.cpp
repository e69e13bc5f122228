// A race test in Catch2. `ledger_catch2 "[broken]"` shows a failure: its timeline, and the line
// that replays it.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_CONSOLE_WIDTH 160  // Catch2 would break timelines and replay strings at 80.
#include <catch2/catch.hpp>
#endif

#include "fuzz/examples/tests/ledger.hpp"

using picklock::race::explore;

TEST_CASE("a release that checks its owner holds") {
  const auto verdict = explore({.schedules = 2'000, .scenario = "ledger"}, ledger::writers(true));
  CHECK(verdict);
}

TEST_CASE("a release that checks nothing is caught", "[.broken]") {
  const auto verdict = explore({.scenario = "ledger-broken"}, ledger::writers(false));
  CHECK(verdict);
}
