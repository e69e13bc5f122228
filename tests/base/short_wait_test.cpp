#include "emulator/base/short_wait.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace picklock;
using namespace std::chrono_literals;

TEST_CASE("a short wait looks until it sees what it waits for") {
  ShortWait wait{1h};
  int looks = 0;
  CHECK(wait.succeeds([&] { return ++looks == 1000; }));
  CHECK(looks == 1000);
}

TEST_CASE("a short wait keeps the processor no longer than it may") {
  ShortWait wait{2ms};
  const auto began = std::chrono::steady_clock::now();
  CHECK_FALSE(wait.succeeds([] { return false; }));
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(took >= 2ms);
  CHECK(took < 5s);
}

TEST_CASE("waits in vain make more and more of the next ones sleep at once, and 64 at most") {
  ShortWait wait{0us};  // Looks once.
  bool looked = false;
  const auto look = [&](bool sees) {
    looked = false;
    return wait.succeeds([&] {
      looked = true;
      return sees;
    });
  };
  const auto sleeps_after_a_miss = [&] {
    CHECK_FALSE(look(false));
    REQUIRE(looked);
    int sleeps = 0;
    while (!look(true)) {
      REQUIRE_FALSE(looked);
      ++sleeps;
    }
    return sleeps;
  };
  CHECK(sleeps_after_a_miss() == 1);
  CHECK(sleeps_after_a_miss() == 1);  // For a look has succeeded in between.

  std::vector<int> sleeps;
  CHECK_FALSE(look(false));
  while (sleeps.size() < 40) {
    sleeps.push_back(0);
    while (true) {
      CHECK_FALSE(look(false));
      if (looked) break;
      ++sleeps.back();
    }
  }
  CHECK(std::vector<int>(sleeps.begin(), sleeps.begin() + 7) ==
        std::vector<int>{1, 2, 4, 8, 16, 32, 64});
  CHECK(sleeps.back() == 64);
}
