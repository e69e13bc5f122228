// Several emulators, loops and callers that go by one clock; clocks that are put back.
#include <picklock/local_loop.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace replies;

TEST_CASE("a clock that two emulators of a loop share moves once") {
  SimClock clock;
  Emulator a{{}, clock}, b{{}, clock};
  LocalLoop loop;
  const auto to_a = loop.connect(a);
  const auto to_b = loop.connect(b);
  b.connect().call("SET", "lock", "bob", "PX", 50);
  Client bob = b.connect();
  Pending waits = bob.send("BLPOP", "l", "0.1");
  loop.advance(50ms);
  CHECK(clock.now() == kDefaultStart + 50ms);
  CHECK(loop.now() == clock.now());
  CHECK(b.inspect().exists("lock"));
  loop.advance(50ms);
  CHECK(clock.now() == kDefaultStart + 100ms);
  CHECK_FALSE(waits.is_blocked());
  CHECK(loop.now() == clock.now());
}

TEST_CASE("a loop's clock moves by what makes sense, or not at all") {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  CHECK_THROWS_AS(loop.advance(-5ms), std::invalid_argument);
  CHECK_THROWS_AS(loop.advance(Duration::max()), std::invalid_argument);
  CHECK(loop.now() == kDefaultStart);
  CHECK(redis.now() == kDefaultStart);
}

}  // namespace
}  // namespace picklock
