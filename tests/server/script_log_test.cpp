// What on_script_log may do, and a server that could not be made.
#include <memory>
#include <stdexcept>
#include <string>

#include <picklock/server.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace replies;

ServerOptions telling(std::function<void(const LogLine&)> tell) {
  ServerOptions options;
  options.port = std::nullopt;
  options.on_script_log = std::move(tell);
  return options;
}

TEST_CASE("a script within on_script_log is refused") {
  Emulator redis;
  std::unique_ptr<Client> bob;
  std::string said;
  const Server server{redis, telling([&](const LogLine&) {
                        const auto mine = std::move(bob);
                        if (mine) said = mine->call("EVAL", "return 1", 0).to_string();
                      })};
  bob = std::make_unique<Client>(redis.connect());
  CHECK(redis.connect().call("EVAL", "redis.log(3, 'x') return 7", 0) == 7);
  CHECK(said.starts_with("(error) BUSY"));
}

TEST_CASE("what a script changes is told to its caller, whoever asks in between") {
  for (const bool throws : {false, true}) {
    Emulator redis;
    std::unique_ptr<Client> bob;
    const Server server{redis, telling([&](const LogLine&) {
                          const auto mine = std::move(bob);
                          if (!mine) return;
                          mine->call("HELLO", "3");
                          mine->call("UNWATCH");
                          CHECK_FALSE(mine->next_message());
                          if (throws) throw std::runtime_error("no");
                        })};
    Client alice = redis.connect();
    alice.call("HELLO", "3");
    alice.call("CLIENT", "TRACKING", "ON");
    alice.call("GET", "k");
    bob = std::make_unique<Client>(redis.connect());
    const std::string script = "redis.call('SET', 'k', 1) redis.log(3, 'x') return 7";
    if (throws) {
      CHECK_THROWS_AS(alice.call("EVAL", script, 0), std::runtime_error);
      Client carol = redis.connect();
      carol.call("HELLO", "3");
      CHECK_FALSE(carol.next_message());
    } else {
      CHECK(alice.call("EVAL", script, 0) == 7);
      const auto message = alice.next_message();
      REQUIRE(message);
      CHECK((*message)[0] == "invalidate");
    }
  }
}

TEST_CASE("on_script_log loads no functions while one runs") {
  Emulator other;
  other.connect().call("FUNCTION", "LOAD",
                       "#!lua name=m\nredis.register_function('g', function() return 2 end)");
  const std::string bytes = other.save_rdb();
  Emulator redis;
  const Server server{redis, telling([&](const LogLine&) {
                        CHECK_THROWS_AS(redis.load_rdb(bytes), std::invalid_argument);
                      })};
  Client alice = redis.connect();
  alice.call("FUNCTION", "LOAD",
             "#!lua name=l\n"
             "redis.register_function('f', function() redis.log(3, 'a') return 1 end)");
  CHECK(alice.call("FCALL", "f", 0) == 1);
  CHECK(alice.call("FCALL", "f", 0) == 1);
}

// For valgrind or AddressSanitizer.
TEST_CASE("on_script_log may clear the log whose line it is told") {
  Emulator redis;
  std::string text;
  const Server server{redis, telling([&](const LogLine& line) {
                        redis.clear_script_log();
                        text = line.text;
                      })};
  const std::string sent(100, 'x');
  CHECK(redis.connect().call("EVAL", "redis.log(3, ARGV[1]) return 7", 0, sent) == 7);
  CHECK(text == sent);
}

TEST_CASE("an on_script_log that throws leaves the server as it was") {
  Emulator redis;
  const std::size_t traced = GENERATE(0, 10);
  redis.keep_trace(traced);
  const Server server{redis, telling([](const LogLine&) { throw std::runtime_error("told"); })};
  Client alice = redis.connect(), bob = redis.connect();
  CHECK_THROWS_AS(alice.call("EVAL", "redis.log(3, 'x')", 0), std::runtime_error);
  Pending waits = bob.send("BLPOP", "l", 0);
  CHECK(alice.call("RPUSH", "l", "x") == 1);
  CHECK(waits.reply() == array("l", "x"));
  CHECK_NOTHROW(redis.restart());
}

TEST_CASE("an on_script_log that throws at a request held back holds nobody else back") {
  Emulator redis;
  const Server server{redis, telling([](const LogLine&) { throw std::runtime_error("told"); })};
  Client alice = redis.connect(), bob = redis.connect(), carol = redis.connect();
  carol.call("CLIENT", "PAUSE", 100, "WRITE");
  Pending thrown = alice.send("EVAL", "redis.log(3, 'x')", 0);
  Pending behind = alice.send("SET", "behind", "it");
  Pending after = bob.send("SET", "after", "it");
  CHECK_THROWS_AS(redis.advance(std::chrono::milliseconds{101}), std::runtime_error);
  CHECK(behind.reply() == status("OK"));
  CHECK(carol.call("GET", "behind") == "it");
  CHECK(carol.call("SET", "later", "it") == status("OK"));
  CHECK(after.reply() == status("OK"));
  Pending waits = bob.send("BLPOP", "l", 0);
  CHECK(alice.call("RPUSH", "l", "x") == 1);
  CHECK(waits.reply() == array("l", "x"));
}

TEST_CASE("a server that cannot be made leaves no callbacks behind") {
  Emulator redis, other;
  const Server taken{other};
  int told = 0;
  ServerOptions options = telling([&](const LogLine&) { ++told; });
  options.port = 0;
  options.on_shutdown = [&] { ++told; };
  options.nodes.push_back({.name = "second", .port = taken.port()});
  CHECK_THROWS_AS((Server{redis, options}), ListenError);
  Client alice = redis.connect();
  alice.call("EVAL", "redis.log(3, 'x')", 0);
  CHECK(alice.call("SHUTDOWN", "NOSAVE").is_error());
  CHECK(told == 0);
}

}  // namespace
}  // namespace picklock
