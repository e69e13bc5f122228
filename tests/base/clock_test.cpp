// A clock that goes wrong when told, on top of one that nobody sees.
#include <limits>

#include <picklock/clock.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a node's clock shows the hidden one until it is set wrong") {
  SimClock hidden;
  NodeClock clock{hidden};
  hidden.set(kDefaultStart + 10s);
  CHECK(clock.now() == kDefaultStart + 10s);
  CHECK(clock.ahead() == 0s);
  CHECK(clock.hidden_at(kDefaultStart + 20s) == kDefaultStart + 20s);
  clock.sleep_for(5s);
  CHECK(hidden.now() == kDefaultStart + 15s);
}

TEST_CASE("a drift begins now, and what it has brought stays") {
  SimClock hidden;
  NodeClock clock{hidden};
  hidden.set(kDefaultStart + 100s);
  clock.drift(10'000);
  CHECK(clock.ahead() == 0s);
  hidden.set(kDefaultStart + 200s);
  CHECK(clock.ahead() == 1s);
  CHECK(clock.ppm() == 10'000);
  clock.drift(-500'000);
  hidden.set(kDefaultStart + 204s);
  CHECK(clock.ahead() == -1s);
  const Duration wait = clock.hidden_at(clock.now() + 1s) - hidden.now();
  CHECK((wait == 2s || wait == 2s - Duration{1}));  // What it shows is rounded.
  clock.drift(0);
  hidden.set(kDefaultStart + 1'000s);
  CHECK(clock.ahead() == -1s);
}

TEST_CASE("a drifting clock shows every instant once, however far away") {
  SimClock hidden;
  NodeClock clock{hidden};
  clock.drift(333'333);
  for (const Duration away : {Duration{1}, Duration{999'999}, Duration{1'000'001},
                              Duration{std::chrono::hours{24 * 365 * 100}}}) {
    const Instant wanted = kDefaultStart + away;
    const Instant at = clock.hidden_at(wanted);
    hidden.set(at);
    CHECK(clock.now() >= wanted);
    hidden.set(at - Duration{1});
    CHECK(clock.now() < wanted);
  }
}

TEST_CASE("a clock jumps, stands still and goes on") {
  SimClock hidden;
  NodeClock clock{hidden};
  clock.step(-1h);
  CHECK(clock.now() == kDefaultStart - 1h);
  clock.freeze();
  CHECK(clock.is_frozen());
  hidden.set(kDefaultStart + 10s);
  CHECK(clock.now() == kDefaultStart - 1h);
  CHECK(clock.hidden_at(kDefaultStart) == Instant::max());
  clock.step(2h);
  CHECK(clock.now() == kDefaultStart + 1h);
  clock.thaw();
  CHECK(clock.now() == kDefaultStart + 1h);
  hidden.set(kDefaultStart + 11s);
  CHECK(clock.now() == kDefaultStart + 1h + 1s);
}

TEST_CASE("a clock stays within the years 1970 and 9999") {
  SimClock hidden;
  NodeClock clock{hidden};
  for (const std::int64_t ms : {1'000'000'000'000'000, -1'000'000'000'000'000})
    CHECK_THROWS_AS(clock.step(std::chrono::milliseconds{ms}), std::invalid_argument);
  CHECK_THROWS_AS(clock.step(Duration::max()), std::invalid_argument);
  CHECK_THROWS_AS(clock.step(Duration::min()), std::invalid_argument);
  CHECK(clock.now() == kDefaultStart);
  for (const std::int64_t ppm :
       {std::int64_t{-900'001}, std::int64_t{1'000'001}, std::numeric_limits<std::int64_t>::min()})
    CHECK_THROWS_AS(clock.drift(ppm), std::invalid_argument);
  clock.step(Instant{} - kDefaultStart);
  CHECK(clock.now() == Instant{});
  hidden.set(kDefaultStart - 1s);
  CHECK(clock.now() == Instant{});
}

}  // namespace
}  // namespace picklock
