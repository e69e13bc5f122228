// Where reset() puts the clock, and how far one can be moved.
#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace replies;

bool says(Client& client, std::string_view line) {
  return client.call("INFO").text().find(line) != std::string::npos;
}

TEST_CASE("a simulated clock of the caller's goes back to where it stood") {
  SimClock clock{from_unix_ms(5'000)};
  Emulator redis{{}, clock};
  Client alice = redis.connect();
  redis.advance(7s);
  redis.reset();
  CHECK(clock.now() == from_unix_ms(5'000));
  CHECK(says(alice, "uptime_in_seconds:0\r\n"));
  CHECK(alice.call("LASTSAVE") == 5);
}

struct CountingClock final : Clock {
  Instant now() const override { return shown; }
  void sleep_for(Duration duration) override { shown += duration; }
  Instant shown = from_unix_ms(5'000'000);
};

TEST_CASE("after a reset an emulator is new on a clock that goes on") {
  CountingClock counting;
  SystemClock system;
  OffsetClock offset;
  NodeClock node{counting};
  for (Clock* clock : {static_cast<Clock*>(&counting), static_cast<Clock*>(&system),
                       static_cast<Clock*>(&offset), static_cast<Clock*>(&node)}) {
    Emulator redis{{}, *clock};
    Client alice = redis.connect();
    redis.reset();
    CHECK(says(alice, "uptime_in_seconds:0\r\n"));
    CHECK(alice.call("CLIENT", "INFO").text().find(" age=0 idle=0 ") != std::string::npos);
  }
  CHECK(counting.now() == from_unix_ms(5'000'000));
}

TEST_CASE("an emulator that was made of a snapshot is empty after a reset") {
  Emulator model;
  model.connect().call("SET", "k", "1");
  model.advance(5s);
  Emulator redis{model.snapshot()};
  redis.reset();
  CHECK_FALSE(redis.inspect().exists("k"));
  CHECK(redis.now() == kDefaultStart);
}

TEST_CASE("a clock stays within the years that it can show") {
  Emulator redis;
  CHECK_THROWS_AS(redis.advance(Duration::max()), std::invalid_argument);
  CHECK(redis.now() == kDefaultStart);
  const Duration millennium = std::chrono::hours{1000 * 366 * 24};
  Instant before = redis.now();
  for (int i = 0; i < 300; ++i) {
    redis.advance(millennium);
    CHECK(redis.now() >= before);
    before = redis.now();
  }
  CHECK(before == from_unix_ms(kLastInstantMs));
}

}  // namespace
}  // namespace picklock
