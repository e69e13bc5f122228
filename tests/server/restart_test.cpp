// A restart of an emulator that serves a port.
#include <picklock/server.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace replies;

TEST_CASE("a restart disconnects a server's clients, and it goes on listening") {
  Emulator redis;
  Server server{redis};
  Client alice = redis.connect();
  alice.call("SET", "lock", "alice");
  const Reply port = alice.call("CONFIG", "GET", "port");
  redis.restart();
  CHECK_FALSE(alice.is_connected());
  Client bob = redis.connect();
  CHECK(bob.call("GET", "lock") == "alice");
  CHECK(bob.call("CONFIG", "GET", "port") == port);
}

}  // namespace
}  // namespace picklock
