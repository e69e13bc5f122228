// A race test in GoogleTest. `ledger_googletest --gtest_also_run_disabled_tests` shows a failure:
// its timeline, and the line that replays it.
#include <gtest/gtest.h>

#include "fuzz/examples/tests/ledger.hpp"

using picklock::race::explore;

TEST(Ledger, ReleaseThatChecksItsOwnerHolds) {
  const auto verdict = explore({.schedules = 2'000, .scenario = "ledger"}, ledger::writers(true));
  EXPECT_TRUE(verdict) << verdict;
}

TEST(Ledger, DISABLED_ReleaseThatChecksNothingIsCaught) {
  const auto verdict = explore({.scenario = "ledger-broken"}, ledger::writers(false));
  EXPECT_TRUE(verdict) << verdict;
}
