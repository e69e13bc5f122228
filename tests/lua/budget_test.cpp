#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

const std::string kKilled =
    "-ERR Script killed by user with SCRIPT KILL... script: SHA, on @user_script:1.";

TEST_CASE("A script beyond its budget is killed, whatever it catches") {
  ScriptRunner run{{.instruction_budget = 10'000}};
  for (const char* script :
       {"while true do end", "while true do pcall(function() while true do end end) end",
        "while true do pcall(redis.call,'get','x') end",
        "local co=coroutine.wrap(function() while true do end end) co()",
        "while true do coroutine.wrap(function() for i=1,900 do end end)() end"}) {
    INFO(script);
    CHECK(run(script) == kKilled);
    CHECK(run("return 1") == ":1");
  }
}

TEST_CASE("The host is asked again after every further budget") {
  ScriptRunner run{{.instruction_budget = 10'000}};
  run.host.stop_at = 5;
  CHECK(run("while true do end") == kKilled);
  CHECK(run.host.asked == 5);
}

TEST_CASE("A script within its budget is not disturbed, nor is the next one") {
  ScriptRunner run{{.instruction_budget = 10'000}};
  for (int i = 0; i < 20; ++i) CHECK(run("for i=1,5000 do end return 1") == ":1");
  CHECK(run.host.asked == 0);
}

TEST_CASE("A script that wants too much memory fails and harms nobody") {
  ScriptRunner run{{.heap_limit_bytes = 4U << 20}};
  const std::string reply = run("local s='x' while true do s=s..s end");
  CHECK(reply == "-ERR Error running script SHA, not enough memory");
  CHECK(run("local t={} for i=1,1e9 do t[i]={} end") ==
        "-ERR Error running script SHA, not enough memory");
  CHECK(run("return 1") == ":1");
}

}  // namespace
}  // namespace picklock::lua
