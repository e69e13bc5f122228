// Expiry and flushing a few keys at a time, so that nobody waits for all of them.
#include <string>
#include <utility>

#include "emulator/engine/connection.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;

struct Wire {
  SimClock clock;
  Engine engine{Options{}, clock};

  Connection open() { return Connection{engine, nullptr, "127.0.0.1:1", "127.0.0.1:6379"}; }
};

std::string ask(Connection& connection, std::string_view bytes) {
  connection.receive(bytes);
  return std::exchange(connection.output(), {});
}

/// key:0 is to expire last.
void set_keys(Connection& connection, int count) {
  for (int i = 0; i < count; ++i)
    ask(connection,
        "SET key:" + std::to_string(i) + " v PX " + std::to_string(100 + count - i) + "\r\n");
}

/// The names in the messages about expired keys.
std::string expired_keys(std::string messages) {
  std::string names;
  for (std::size_t at = 0; (at = messages.find("key:", at)) != std::string::npos; ++at)
    names += messages.substr(at + 4, messages.find('\r', at) - at - 4) + " ";
  return names;
}

TEST_CASE("expiry stops after as many keys as it may and goes on where it was") {
  Wire wire;
  Connection client = wire.open();
  Connection listener = wire.open();
  ask(client, "CONFIG SET notify-keyspace-events Ex\r\n");
  ask(listener, "SUBSCRIBE __keyevent@0__:expired\r\n");
  set_keys(client, 7);
  wire.clock.set(wire.clock.now() + 1s);

  wire.engine.run_due(3);
  CHECK(expired_keys(std::exchange(listener.output(), {})) == "6 5 4 ");
  CHECK(ask(client, "DBSIZE\r\n") == ":4\r\n");
  REQUIRE(wire.engine.next_event());
  CHECK(*wire.engine.next_event() < wire.clock.now());

  wire.engine.run_due(3);
  CHECK(expired_keys(std::exchange(listener.output(), {})) == "3 2 1 ");
  wire.engine.run_due(3);
  CHECK(expired_keys(std::exchange(listener.output(), {})) == "0 ");
  CHECK(ask(client, "DBSIZE\r\n") == ":0\r\n");
  CHECK_FALSE(wire.engine.next_event());
}

TEST_CASE("between two slices of expiry no command sees an expired key") {
  Wire wire;
  Connection client = wire.open();
  set_keys(client, 7);
  wire.clock.set(wire.clock.now() + 1s);
  wire.engine.run_due(2);
  CHECK(ask(client, "KEYS *\r\n") == "*0\r\n");
  CHECK(ask(client, "EXISTS key:0\r\n") == ":0\r\n");
  CHECK(ask(client, "GET key:1\r\n") == "$-1\r\n");
  CHECK(ask(client, "SET key:2 w NX\r\n") == "+OK\r\n");
  for (int i = 0; i < 3; ++i) wire.engine.run_due(2);
  CHECK(ask(client, "DBSIZE\r\n") == ":1\r\n");
  CHECK(ask(client, "GET key:2\r\n") == "$1\r\nw\r\n");
}

TEST_CASE("without a limit all that is due expires at once") {
  Wire wire;
  Connection client = wire.open();
  set_keys(client, 3000);
  wire.clock.set(wire.clock.now() + 10s);
  wire.engine.run_due();
  CHECK(ask(client, "DBSIZE\r\n") == ":0\r\n");
}

TEST_CASE("FLUSHALL ASYNC leaves nothing to see, and later commands destroy what was there") {
  for (const char* flush : {"FLUSHALL ASYNC\r\n", "FLUSHDB ASYNC\r\n"}) {
    Wire wire;
    Connection client = wire.open();
    set_keys(client, 3000);
    CHECK(ask(client, flush) == "+OK\r\n");
    CHECK_FALSE(wire.engine.keyspace.discarded().empty());
    CHECK(ask(client, "DBSIZE\r\n") == ":0\r\n");
    CHECK_FALSE(wire.engine.next_event());
    CHECK(ask(client, "SET key:1 new\r\n") == "+OK\r\n");
    int commands = 0;
    for (; !wire.engine.keyspace.discarded().empty(); ++commands) ask(client, "PING\r\n");
    CHECK(commands > 3000 / 64 - 5);
    CHECK(commands < 3000 / 64 + 5);
    CHECK(ask(client, "GET key:1\r\n") == "$3\r\nnew\r\n");
  }
}

TEST_CASE("a snapshot has nothing of what was flushed, and putting it back changes nothing there") {
  Wire wire;
  Connection client = wire.open();
  set_keys(client, 3000);
  ask(client, "FLUSHALL ASYNC\r\n");
  const auto state = wire.engine.save();
  wire.engine.restore(state);
  CHECK_FALSE(wire.engine.keyspace.discarded().empty());
  CHECK(ask(client, "DBSIZE\r\n") == ":0\r\n");
  Keyspace copy = wire.engine.keyspace;
  CHECK(copy.discarded().empty());
}

TEST_CASE("FLUSHALL without ASYNC, and of few keys, leaves nothing for later") {
  Wire wire;
  Connection client = wire.open();
  set_keys(client, 3000);
  ask(client, "FLUSHALL SYNC\r\n");
  CHECK(wire.engine.keyspace.discarded().empty());
  set_keys(client, 10);
  ask(client, "FLUSHALL ASYNC\r\n");
  CHECK(wire.engine.keyspace.discarded().empty());
}

}  // namespace
}  // namespace picklock
