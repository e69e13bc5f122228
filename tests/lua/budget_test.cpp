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

TEST_CASE("What a library function does in C counts too") {
  ScriptRunner run{{.instruction_budget = 10'000'000}};
  for (const char* script :
       {"return string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 41))",
        "return string.gsub(string.rep('a', 1000), '.-.-.-.-b', '')",
        "for _ in string.gmatch(string.rep('a', 1000), '.-.-.-.-b') do end",
        "return string.match(string.rep('(', 100000), '%b()%b()') or string.rep('', 1) and "
        "string.match(string.rep('ab', 10000), '.-.-.-c')",
        "local s = string.rep('x', 1e6) while true do local t = s .. '.' end",
        "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.insert(t, 1, 0) "
        "table.remove(t, 1) end",
        "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t) end",
        "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.maxn(t) end",
        "table.insert({1}, -2^31, 'x')",
        "local s = 'return ' .. string.rep('1+', 1e5) .. '1' for i = 1, 50 do loadstring(s) end",
        "local s = string.rep(' ', 1e5) for i = 1, 50 do local n = 0 load(function() n = n + 1 "
        "return n < 2 and s or nil end) end",
        "local t = {} for i = 1, 40 do t = {t, t} end return cjson.encode(t)",
        "local t = {} for i = 1, 40 do t = {t, t} end return cjson.new().encode(t)",
        "local t = {} for i = 1, 20 do t = {t, t, t, t} end while true do cmsgpack.pack(t) end"}) {
    INFO(script);
    CHECK(run(script) == kKilled);
  }
}

TEST_CASE("Switching between coroutines counts more than its one instruction") {
  ScriptRunner run{{.instruction_budget = 100'000}};
  CHECK(run("local co = coroutine.wrap(function() while true do coroutine.yield() end end) "
            "for i = 1, 6000 do co() end return 1") == kKilled);
  CHECK(run("local co = coroutine.create(function() while true do coroutine.yield() end end) "
            "for i = 1, 6000 do coroutine.resume(co) end return 1") == kKilled);
  CHECK(run("local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 "
            "end) return {co(1), co(5)}") == "*2 :2 :10");
}

TEST_CASE("A pattern nested too deeply is an error") {
  ScriptRunner run{{}};
  CHECK(run("return string.match(string.rep('a', 200000), string.rep('a?', 200000))") ==
        "-ERR user_script:1: pattern too complex script: SHA, on @user_script:1.");
}

TEST_CASE("A table that contains itself twice over and over is cut off, not written for ever") {
  Interpreter interpreter;
  FakeHost host;
  std::string bytes;
  std::string error;
  RespWriter writer{bytes};
  const auto script =
      interpreter.compile("", "local t = {} for i = 1, 40 do t = {t, t} end return t", error);
  interpreter.run(script, {}, {}, host, writer);
  CHECK(bytes.size() < 200'000'000);
}

TEST_CASE("Keys that are objects come last, in the order in which they were made") {
  ScriptRunner run{{}};
  const std::string script =
      "local a, b, c = {n = 1}, function() end, {n = 3} "
      "local d = coroutine.create(b) "
      "local t = {[d] = 4, [c] = 3, x = 0, [a] = 1, [b] = 2} local o = {} "
      "for k, v in pairs(t) do o[#o + 1] = v end for k, v in next, t do o[#o + 1] = v end return o";
  const std::string order = "*10 :0 :1 :2 :3 :4 :0 :1 :2 :3 :4";
  CHECK(run(script) == order);
  CHECK(run("local t = {} for i = 1, 100 do t[{}] = i end local last = 0 for _, v in pairs(t) do "
            "assert(v == last + 1) last = v end return last") == ":100");
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
