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

std::string ask(Connection& connection, std::string_view bytes) {
  connection.receive(bytes);
  return std::exchange(connection.output(), {});
}

TEST_CASE("a pipeline is answered in order") {
  Wire wire;
  Connection connection = wire.open();
  CHECK(ask(connection, "SET k v\r\nGET k\r\n*1\r\n$4\r\nPING\r\n") ==
        "+OK\r\n$1\r\nv\r\n+PONG\r\n");
}

TEST_CASE(
    "an unknown name in COMMAND INFO is a null bulk string, which redis-cli cannot tell from a "
    "null array") {
  Wire wire;
  Connection connection = wire.open();
  CHECK(ask(connection, "COMMAND INFO nosuch\r\n") == "*1\r\n$-1\r\n");
}

TEST_CASE("a request that is cut at any byte is answered once it is whole") {
  const std::string bytes = std::string{"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\nb"} + '\0' +
                            "\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Wire wire;
    Connection connection = wire.open();
    const std::string first = ask(connection, std::string_view{bytes}.substr(0, cut));
    const std::string second = ask(connection, std::string_view{bytes}.substr(cut));
    CHECK(first + second == std::string{"+OK\r\n$5\r\na\r\nb"} + '\0' + "\r\n");
  }
}

TEST_CASE("a protocol error is answered and ends the connection, and nobody else's") {
  Wire wire;
  Connection bad = wire.open();
  Connection good = wire.open();
  CHECK(ask(bad, "*1\r\n$-5\r\n") == "-ERR Protocol error: invalid bulk length\r\n");
  CHECK(bad.should_close());
  CHECK(ask(bad, "PING\r\n").empty());
  CHECK_FALSE(good.should_close());
  CHECK(ask(good, "PING\r\n") == "+PONG\r\n");
}

TEST_CASE("a client that vanishes in mid-request leaves nothing behind") {
  Wire wire;
  Connection good = wire.open();
  {
    Connection vanishing = wire.open();
    ask(vanishing, "SET before 1\r\n*3\r\n$3\r\nSET\r\n$5\r\nafter\r\n$1");
    CHECK(wire.engine.sessions().size() == 2);
  }
  CHECK(wire.engine.sessions().size() == 1);
  CHECK(ask(good, "EXISTS before after\r\n") == ":1\r\n");
}

TEST_CASE("HELLO 3 changes the protocol from its own reply on, RESET changes it back") {
  Wire wire;
  Connection connection = wire.open();
  CHECK(ask(connection, "GET none\r\n") == "$-1\r\n");
  CHECK(ask(connection, "HELLO 3\r\n").substr(0, 4) == "%7\r\n");
  CHECK(ask(connection, "GET none\r\n") == "_\r\n");
  CHECK(ask(connection, "RESET\r\n") == "+RESET\r\n");
  CHECK(ask(connection, "GET none\r\n") == "$-1\r\n");
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
  CHECK(ask(connection, "WAIT 1 100\r\nPING\r\n").empty());
  wire.clock.sleep_for(99ms);
  wire.engine.run_due();
  CHECK(recorder.log.empty());
  wire.clock.sleep_for(1ms);
  wire.engine.run_due();
  CHECK(recorder.log == ":0\r\n+PONG\r\n");
}

