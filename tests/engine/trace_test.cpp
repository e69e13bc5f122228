#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#include "emulator/engine/connection.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/resp/request_writer.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

/// The lines of an engine that a client of bytes has used.
struct Wire {
  SimClock clock;
  Engine engine{Options{}, clock};

  Connection open() { return Connection{engine, nullptr, "127.0.0.1:1", "127.0.0.1:6379"}; }
  void ask(Connection& connection, const Words& words) {
    std::string bytes;
    append_request(bytes, std::vector<std::string_view>(words.begin(), words.end()));
    connection.receive(bytes);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const TraceLine& line : engine.control->trace.last(1000))
      lines.push_back(line.request + " -> " + line.reply + " " + std::to_string(line.changes));
    return lines;
  }
};

std::vector<Words> requests() {
  std::vector<Words> all{
      {"SET", "k", "v"},
      {"GET", "k"},
      {"GET", "none"},
      {"SET", "long", std::string(100'000, 'x')},
      {"GET", "long"},
      {"NOSUCH", "a"},
      {"INCR", "k"},
      {"EVAL", "return {1, {'a', false}, redis.status_reply('FINE')}", "0"},
      {"EVAL", "return {err = 'two\nlines'}", "0"},
      {"HSET", "h", "f", "v", "g", "w"},
      {"HGETALL", "h"},
      {"ZADD", "z", "1.5", "a", "3", "b"},
      {"ZRANGE", "z", "0", "-1", "WITHSCORES"},
      {"MULTI"},
      {"INCR", "n"},
      {"GEOPOS", "none", "a"},
      {"EXEC"},
      {"EVAL", "return redis.status_reply('')", "0"},
      {"SUBSCRIBE", "c", "d"},
      {"UNSUBSCRIBE"},
      {"SUBSCRIBE", "c"},
      {"PUBLISH", "c", "to myself"},
      {"PUBLISH", "c", std::string(1000, 'x')},
      {"EVAL", "for i = 1, 100 do redis.call('PUBLISH', 'c', i) end return 'done'", "0"},
      {"UNSUBSCRIBE"},
      {"BLPOP", "none", "0.001"},
  };
  Words push{"RPUSH", "list"};
  for (int i = 0; i < 500; ++i) push.push_back(std::to_string(i));
  all.insert(all.begin(), {push, {"LRANGE", "list", "0", "-1"}});
  return all;
}

TEST_CASE("the trace shows the same of a reply, whether it went out as bytes or as values") {
  for (const char* const version : {"2", "3"}) {
    Wire wire;
    keep_trace(wire.engine, 1000);
    Connection connection = wire.open();
    Emulator redis;
    redis.keep_trace(1000);
    Client client = redis.connect();
    wire.ask(connection, {"HELLO", version});
    client.call("HELLO", version);
    for (const Words& words : requests()) {
      wire.ask(connection, words);
      Pending pending = client.send(std::vector<std::string_view>(words.begin(), words.end()));
      redis.advance(1ms);
      wire.clock.set(wire.clock.now() + 1ms);
      wire.engine.run_due();
      CHECK_FALSE(pending.is_blocked());
    }
    std::vector<std::string> lines;
    for (const TraceLine& line : redis.trace())
      lines.push_back(line.request + " -> " + line.reply + " " + std::to_string(line.changes));
    CHECK(wire.lines() == lines);
  }
}

TEST_CASE("what else is sent meanwhile is no reply") {
  Wire wire;
  keep_trace(wire.engine, 1);
  Connection connection = wire.open();
  const auto reply_to = [&](const Words& words) {
    wire.ask(connection, words);
    return wire.engine.control->trace.last(1).front().reply;
  };
  CHECK(reply_to({"HELLO", "3"}).starts_with("1# \"server\""));
  CHECK(reply_to({"SUBSCRIBE", "c"}).ends_with("3) (integer) 1"));
  CHECK(reply_to({"MULTI"}) == "OK");
  CHECK(reply_to({"PUBLISH", "c", "a"}) == "QUEUED");
  CHECK(reply_to({"PUBLISH", "c", "b"}) == "QUEUED");
  CHECK(reply_to({"EXEC"}) == "1) (integer) 1 2) (integer) 1");
  CHECK(reply_to({"CLIENT", "REPLY", "OFF"}) == "(none)");
  CHECK(reply_to({"PUBLISH", "c", "a"}) == "(none)");
  CHECK(reply_to({"CLIENT", "REPLY", "ON"}) == "OK");
  CHECK(reply_to({"UNSUBSCRIBE"}).ends_with("3) (integer) 0"));
}

TEST_CASE("the trace keeps what came last, in order, however many lines it is told to keep") {
  Wire wire;
  Connection connection = wire.open();
  int last = 0;
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) wire.ask(connection, {"ECHO", std::to_string(++last)});
  };
  const auto shown = [&] {
    std::string text;
    for (const TraceLine& line : wire.engine.control->trace.last(1000)) text += line.reply;
    return text;
  };
  keep_trace(wire.engine, 3);
  add(5);
  CHECK(shown() == R"("3""4""5")");
  keep_trace(wire.engine, 5);
  CHECK(shown() == R"("3""4""5")");
  add(3);
  CHECK(shown() == R"("4""5""6""7""8")");
  add(2);
  keep_trace(wire.engine, 2);
  CHECK(shown() == R"("9""10")");
  add(1);
  CHECK(shown() == R"("10""11")");
  keep_trace(wire.engine, 0);
  add(1);
  CHECK(shown().empty());
  keep_trace(wire.engine, 2);
  add(1);
  CHECK(shown() == R"("13")");
}

TEST_CASE("a wait is ended in the line that shows it, wherever that stands, if it is still there") {
  Wire wire;
  keep_trace(wire.engine, 3);
  Connection waiting = wire.open();
  Connection other = wire.open();
  const auto first = [&] { return wire.engine.control->trace.last(3).front().reply; };
  for (const int before : {0, 1, 2, 3, 4}) {
    for (int i = 0; i < before; ++i) wire.ask(other, {"PING"});
    wire.ask(waiting, {"BLPOP", "list", "0"});
    for (int i = 0; i < 2; ++i) wire.ask(other, {"PING"});
    CHECK(first() == "(waits)");
    wire.ask(other, {"RPUSH", "list", "a"});
    CHECK(first() == "PONG");
    CHECK(wire.engine.control->trace.last(1).front().reply == "(integer) 1");
    wire.ask(waiting, {"BLPOP", "list", "0"});
    wire.ask(other, {"RPUSH", "list", "a"});
    CHECK(wire.engine.control->trace.last(2).front().reply.starts_with("(waited until "));
  }
}

}  // namespace
}  // namespace picklock
