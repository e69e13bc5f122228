#include "emulator/engine/connection.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;

struct Wire {
  SimClock clock;
  Engine engine{Options{}, clock};

  Connection open(Connection::Driver* driver = nullptr) {
    return Connection{engine, driver, "127.0.0.1:1", "127.0.0.1:6379"};
  }
};

std::string exchange(Connection& connection, std::string_view bytes) {
  connection.receive(bytes);
  return std::exchange(connection.output(), {});
}

TEST_CASE("a pipeline is answered in order") {
  Wire wire;
  Connection connection = wire.open();
  CHECK(exchange(connection, "SET k v\r\nGET k\r\n*1\r\n$4\r\nPING\r\n") ==
        "+OK\r\n$1\r\nv\r\n+PONG\r\n");
}

TEST_CASE(
    "an unknown name in COMMAND INFO is a null bulk string, which redis-cli cannot tell from a "
    "null array") {
  Wire wire;
  Connection connection = wire.open();
  CHECK(exchange(connection, "COMMAND INFO nosuch\r\n") == "*1\r\n$-1\r\n");
}

TEST_CASE("a request that is cut at any byte is answered once it is whole") {
  const std::string bytes = std::string{"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\nb"} + '\0' +
                            "\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Wire wire;
    Connection connection = wire.open();
    const std::string first = exchange(connection, std::string_view{bytes}.substr(0, cut));
    const std::string second = exchange(connection, std::string_view{bytes}.substr(cut));
    CHECK(first + second == std::string{"+OK\r\n$5\r\na\r\nb"} + '\0' + "\r\n");
  }
}

TEST_CASE("a protocol error is answered and ends the connection, and nobody else's") {
  Wire wire;
  Connection bad = wire.open();
  Connection good = wire.open();
  CHECK(exchange(bad, "*1\r\n$-5\r\n") == "-ERR Protocol error: invalid bulk length\r\n");
  CHECK(bad.should_close());
  CHECK(exchange(bad, "PING\r\n").empty());
  CHECK_FALSE(good.should_close());
  CHECK(exchange(good, "PING\r\n") == "+PONG\r\n");
}

TEST_CASE("a client that vanishes in mid-request leaves nothing behind") {
  Wire wire;
  Connection good = wire.open();
  {
    Connection vanishing = wire.open();
    exchange(vanishing, "SET before 1\r\n*3\r\n$3\r\nSET\r\n$5\r\nafter\r\n$1");
    CHECK(wire.engine.sessions().size() == 2);
  }
  CHECK(wire.engine.sessions().size() == 1);
  CHECK(exchange(good, "EXISTS before after\r\n") == ":1\r\n");
}

TEST_CASE("HELLO 3 changes the protocol from its own reply on, RESET changes it back") {
  Wire wire;
  Connection connection = wire.open();
  CHECK(exchange(connection, "GET none\r\n") == "$-1\r\n");
  CHECK(exchange(connection, "HELLO 3\r\n").substr(0, 4) == "%7\r\n");
  CHECK(exchange(connection, "GET none\r\n") == "_\r\n");
  CHECK(exchange(connection, "RESET\r\n") == "+RESET\r\n");
  CHECK(exchange(connection, "GET none\r\n") == "$-1\r\n");
}

struct Recorder : Connection::Driver {
  void output_ready(Connection& connection) override {
    log += std::exchange(connection.output(), {});
  }
  std::string log;
};

TEST_CASE("requests behind a blocked one run when its timeout ends") {
  Wire wire;
  Recorder recorder;
  Connection connection = wire.open(&recorder);
  CHECK(exchange(connection, "WAIT 1 100\r\nPING\r\n").empty());
  wire.clock.sleep_for(99ms);
  wire.engine.run_due();
  CHECK(recorder.log.empty());
  wire.clock.sleep_for(1ms);
  wire.engine.run_due();
  CHECK(recorder.log == ":0\r\n+PONG\r\n");
}

TEST_CASE("a client without a password may not send more than ten words") {
  Wire wire;
  wire.engine.config.put("requirepass", "secret");
  Connection connection = wire.open();
  CHECK(exchange(connection, "*11\r\n") ==
        "-ERR Protocol error: unauthenticated multibulk length\r\n");
  CHECK(connection.should_close());
}

}  // namespace
}  // namespace picklock