TEST_CASE("a client without a password may not send more than ten words") {
  Wire wire;
  wire.engine.acl.set_default_password("secret");
  Connection connection = wire.open();
  CHECK(ask(connection, "*11\r\n") == "-ERR Protocol error: unauthenticated multibulk length\r\n");
  CHECK(connection.should_close());
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("a client that does not read is served no further until it does") {
  Wire wire;
  Connection connection = wire.open();
  const std::string value(1'000'000, 'v');
  ask(connection, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n" + value + "\r\n");
  connection.receive(repeated("GET k\r\n", 50));
  CHECK(connection.output().size() < 3'000'000);
  CHECK(connection.is_held_back());
  std::size_t received = 0;
  for (int rounds = 0; rounds < 100 && !connection.output().empty(); ++rounds) {
    received += std::exchange(connection.output(), {}).size();
    connection.drained();
  }
  CHECK_FALSE(connection.is_held_back());
  CHECK(received == 50 * (value.size() + 12));
}

TEST_CASE("of many requests that have gathered only some are carried out at once") {
  Wire wire;
  Connection connection = wire.open();
  constexpr std::size_t kMany = 10'000;
  std::size_t executed = connection.receive(repeated("PING\r\n", kMany));
  CHECK(executed < kMany / 2);
  std::size_t turns = 1;
  std::size_t answered = 0;
  for (; connection.is_held_back(); ++turns) {
    const std::size_t bytes = std::exchange(connection.output(), {}).size();
    CHECK(bytes <= kMany / 2 * 7);
    answered += bytes / 7;
    connection.drained();
  }
  CHECK(turns > 2);
  CHECK(answered + connection.output().size() / 7 == kMany);
}

TEST_CASE("a subscriber over the hard limit of its output is cut off with nothing sent") {
  Wire wire;
  wire.engine.config.put("client-output-buffer-limit", "pubsub 100000 0 0");
  Connection reader = wire.open();
  Connection writer = wire.open();
  ask(reader, "SUBSCRIBE ch\r\n");
  const std::string message = "PUBLISH ch " + std::string(40'000, 'm') + "\r\n";
  CHECK(ask(writer, message + message) == ":1\r\n:1\r\n");
  CHECK_FALSE(reader.should_close());
  ask(writer, message);
  CHECK(reader.should_close());
  CHECK(reader.is_cut_off());
  CHECK(reader.output().empty());
}

TEST_CASE("a subscriber over the soft limit is cut off once the seconds have passed") {
  Wire wire;
  wire.engine.config.put("client-output-buffer-limit", "pubsub 0 20000 2");
  Connection slow = wire.open();
  Connection quick = wire.open();
  Connection writer = wire.open();
  ask(slow, "SUBSCRIBE ch\r\n");
  ask(quick, "SUBSCRIBE ch\r\n");
  ask(writer, "PUBLISH ch " + std::string(30'000, 'm') + "\r\n");
  quick.output().clear();
  ask(writer, "PUBLISH ch x\r\n");
  REQUIRE(wire.engine.next_event());
  while (const auto next = wire.engine.next_event()) {
    wire.clock.set(*next);
    wire.engine.run_due();
  }
  CHECK(wire.clock.now() == kDefaultStart + 3s);
  CHECK(slow.is_cut_off());
  CHECK_FALSE(quick.should_close());
}

TEST_CASE("input beyond client-query-buffer-limit ends the connection") {
  Wire wire;
  wire.engine.config.put("client-query-buffer-limit", "1048576");
  Connection connection = wire.open();
  CHECK(ask(connection, "*2\r\n$4\r\nECHO\r\n$2000000\r\n" + std::string(1'100'000, 'x')).empty());
  CHECK(connection.is_cut_off());
}

TEST_CASE("client-query-buffer-limit counts what has not been read into words, before it is") {
  Wire wire;
  wire.engine.config.put("client-query-buffer-limit", "1048576");
  Connection piecemeal = wire.open();
  const std::string word = "$10000\r\n" + std::string(10'000, 'x') + "\r\n";
  piecemeal.receive("*401\r\n$4\r\nMSET\r\n");
  for (int key = 1000; key < 1200; ++key)
    piecemeal.receive("$4\r\n" + std::to_string(key) + "\r\n" + word);
  CHECK(piecemeal.output() == "+OK\r\n");
  Connection at_once = wire.open();
  CHECK(ask(at_once, "*2\r\n$4\r\nECHO\r\n$1048576\r\n" + std::string(1'048'576, 'x') + "\r\n")
            .empty());
  CHECK(at_once.is_cut_off());
}

TEST_CASE("what a killed client has not been sent yet is dropped") {
  Wire wire;
  Connection victim = wire.open();
  Connection killer = wire.open();
  victim.receive("PING\r\n");
  CHECK(ask(killer, "CLIENT KILL ID 1\r\n") == ":1\r\n");
  CHECK(victim.is_cut_off());
  CHECK(victim.output().empty());
}

TEST_CASE("keys that are fetched ahead are served as they are when their turn comes") {
  Wire wire;
  Connection connection = wire.open();
  connection.receive("EVAL \"for i = 1, 40000 do redis.call('SET', 'key:' .. i, i) end\" 0\r\n");
  connection.output().clear();
  std::string requests, replies;
  const auto add = [&](std::string_view verb, int number, const std::string& reply) {
    const std::string key = "key:" + std::to_string(number);
    requests += "*2\r\n$3\r\n" + std::string{verb} + "\r\n$" + std::to_string(key.size()) + "\r\n" +
                key + "\r\n";
    replies += reply;
  };
  for (int i = 1; i <= 50'000; i += 7) {
    const std::string value = std::to_string(i);
    const bool there = i <= 40'000;
    const std::string bulk = "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
    add("GET", i, there ? bulk : "$-1\r\n");
    add("DEL", i, there ? ":1\r\n" : ":0\r\n");
    add("GET", i, "$-1\r\n");
    if (i % 5 == 0) requests += "*1\r\n$4\r\nPING\r\n", replies += "+PONG\r\n";
  }
  requests += "*2\r\n$6\r\nSELECT\r\n$1\r\n1\r\n", replies += "+OK\r\n";
  add("GET", 2, "$-1\r\n");
  std::string received;
  for (std::size_t at = 0; at < requests.size(); at += 5000)
    received += ask(connection, std::string_view{requests}.substr(at, 5000));
  CHECK(received == replies);
}

}  // namespace
}  // namespace picklock
