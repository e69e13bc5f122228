// The command PICKLOCK, which moves the clock over the protocol.
#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;

namespace {
const std::int64_t kStart = to_unix_ms(kDefaultStart);
}

TEST_CASE("PICKLOCK ADVANCE moves the clock and answers the new time") {
  Emulator redis;
  Client client = redis.connect();
  CHECK(client.call("PICKLOCK", "NOW") == kStart);
  CHECK(client.call("PICKLOCK", "ADVANCE", 250) == kStart + 250);
  CHECK(client.call("picklock", "advance", "0") == kStart + 250);
  CHECK(client.call("PICKLOCK", "NOW") == kStart + 250);
  CHECK(redis.now() == kDefaultStart + 250ms);
}

TEST_CASE("PICKLOCK ADVANCE expires what falls due on the way") {
  Emulator redis;
  Client client = redis.connect();
  client.call("SET", "k", "v", "PX", 100);
  client.call("PICKLOCK", "ADVANCE", 100);
  CHECK(client.call("DBSIZE") == 1);
  client.call("PICKLOCK", "ADVANCE", 1);
  CHECK(client.call("DBSIZE") == 0);
}

TEST_CASE("PICKLOCK NEXT goes to the next event") {
  Emulator redis;
  Client client = redis.connect();
  CHECK(client.call("PICKLOCK", "NEXT") == nil);
  client.call("SET", "k", "v", "PX", 100);
  CHECK(client.call("PICKLOCK", "NEXT") == kStart + 101);
  CHECK(client.call("GET", "k") == nil);
  CHECK(client.call("PICKLOCK", "NEXT") == nil);
}

TEST_CASE("PICKLOCK refuses what makes no sense") {
  Emulator redis;
  Client client = redis.connect();
  const auto refused = [&](auto... words) { return client.call("PICKLOCK", words...).text(); };
  for (const char* ms : {"soon", "-1", "1.5", "", "9223372036854775807", "31622400000001"})
    CHECK(refused("ADVANCE", ms) ==
          "ERR PICKLOCK ADVANCE takes milliseconds from 0 to 31622400000000");
  CHECK(refused("ADVANCE") == "ERR wrong number of arguments for 'picklock|advance' command");
  CHECK(refused("REWIND") == "ERR unknown subcommand 'REWIND'. Try PICKLOCK HELP.");
  CHECK(client.call("PICKLOCK") == error("ERR wrong number of arguments for 'picklock' command"));
  CHECK(client.call("PICKLOCK", "HELP")[0] ==
        status("PICKLOCK <subcommand> [<arg> ...]. Subcommands are:"));
  CHECK(redis.now() == kDefaultStart);
}

TEST_CASE("PICKLOCK moves an offset clock, and no system clock") {
  OffsetClock offset;
  Emulator flowing{{}, offset};
  Client client = flowing.connect();
  const auto before = client.call("PICKLOCK", "NOW").integer();
  CHECK(client.call("PICKLOCK", "ADVANCE", 10'000).integer() >= before + 10'000);

  SystemClock system;
  Emulator real{{}, system};
  Client fixed = real.connect();
  const Reply refusal =
      error("ERR the system clock cannot be moved: start with --clock simulated or --clock offset");
  CHECK(fixed.call("PICKLOCK", "ADVANCE", 1) == refusal);
  CHECK(fixed.call("SET", "k", "v", "EX", 100) == status("OK"));
  CHECK(fixed.call("PICKLOCK", "NEXT") == refusal);
}

TEST_CASE("PICKLOCK is not listed by COMMAND") {
  Emulator redis;
  Client client = redis.connect();
  const Reply rows = client.call("COMMAND");
  for (const Reply& row : rows.elements()) CHECK(row[0] != "picklock");
  const Reply names = client.call("COMMAND", "LIST");
  for (const Reply& name : names.elements()) CHECK(name != "picklock");
  CHECK(client.call("COMMAND", "COUNT") == rows.size());
}
