#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

TEST_CASE("math.random starts where a fresh server starts and goes on from script to script") {
  ScriptRunner run;
  CHECK(run("return math.random(1,1000000)") == ":396465");
  CHECK(run("return math.random(1,1000000)") == ":840486");
}

TEST_CASE("math.randomseed starts the sequences of the real server") {
  ScriptRunner run;
  const auto after = [&](const char* seed) {
    return run("math.randomseed(" + std::string{seed} +
               ") return {math.random(1000000),math.random(1000000),tostring(math.random())}");
  };
  CHECK(after("42") == "*3 :744526 :342702 $16 0.11108528222474");
  CHECK(after("-1") == "*3 :300026 :45312 $16 0.35792609320857");
  CHECK(after("1e300") == "*3 :170829 :749902 $16 0.09637165539729");
  CHECK(after("3.99") == "*3 :783235 :863674 $16 0.31170834336044");
}

TEST_CASE("The generator's state can be carried to another interpreter") {
  ScriptRunner first;
  first("return math.random()");
  ScriptRunner second;
  second.interpreter.set_lasting_state(first.interpreter.lasting_state());
  CHECK(first("return tostring(math.random())") == second("return tostring(math.random())"));
}

}  // namespace
}  // namespace picklock::lua
