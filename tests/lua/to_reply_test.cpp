#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

struct Case {
  const char* script;
  const char* resp2;
  const char* resp3;
};

TEST_CASE("Lua values leave as the replies of the real server") {
  ScriptRunner run;
  for (const Case& c : std::initializer_list<Case>{
           {"return 3.99", ":3", ":3"},
           {"return -3.99", ":-3", ":-3"},
           {"return 0/0", ":-9223372036854775808", ":-9223372036854775808"},
           {"return 1e300", ":-9223372036854775808", ":-9223372036854775808"},
           {"return true", ":1", ":1"},
           {"return false", "$-1", "_"},
           {"return nil", "$-1", "_"},
           {"redis.setresp(3) return {true,false}", "*2 :1 :0", "*2 #t #f"},
           {"return {1,2,nil,4}", "*2 :1 :2", "*2 :1 :2"},
           {"return {1,false,{3,{}}}", "*3 :1 $-1 *2 :3 *0", "*3 :1 _ *2 :3 *0"},
           {"return {ok='a\\r\\nb'}", "+a  b", "+a  b"},
           {"return {err='x'}", "-x", "-x"},
           {"return {err='a\\r\\n'}", "-a", "-a"},
           {"return {double=1.5}", "$3 1.5", ",1.5"},
           {"return {map={a=1}}", "*2 $1 a :1", "%1 $1 a :1"},
           {"return {set={a=1}}", "*1 $1 a", "~1 $1 a"},
           {"return {big_number='123'}", "$3 123", "(123"},
           {"return {verbatim_string={format='markdown',string='hi'}}", "$2 hi", "=6 mar:hi"},
           {"return {verbatim_string={format='t',string='hi'}}", "$2 hi", "=6 t  :hi"},
           {"return {verbatim_string={string='hi'}}", "*0", "*0"},
           {"return function() end", "$-1", "_"}}) {
    INFO(c.script);
    CHECK(run(c.script) == c.resp2);
    CHECK(run(c.script, 3) == c.resp3);
  }
}

TEST_CASE("A reply may be nested exactly as deep as on the real server") {
  ScriptRunner run;
  const auto nested = [&](int depth) {
    return run("local t={} for i=1," + std::to_string(depth) + " do t={t} end return t");
  };
  CHECK(nested(7994).find("reached lua stack limit") == std::string::npos);
  CHECK(nested(8000).find("-ERR reached lua stack limit") != std::string::npos);
}

TEST_CASE("Numbers become words in 17 significant digits") {
  ScriptRunner run;
  for (const auto& [number, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1e16", "$17 10000000000000000"},
           {"1e17", "$5 1e+17"},
           {"2^62", "$22 4.6116860184273879e+18"},
           {"1e-5", "$22 1.0000000000000001e-05"},
           {"-0", "$2 -0"},
           {"0/0", "$4 -nan"},
           {"-5", "$2 -5"},
           {"1/0", "$3 inf"}}) {
    INFO(number);
    CHECK(run("local n=" + std::string{number} + " return redis.call('echo',n)") == text);
  }
}

}  // namespace
}  // namespace picklock::lua
