#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

TEST_CASE("A RESP2 script gets every kind of reply as RESP2 has it") {
  ScriptRunner run;
  CHECK(run("return redis.call('kinds')") ==
        "*9 *2 $1 k :1 *1 $1 m :1 $3 1.5 $3 123 $2 hi *0 +fine -ERR inside");
  CHECK(run.host.last_version == 2);
}

TEST_CASE("A RESP3 script gets every kind of reply in its table") {
  ScriptRunner run;
  CHECK(run("redis.setresp(3) return redis.call('kinds')", 3) ==
        "*9 %1 $1 k :1 ~1 $1 m #t ,1.5 (123 =6 txt:hi *0 +fine -ERR inside");
  CHECK(run("redis.setresp(3) local r=redis.call('kinds') return {r[1].map.k,r[2].set.m,r[3],"
            "r[4].double*2,r[5].big_number,r[6].verbatim_string.format}",
            3) == "*6 :1 #t #t :3 $3 123 $3 txt");
  CHECK(run.host.last_version == 3);
}

TEST_CASE("A missing value is false to a RESP2 script and nil to a RESP3 script") {
  ScriptRunner run;
  CHECK(run("return tostring(redis.call('get','none'))") == "$5 false");
  CHECK(run("redis.setresp(3) return tostring(redis.call('get','none'))") == "$3 nil");
}

TEST_CASE("setresp lasts for one script only") {
  ScriptRunner run;
  run("redis.setresp(3)");
  CHECK(run("return tostring(redis.call('get','none'))") == "$5 false");
}

TEST_CASE("Keys, values and replies keep their NUL bytes") {
  ScriptRunner run;
  CHECK(run("redis.call('set','a\\0b','c\\0d') return #redis.call('get','a\\0b')") == ":3");
  CHECK(run.host.data.contains(std::string("a\0b", 3)));
}

TEST_CASE("A reply deeper than the Lua stack and a missing reply become errors") {
  ScriptRunner run;
  CHECK(run("return redis.pcall('deep')") == "-ERR reached lua stack limit");
  CHECK(run("return redis.pcall('silent')") == "-ERR the command wrote no complete reply");
}

}  // namespace
}  // namespace picklock::lua
