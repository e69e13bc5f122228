// What scripts see of newer servers.
#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace picklock::replies;

Reply run(const char* profile, const std::string& script) {
  Options options;
  options.profile = profile;
  Emulator redis{options};
  return redis.connect().call("EVAL", script, 0);
}

TEST_CASE("scripts see the version of their profile") {
  const std::string versions = "return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}";
  CHECK(run("redis-7.0", versions) == array("7.0.15", 0x7000f));
  CHECK(run("redis-8.4", versions) == array("8.4.0", 0x80400));
  CHECK(run("valkey-9.0", versions) == array("7.2.4", 0x70204));
}

TEST_CASE("Valkey has the table server, which redis is another name of") {
  CHECK(run("valkey-9.0",
            "return {server.call('PING'), server.SERVER_NAME, server.SERVER_VERSION, "
            "server.SERVER_VERSION_NUM, server == redis and 1 or 0}") ==
        array(status("PONG"), "valkey", "9.0.0", 0x90000, 1));
  CHECK(run("valkey-9.0", "server.call = nil").text().find("readonly") != std::string::npos);
  for (const char* profile : {"redis-7.0", "redis-8.4", "all"}) {
    INFO(profile);
    CHECK(run(profile, "return server").text().find("nonexistent global variable 'server'") !=
          std::string::npos);
    CHECK(run(profile, "return redis.SERVER_NAME").is_null());
  }
}

TEST_CASE("a library of functions of Valkey registers them by server") {
  Options options;
  options.profile = "valkey-9.0";
  Emulator redis{options};
  auto client = redis.connect();
  CHECK(client.call("FUNCTION", "LOAD",
                    "#!lua name=lib\nserver.register_function('f', function() return "
                    "server.call('PING') end)") == "lib");
  CHECK(client.call("FCALL", "f", 0) == status("PONG"));
}

TEST_CASE("newer servers have os.clock and nothing else of os; it counts instructions") {
  const std::string names =
      "local names = {} for name in pairs(os) do names[#names + 1] = name end return names";
  const std::string clock =
      "local a = os.clock() for i = 1, 100000 do end local b = os.clock() "
      "return {a >= 0 and 1 or 0, b > a and 1 or 0, tostring(b)}";
  for (const char* profile : {"redis-8.4", "valkey-9.0", "all"}) {
    INFO(profile);
    CHECK(run(profile, names) == array("clock"));
    const Reply times = run(profile, clock);
    CHECK(times[0] == 1);
    CHECK(times[1] == 1);
    CHECK(run(profile, clock) == times);
    CHECK(run(profile, "os.clock = nil").is_error());
  }
  CHECK(run("redis-7.0", "return os").is_error());
}

}  // namespace
}  // namespace picklock
