#include <string>
#include <string_view>

#include <picklock/emulator.hpp>

#include "emulator/base/sha1.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace picklock::replies;

TEST_CASE("a script that never ends is stopped by its budget, and harms nobody") {
  Options options;
  options.script_budget = 100'000;
  Emulator redis{options};
  auto client = redis.connect();
  const Reply reply = client.call("EVAL", "while true do end", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::Contains("Script killed by user with SCRIPT KILL"));
  CHECK(client.call("EVAL", "return 1", 0) == 1);
}

TEST_CASE("a loop inside pcall does not escape the budget") {
  Options options;
  options.script_budget = 100'000;
  Emulator redis{options};
  auto client = redis.connect();
  const Reply reply =
      client.call("EVAL", "while true do pcall(function() while true do end end) end", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::Contains("Script killed by user with SCRIPT KILL"));
}

TEST_CASE("a snapshot keeps the functions that were there") {
  const auto library = [](const std::string& name) {
    return "#!lua name=" + name + "\nredis.register_function('" + name + "', function() return '" +
           name + "' end)";
  };
  Emulator redis;
  auto client = redis.connect();
  client.call("FUNCTION", "LOAD", library("kept"));
  client.call("FUNCTION", "LOAD", library("replaced"));
  const Reply dump = client.call("FUNCTION", "DUMP");
  const Snapshot saved = redis.snapshot();
  client.call("FUNCTION", "DELETE", "kept");
  client.call("FUNCTION", "LOAD", "REPLACE", library("replaced") + " -- anew");
  client.call("FUNCTION", "LOAD", library("later"));

  redis.restore(saved);
  CHECK(client.call("FCALL", "kept", 0) == "kept");
  CHECK(client.call("FCALL", "later", 0) == error("ERR Function not found"));
  CHECK(client.call("FUNCTION", "DUMP") == dump);

  Emulator fork{saved};
  auto other = fork.connect();
  other.call("FUNCTION", "DELETE", "replaced");
  CHECK(other.call("FCALL", "kept", 0) == "kept");
  CHECK(client.call("FCALL", "replaced", 0) == "replaced");
}

TEST_CASE("a script that recurses for ever ends in an error") {
  Emulator redis;
  auto client = redis.connect();
  const Reply reply = client.call("EVAL", "local function f() return 1 + f() end return f()", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::Contains("stack overflow"));
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("a script's SELECT ends with the script") {
  Emulator redis;
  auto client = redis.connect();
  client.call("EVAL", "redis.call('SELECT', 5) return redis.call('SET', KEYS[1], '1')", 1, "k");
  CHECK(client.call("EXISTS", "k") == 0);
  CHECK(redis.inspect(5).exists("k"));
}

TEST_CASE("a snapshot keeps the script cache") {
  Emulator redis;
  auto client = redis.connect();
  const std::string sha1 = client.call("SCRIPT", "LOAD", "return 42").text();
  Emulator fork{redis.snapshot()};
  client.call("SCRIPT", "FLUSH");
  CHECK(client.call("EVALSHA", sha1, 0) == error("NOSCRIPT No matching script. Please use EVAL."));
  CHECK(fork.connect().call("EVALSHA", sha1, 0) == 42);
}

TEST_CASE("more scripts than are kept compiled still run") {
  Emulator redis;
  auto client = redis.connect();
  const std::string first = client.call("SCRIPT", "LOAD", "return 'first'").text();
  for (int i = 0; i < 2500; ++i)
    REQUIRE(client.call("EVAL", "return " + std::to_string(i), 0) == i);
  CHECK(client.call("EVALSHA", first, 0) == "first");
}

TEST_CASE("math.random goes on from script to script and comes back with a snapshot") {
  Emulator redis;
  auto client = redis.connect();
  const auto draw = [&] {
    return client.call("EVAL", "return math.random(1, 1000000)", 0).integer();
  };
  const Snapshot fresh = redis.snapshot();
  CHECK(draw() == 396465);
  const Snapshot saved = redis.snapshot();
  CHECK(draw() == 840486);
  redis.restore(saved);
  auto again = redis.connect();
  CHECK(again.call("EVAL", "return math.random(1, 1000000)", 0) == 840486);
  redis.restore(fresh);
  auto anew = redis.connect();
  CHECK(anew.call("EVAL", "return math.random(1, 1000000)", 0) == 396465);
}

TEST_CASE("a script that has garbage collected leaves the order of globals as it was") {
  Emulator redis;
  auto client = redis.connect();
  const auto globals = [&] {
    return client.call("EVAL",
                       "local names = {} for name in pairs(_G) do names[#names + 1] = name end "
                       "return names",
                       0);
  };
  const Reply before = globals();
  client.call("EVAL", "return collectgarbage('step')", 0);
  CHECK(globals() == before);
}

TEST_CASE("scripts sent whole have their own names, however often and in whatever order") {
  Emulator redis;
  auto client = redis.connect();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 60; ++i) {
      const std::string text = "return " + std::to_string(i % 40) +
                               (i % 7 == 0 ? " --" + std::string(20'000, 'x') : std::string{});
      REQUIRE(client.call("EVAL", text, 0) == i % 40);
      const auto digest = sha1_hex(text);
      const std::string_view name{digest.data(), digest.size()};
      REQUIRE(client.call("EVALSHA", name, 0) == i % 40);
      REQUIRE(client.call("SCRIPT", "LOAD", text) == name);
    }
    client.call("SCRIPT", "FLUSH");
    const auto digest = sha1_hex("return 3");
    CHECK(client.call("EVALSHA", std::string_view{digest.data(), digest.size()}, 0).is_error());
  }
  CHECK(client.call("EVAL", "", 0).is_null());
}

}  // namespace
}  // namespace picklock
