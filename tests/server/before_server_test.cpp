// A restart of an emulator that had clients before it had its server.
#include <picklock/server.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace replies;

TEST_CASE("a restart keeps nobody and no script that was there before the server") {
  Emulator redis;
  Client alice = redis.connect();
  alice.call("SCRIPT", "LOAD", "return 1");
  alice.call("SUBSCRIBE", "news");
  Server server{redis, {.port = std::nullopt}};
  redis.restart();
  Client bob = redis.connect();
  CHECK(bob.call("PUBSUB", "NUMSUB", "news") == array("news", 0));
  CHECK(bob.call("SCRIPT", "EXISTS", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db") == array(0));
}

TEST_CASE("a snapshot from before the server leaves it where it listens") {
  Emulator redis;
  const Snapshot before = redis.snapshot();
  Server server{redis};
  redis.restore(before);
  CHECK(redis.connect().call("CONFIG", "GET", "port") ==
        array("port", std::to_string(server.port())));
}

}  // namespace
}  // namespace picklock
