// Work that is nobody's request, such as many keys that expire at once, lets clients in between.
#include <atomic>

#include <picklock/server.hpp>

#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;
using picklock::test::await;
using picklock::test::Socket;

namespace {

/// Flows, as far as the server knows, but only as the test says.
class ToldClock final : public Clock {
 public:
  Instant now() const override { return Instant{std::chrono::milliseconds{ms_}}; }
  void sleep_for(Duration) override {}
  void set(std::int64_t ms) { ms_ = ms; }

 private:
  std::atomic<std::int64_t> ms_{1'000'000};
};

}  // namespace

TEST_CASE("clients are served while many keys expire") {
  constexpr std::int64_t kKeys = 200'000;
  ToldClock clock;
  Emulator redis{{}, clock};
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  client.call({"EVAL", "for i = 1, 200000 do redis.call('SET', i, 'v', 'PX', 1) end", "0"});
  REQUIRE(client.call({"DBSIZE"}) == integer(kKeys));

  clock.set(2'000'000);
  int in_between = 0;
  std::int64_t before = kKeys;
  await("all keys expired", [&] {
    const std::int64_t left = client.call({"DBSIZE"}).integer();
    CHECK(left <= before);
    in_between += left < before && left > 0;
    before = left;
    CHECK(client.call({"EXISTS", "200000"}) == integer(0));
    return left == 0;
  });
  CHECK(in_between > 0);
}
