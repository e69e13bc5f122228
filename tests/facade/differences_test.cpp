// What the README lists as differing from Redis on purpose, a test for each row.
#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace picklock::replies;

TEST_CASE("difference: DEBUG may be used without configuration") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("CONFIG", "GET", "enable-debug-command") ==
        array("enable-debug-command", "yes"));
  CHECK(client.call("DEBUG", "SLEEP", 0) == status("OK"));
}

TEST_CASE("difference: keys and fields come in order of creation") {
  Emulator redis;
  auto client = redis.connect();
  for (const char* name : {"zebra", "apple", "mango"}) {
    client.call("SET", name, "1");
    client.call("HSET", "hash", name, "1");
  }
  CHECK(client.call("KEYS", "*") == array("zebra", "hash", "apple", "mango"));
  CHECK(client.call("HKEYS", "hash") == array("zebra", "apple", "mango"));
}

TEST_CASE("difference: INFO and CLIENT LIST say the same on every machine and run") {
  const auto say = [] {
    Emulator redis;
    auto client = redis.connect();
    redis.advance(1h);
    return client.call("INFO", "everything").text() + client.call("CLIENT", "LIST").text();
  };
  const std::string text = say();
  CHECK_THAT(text, Catch::Contains("process_id:1\r\n"));
  CHECK_THAT(text, Catch::Contains("used_memory:0\r\n"));
  CHECK_THAT(text, Catch::Contains("used_cpu_user:0.000000\r\n"));
  CHECK_THAT(text, Catch::Contains("uptime_in_seconds:3600\r\n"));
  CHECK_THAT(text, Catch::Contains(" tot-mem=0 "));
  CHECK(say() == text);
}

TEST_CASE("difference: a runaway script is stopped by its instructions, not by a client") {
  Options options;
  options.script_budget = 10'000;
  Emulator redis{options};
  auto client = redis.connect();
  const Reply reply = client.call("EVAL", "while true do end", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::StartsWith("ERR Script killed by user with SCRIPT KILL"));
}

TEST_CASE("difference: a script that wants more than 1 GiB is refused") {
  Emulator redis;
  auto client = redis.connect();
  const Reply reply =
      client.call("EVAL", "local s = string.rep('x', 2^29) return #(s .. s .. s)", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::Contains("not enough memory"));
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("difference: objects in scripts have numbers, not addresses") {
  Emulator redis;
  auto client = redis.connect();
  const Reply first = client.call("EVAL", "return tostring({}) .. tostring({})", 0);
  CHECK_THAT(first.text(), Catch::StartsWith("table: 0x"));
  CHECK(client.call("EVAL", "return tostring({}) .. tostring({})", 0) == first);
}

TEST_CASE("difference: raising a table without an error text is an error, and no crash") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("EVAL", "error({'a'})", 0).is_error());
  CHECK(client.call("EVAL", "error({ok='a'})", 0).is_error());
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("difference: PICKLOCK is a command of its own") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("PICKLOCK", "NOW") == 1'577'836'800'000);
  CHECK(client.call("EVAL", "return redis.pcall('PICKLOCK', 'NOW').err", 0) ==
        "ERR Unknown Redis command called from script");
  CHECK(client.call("COMMAND", "LIST", "FILTERBY", "PATTERN", "picklock*").size() == 0);
}

TEST_CASE("difference: SORT takes good numbers after one that was out of range") {
  Emulator redis;
  auto client = redis.connect();
  client.call("RPUSH", "small", "1e-320");
  CHECK(client.call("SORT", "small").is_error());
  client.call("RPUSH", "good", "2", "1");
  CHECK(client.call("SORT", "good") == array("1", "2"));
}

TEST_CASE("difference: a client that waits for the end of a pause is left alone by CLIENT UNBLOCK") {
  Emulator redis;
  auto alice = redis.connect();
  auto bob = redis.connect();
  CHECK(alice.call("CLIENT", "PAUSE", "1000", "WRITE") == status("OK"));
  auto waiting = bob.send("SET", "k", "v");
  CHECK(alice.call("CLIENT", "UNBLOCK", std::to_string(bob.id())) == 0);
  CHECK(waiting.is_blocked());
  redis.advance(std::chrono::milliseconds{1001});
  CHECK(waiting.reply() == status("OK"));
}

TEST_CASE("difference: a client that has turned its replies off gets nil for each") {
  Emulator redis;
  auto alice = redis.connect();
  CHECK(alice.call("CLIENT", "REPLY", "OFF") == nil);
  CHECK(alice.call("SET", "k", "v") == nil);
  CHECK(alice.call("CLIENT", "REPLY", "ON") == status("OK"));
  CHECK(alice.call("GET", "k") == "v");
}

}  // namespace
}  // namespace picklock
