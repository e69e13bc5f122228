#include <string>
#include <utility>

#include "emulator/engine/connection.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

struct Notices final : Connection::Driver {
  void output_ready(Connection&) override { ++count; }
  int count = 0;
};

struct Wire {
  SimClock clock;
  Engine engine{Options{}, clock};
  Notices notices;
  Connection alice{engine, nullptr, "10.0.0.1:1", "10.0.0.9:6379"};
  Connection bob{engine, &notices, "10.0.0.2:1", "10.0.0.9:6379"};
};

std::string answer(Connection& connection, std::string_view bytes) {
  connection.receive(bytes);
  return std::exchange(connection.output(), {});
}

TEST_CASE("a killed connection closes, its driver is told, and nobody lists it any more") {
  for (const std::string_view filter :
       {"10.0.0.2:1", "ID 2", "ADDR 10.0.0.2:1", "LADDR 10.0.0.9:6379", "TYPE normal",
        "USER default", "SKIPME yes", "ID 2 SKIPME no TYPE NORMAL"}) {
    INFO("CLIENT KILL " << filter);
    Wire wire;
    const bool one_word = filter.find(' ') == std::string_view::npos;
    CHECK(answer(wire.alice, "CLIENT KILL " + std::string{filter} + "\r\n") ==
          (one_word ? "+OK\r\n" : ":1\r\n"));
    CHECK(wire.bob.should_close());
    CHECK(wire.notices.count == 1);
    CHECK_FALSE(wire.alice.should_close());
    CHECK(wire.engine.sessions().size() == 1);
    CHECK(answer(wire.bob, "PING\r\n").empty());
  }
}

TEST_CASE("a filter that does not fit kills nobody") {
  for (const std::string_view filter :
       {"ID 1", "ADDR 10.0.0.2:1 TYPE pubsub", "ID 2 LADDR x", "TYPE master", "ADDR 10.0.0.1:1"}) {
    INFO("CLIENT KILL " << filter);
    Wire wire;
    CHECK(answer(wire.alice, "CLIENT KILL " + std::string{filter} + "\r\n") == ":0\r\n");
    CHECK_FALSE(wire.bob.should_close());
    CHECK_FALSE(wire.alice.should_close());
  }
}

TEST_CASE("a connection that kills itself gets its reply first") {
  Wire wire;
  CHECK(answer(wire.alice, "CLIENT KILL ID 1 SKIPME no\r\nPING\r\n") == ":1\r\n");
  CHECK(wire.alice.should_close());
  CHECK_FALSE(wire.bob.should_close());
}

TEST_CASE("a killed connection's request that blocks is never answered") {
  Wire wire;
  CHECK(answer(wire.bob, "WAIT 1 100\r\n").empty());
  CHECK(answer(wire.alice, "CLIENT KILL ID 2\r\n") == ":1\r\n");
  wire.clock.sleep_for(std::chrono::milliseconds{200});
  wire.engine.run_due();
  CHECK(wire.bob.output().empty());
  CHECK(wire.engine.blocked_count() == 0);
}

}  // namespace
}  // namespace picklock
