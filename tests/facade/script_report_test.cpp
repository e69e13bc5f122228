// What the public API tells of scripts: their log, their calls, coverage, keys not declared.
#include <algorithm>

#include <picklock/emulator.hpp>

#include "lua/scripts.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace picklock::replies;

constexpr const char* kRelease =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
    "  return redis.call('DEL', KEYS[1])\n"
    "end\n"
    "return 0";

TEST_CASE("redis.log can be read with its levels and instants, and cleared") {
  Emulator redis;
  auto client = redis.connect();
  client.call("EVAL", "redis.log(redis.LOG_WARNING, 'held by', ARGV[1], 7, {}, nil)", 0, "bob");
  redis.advance(5ms);
  client.call("EVAL", "redis.log(redis.LOG_DEBUG, 'a\\0b') redis.log(redis.LOG_NOTICE, '')", 0);
  const std::vector<LogLine> log = redis.script_log();
  REQUIRE(log.size() == 3);
  CHECK(log[0] == LogLine{LogLevel::warning, "held by bob 7", kDefaultStart});
  CHECK(log[1] == LogLine{LogLevel::debug, "a", kDefaultStart + 5ms});
  CHECK(log[2] == LogLine{LogLevel::notice, "", kDefaultStart + 5ms});
  redis.clear_script_log();
  CHECK(redis.script_log().empty());
}

TEST_CASE("functions log too, and only the last ten thousand lines are kept") {
  Emulator redis;
  auto client = redis.connect();
  client.call(
      "FUNCTION", "LOAD",
      "#!lua name=lib\nredis.register_function('f', function() redis.log(2, 'from f') end)");
  client.call("FCALL", "f", 0);
  CHECK(redis.script_log().at(0).text == "from f");
  client.call("EVAL", "for i = 1, 10500 do redis.log(redis.LOG_NOTICE, i) end", 0);
  CHECK(redis.script_log().size() == 10'000);
  CHECK(redis.script_log().front().text == "501");
}

TEST_CASE("a call is noted with its line, words, reply, and what it changed") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "lock", "alice", "PX", 1500);
  redis.name_script(kRelease, "release.lua");
  redis.watch_scripts();
  CHECK(client.call("EVAL", kRelease, 1, "lock", "alice") == 1);
  const ScriptReport report = redis.script_report();
  REQUIRE(report.calls.size() == 2);
  CHECK(report.calls[0].script == "release.lua");
  CHECK(report.calls[0].line == 1);
  CHECK(report.calls[0].words == std::vector<std::string>{"GET", "lock"});
  CHECK(report.calls[0].reply == "alice");
  CHECK(report.calls[0].changes.empty());
  CHECK(report.calls[1].line == 2);
  CHECK(report.calls[1].reply == 1);
  REQUIRE(report.calls[1].changes.size() == 1);
  CHECK(report.calls[1].changes[0] ==
        ScriptReport::Change{0, "lock", "string \"alice\" expires in 1500 ms", ""});
  CHECK(report.to_string() ==
        "release.lua:1: \"GET\" \"lock\" -> \"alice\"\n"
        "release.lua:2: \"DEL\" \"lock\" -> (integer) 1\n"
        "    db0 \"lock\": string \"alice\" expires in 1500 ms => nothing\n"
        "release.lua: 2 of 3 lines ran; never 4\n");
}

TEST_CASE("coverage counts lines, also of functions in a script, and adds up over runs") {
  const std::string script =
      "local function twice(x)\n  return x * 2\nend\nlocal sum = 0\nfor i = 1, 3 do\n"
      "  sum = sum + twice(i)\nend\nif sum < 0 then\n  sum = 0\nend\nreturn sum";
  const auto run = [&script] {
    Emulator redis;
    auto client = redis.connect();
    redis.name_script(script, "sum.lua");
    redis.watch_scripts();
    client.call("EVAL", script, 0);
    return redis.script_report();
  };
  ScriptReport report = run();
  REQUIRE(report.coverage.size() == 1);
  using Line = ScriptReport::Line;
  CHECK(report.coverage[0].script == "sum.lua");
  CHECK(report.coverage[0].lines ==
        std::vector<Line>{{2, 3}, {3, 1}, {4, 1}, {5, 4}, {6, 3}, {8, 1}, {9, 0}, {11, 1}});
  report.add(run());
  CHECK(report.coverage[0].lines[4] == Line{6, 6});
}

