#include <stdexcept>

#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

const std::string kTail = " script: SHA, on @user_script:1.";

TEST_CASE("What a script raises reaches the client with its code, script and line") {
  ScriptRunner run;
  for (const auto& [script, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"error('boom')", "-ERR user_script:1: boom"},
           {"error('boom',0)", "-ERR boom"},
           {"error()", "-ERR nil"},
           {"error(1)", "-ERR user_script:1: 1"},
           {"error({err='My Err'})", "-My Err"},
           {"error({err='My Err',source='x',line=3})", "-My Err"},
           {"return redis.call('wrongtype')",
            "-WRONGTYPE Operation against a key holding the wrong kind of value"},
           {"return redis.call('nosuch')", "-ERR Unknown Redis command called from script"},
           {"redis.call()", "-ERR Please specify at least one argument for this redis lib call"},
           {"redis.call({})", "-ERR Lua redis lib command arguments must be strings or integers"},
           {"local a=nil; a.b=1", "-ERR user_script:1: attempt to index local 'a' (a nil value)"},
           {"local function f() return f()+1 end return f()", "-ERR user_script:1: stack overflow"},
           {"return redis.sha1hex()", "-ERR wrong number of arguments"},
           {"redis.log(1)", "-ERR redis.log() requires two arguments or more."},
           {"redis.log(9,'x')", "-ERR Invalid debug level."},
           {"redis.setresp(4)", "-ERR RESP version must be 2 or 3."},
           {"redis.acl_check_cmd('nosuch')",
            "-ERR Invalid command passed to redis.acl_check_cmd()"}}) {
    INFO(script);
    CHECK(run(script) == text + kTail);
  }
}

TEST_CASE("A line further down is named") {
  ScriptRunner run;
  CHECK(run("local a=1\nerror('x')") == "-ERR user_script:2: x script: SHA, on @user_script:2.");
}

TEST_CASE("A raised read-only table shows the error handler's own failure") {
  ScriptRunner run;
  CHECK(run("error(redis)") ==
        "-ERR err_handler_def:10: Attempt to modify a readonly table script: SHA, on "
        "@err_handler_def:10.");
}

TEST_CASE("A raised table without an error text is answered with an error") {
  ScriptRunner run;
  const std::string reply = "-ERR the script raised a table without an error text script: SHA.";
  CHECK(run("error({'a'})") == reply);
  CHECK(run("error({ok='a'})") == reply);
  CHECK(run("error(setmetatable({},{__index=function() error('x') end}))") == reply);
  CHECK(run("return 1") == ":1");
}

TEST_CASE("pcall and redis.pcall give errors in the shapes of the real server") {
  ScriptRunner run;
  CHECK(run("return {pcall(redis.call,'nosuch')}") ==
        "*2 $-1 $44 ERR Unknown Redis command called from script");
  CHECK(run("local e=redis.pcall('nosuch') return {e.err,e.ignore_error_stats_update}") ==
        "*2 $44 ERR Unknown Redis command called from script :1");
  CHECK(run("return redis.pcall('wrongtype')") ==
        "-WRONGTYPE Operation against a key holding the wrong kind of value");
  CHECK(run("return {pcall(error,'x')}") == "*2 $-1 $1 x");
  CHECK(run("return {pcall(error,{err='x y'})}") == "*2 $-1 $3 x y");
}

TEST_CASE("redis.error_reply adds the code ERR to a single word only") {
  ScriptRunner run;
  CHECK(run("return redis.error_reply('My Err')") == "-My Err");
  CHECK(run("return redis.error_reply('MyErr')") == "-ERR MyErr");
  CHECK(run("return redis.error_reply('-My Err')") == "-My Err");
  CHECK(run("return redis.error_reply('a b\\r\\n')") == "-a b");
  CHECK(run("return redis.error_reply({})") == "-ERR wrong number or type of arguments");
}

TEST_CASE("A script that does not compile says where") {
  ScriptRunner run;
  CHECK(run("local x = = 1") ==
        "-ERR Error compiling script (new function): user_script:1: unexpected symbol near '='");
  CHECK(run("\xef\xbb\xbfreturn 1") ==
        "-ERR Error compiling script (new function): user_script:1: unexpected symbol near "
        "'\xef'");
}

TEST_CASE("A shebang line is skipped and keeps its number") {
  ScriptRunner run;
  CHECK(run("#!lua\nerror('x')") == "-ERR user_script:2: x script: SHA, on @user_script:2.");
  CHECK(run("#!lua") == "-ERR Invalid script shebang");
}

TEST_CASE("An exception of the host ends the script and leaves run") {
  ScriptRunner run;
  run.host.throws = true;
  CHECK_THROWS_AS(run("while true do pcall(redis.call,'get','x') end"), std::runtime_error);
  run.host.throws = false;
  CHECK(run("return 1") == ":1");
}

}  // namespace
}  // namespace picklock::lua