TEST_CASE("a key that is not in KEYS is warned of once a line") {
  Emulator redis;
  auto client = redis.connect();
  redis.watch_scripts();
  client.call("EVAL",
              "for i = 1, 3 do redis.call('SET', 'hidden', i) end\n"
              "return redis.call('MGET', KEYS[1], 'other')",
              1, "shown");
  const ScriptReport report = redis.script_report();
  REQUIRE(report.undeclared.size() == 2);
  CHECK(report.undeclared[0].line == 1);
  CHECK(report.undeclared[0].command == "SET");
  CHECK(report.undeclared[0].key == "hidden");
  CHECK(report.undeclared[1].key == "other");
}

TEST_CASE("an error names the file and line of a script that has a name") {
  Emulator redis;
  auto client = redis.connect();
  const std::string script = "local n = 1\nreturn redis.call('INCR', KEYS[1])";
  redis.name_script(script, "lua/scripts/count.lua");
  client.call("SET", "k", "text");
  redis.watch_scripts();
  client.call("EVAL", script, 1, "k");
  CHECK(redis.script_report().errors ==
        std::vector<ScriptReport::Error>{
            {"lua/scripts/count.lua", 2, "ERR value is not an integer or out of range"}});
}

TEST_CASE("the scripts of lua/scripts/ have the names of their files") {
  Emulator redis;
  auto client = redis.connect();
  client.call("HSET", "lock", "owner", "alice");
  redis.watch_scripts();
  const std::string_view text = scripts::find("set_nx_px_release");
  REQUIRE_FALSE(text.empty());
  CHECK(client.call("EVAL", std::string{text}, 1, "lock", "alice").is_error());
  const ScriptReport report = redis.script_report();
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].script == "lua/scripts/set_nx_px_release.lua");
  CHECK(std::string{text}.find("redis.call") != std::string::npos);
  CHECK(report.errors[0].line ==
        1 + std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(text.find("redis.call")), '\n'));
}

TEST_CASE("covering keeps lines, and each warning and error once, but no calls") {
  Emulator redis;
  auto client = redis.connect();
  redis.cover_scripts();
  const std::string script =
      "redis.call('SET', 'hidden', 'x')\nif #KEYS > 0 then\n"
      "  return 1\nend\nreturn redis.call('INCR', 'hidden')";
  redis.name_script(script, "half.lua");
  for (int i = 0; i < 3; ++i) client.call("EVAL", script, 0);
  const ScriptReport report = redis.script_report();
  CHECK(report.calls.empty());
  CHECK(report.to_string() ==
        "half.lua:1: warning: SET uses the key \"hidden\", which is not in KEYS\n"
        "half.lua:5: warning: INCR uses the key \"hidden\", which is not in KEYS\n"
        "half.lua:5: error: ERR value is not an integer or out of range\n"
        "half.lua: 3 of 4 lines ran; never 3\n");
  CHECK(report.coverage.at(0).lines.at(0) == ScriptReport::Line{1, 3});
}

TEST_CASE("watching changes neither replies nor counters, and ends") {
  const auto session = [](bool watched) {
    Emulator redis;
    auto client = redis.connect();
    redis.watch_scripts(watched);
    std::string replies;
    for (const char* script :
         {"return redis.call('SET', 'k', 'v')", "return redis.call('HGET', 'k', 'f')",
          "return redis.pcall('HGET', 'k', 'f')",
          "redis.setresp(3) return redis.call('HGETALL', 'h')", "error('boom')",
          "return pcall(redis.call, 'nonsense')",
          "local co = coroutine.wrap(function() return redis.call('GET', 'k') end) return co()"})
      replies += client.call("EVAL", script, 0).to_string() + "\n";
    return replies + client.call("INFO", "errorstats").text() +
           client.call("INFO", "commandstats").text();
  };
  CHECK(session(true) == session(false));
  Emulator redis;
  auto client = redis.connect();
  redis.watch_scripts();
  redis.watch_scripts(false);
  client.call("EVAL", "return redis.call('GET', 'k')", 0);
  CHECK(redis.script_report().calls.empty());
}

}  // namespace
}  // namespace picklock
