#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

struct Case {
  const char* script;
  const char* reply;
};

void check_all(std::initializer_list<Case> cases) {
  ScriptRunner run;
  for (const Case& c : cases) {
    INFO(c.script);
    CHECK(run(c.script) == c.reply);
  }
}

const std::string kReadOnlyAt =
    "-ERR user_script:1: Attempt to modify a readonly table script: SHA, on @user_script:1.";
const std::string kReadOnly =
    "-ERR Attempt to modify a readonly table script: SHA, on @user_script:1.";

TEST_CASE("An assignment to a global or a library is refused with its position") {
  ScriptRunner run;
  for (const char* script :
       {"redis.call=nil", "string.foo=1", "foo=1", "KEYS={}", "ARGV=nil", "_G.x=1", "_G['print']=1",
        "getmetatable('').__index=nil", "getmetatable(_G).__index=nil", "cjson.x=1", "bit.x=1",
        "math.random=1", "redis=nil"}) {
    INFO(script);
    CHECK(run(script) == kReadOnlyAt);
  }
}

TEST_CASE("A function that goes round metamethods is refused without a position") {
  ScriptRunner run;
  for (const char* script :
       {"rawset(_G,'x',1)", "rawset(redis,'x',1)", "setmetatable(_G,{})", "setmetatable(redis,{})",
        "table.insert(redis,1)", "table.insert(_G,1,2)", "rawset(getmetatable(''),'x',1)",
        "setmetatable(getmetatable(_G),{})"}) {
    INFO(script);
    CHECK(run(script) == kReadOnly);
  }
}

TEST_CASE("An unknown global cannot be read") {
  check_all({{"return foo",
              "-ERR user_script:1: Script attempted to access nonexistent global variable 'foo' "
              "script: SHA, on @user_script:1."},
             {"print(1)",
              "-ERR user_script:1: Script attempted to access nonexistent global variable 'print' "
              "script: SHA, on @user_script:1."},
             {"return _G[{}]",
              "-ERR user_script:1: Second argument to luaProtectedTableError must be a string or "
              "number script: SHA, on @user_script:1."},
             {"return redis.foo", "$-1"},
             {"return rawget(_G,'foo')", "$-1"}});
}

TEST_CASE("The contents of KEYS and ARGV can be written") {
  check_all({{"KEYS[1]='z' return KEYS", "*1 $1 z"},
             {"table.insert(ARGV,'z') return ARGV", "*3 $2 a1 $2 a2 $1 z"}});
}

TEST_CASE("What one script writes into KEYS is gone in the next") {
  ScriptRunner run;
  run("KEYS.x='left' setmetatable(KEYS,{__index=function() return 'left' end})");
  CHECK(run("return {tostring(KEYS.x),tostring(KEYS[9]),KEYS[1]}") == "*3 $3 nil $3 nil $2 k1");
}

TEST_CASE("Reading functions see through the read-only tables") {
  check_all({{"local n=0 for k in pairs(redis) do n=n+1 end return n", ":23"},
             {"return rawget(redis,'call')==redis.call", ":1"},
             {"return tostring(getmetatable(redis))", "$3 nil"},
             {"return next(redis)", "$3 log"},
             {"return next(_G)", "$6 string"},
             {"return table.foreach(redis,function(k) return k end)", "$3 log"},
             {"return getmetatable('').__index==string", ":1"},
             {"local n,t=pairs(redis) return {n==next,t==redis}", "*2 $-1 :1"},
             {"return {rawequal(_G,_G._G),#redis,table.maxn(redis)}", "*3 :1 :0 :0"}});
}

TEST_CASE("The names of redis come in the order of the real server") {
  ScriptRunner run;
  CHECK(run("local t={} for k in pairs(redis) do t[#t+1]=k end return table.concat(t,' ')") ==
        "$243 log LOG_WARNING error_reply REPL_AOF call REPL_ALL REDIS_VERSION_NUM REPL_SLAVE "
        "pcall LOG_NOTICE set_repl debug LOG_DEBUG sha1hex REDIS_VERSION status_reply "
        "acl_check_cmd REPL_REPLICA breakpoint setresp replicate_commands LOG_VERBOSE REPL_NONE");
}

TEST_CASE("No bytecode is loaded, however it comes") {
  check_all({{"local _,e=loadstring('\\27Lua') return e",
              "$52 [string \"\x1bLua\"]:1: unexpected symbol near 'char(27)'"},
             {"return tostring(loadstring(string.dump(function() end)))", "$3 nil"},
             {"local n=0 local f=load(function() n=n+1 if n==1 then return '\\27Lua' end end) "
              "return tostring(f)",
              "$3 nil"},
             {"\x1bLua",
              "-ERR Error compiling script (new function): user_script:1: unexpected symbol near "
              "'char(27)'"}});
}

TEST_CASE("Objects are shown by number and never by address") {
  check_all({{"local a,b={},{} return {tostring(a),tostring(b),tostring(a)}",
              "*3 $21 table: 0x000000000001 $21 table: 0x000000000002 $21 table: 0x000000000001"},
             {"return tostring(redis.call)", "$24 function: 0x000000000001"},
             {"return tostring(cjson.null)", "$15 userdata: (nil)"}});
}

TEST_CASE("The memory that a script sees does not depend on earlier scripts") {
  ScriptRunner fresh;
  const std::string first = fresh("local t={} for i=1,100 do t[i]={} end return gcinfo()");
  ScriptRunner used;
  for (int i = 0; i < 3000; ++i) used("local t={} for i=1,10 do t[i]={i} end return #t");
  CHECK(used("local t={} for i=1,100 do t[i]={} end return gcinfo()") == first);
}

// Scripts that only read them share one KEYS and ARGV with those that ran before.
TEST_CASE("A script sees its own words, whatever those before it had and did") {
  ScriptRunner run;
  const char* const look = "return {KEYS[1],#ARGV,ARGV[1] or '-',ARGV[3] or '-'}";
  std::string error;
  const Interpreter::Handle script = run.interpreter.compile("", look, error);
  const auto look_at = [&](std::vector<std::string_view> argv) {
    std::string bytes;
    RespWriter writer{bytes, 2};
    run.interpreter.run(script, run.keys, argv, run.host, writer);
    return bytes;
  };
  const std::string none = "*4\r\n$2\r\nk1\r\n:0\r\n$1\r\n-\r\n$1\r\n-\r\n";
  const std::string three = "*4\r\n$2\r\nk1\r\n:3\r\n$1\r\nx\r\n$1\r\nz\r\n";
  const std::string many = "*4\r\n$2\r\nk1\r\n:40\r\n$1\r\nw\r\n$1\r\nw\r\n";
  for (const char* other :
       {"local k=KEYS k[1]='z' ARGV[1]='z' ARGV[5]='z' return 1", "KEYS[1]=nil return 1",
        "local f=function() return ARGV end f()[3]='z' return 1", "return gcinfo()<0",
        "local t={} t.a=ARGV t.a.n=1 setmetatable(KEYS,{__index=ARGV}) return 1",
        "return loadstring('KEYS[1]=5')()", "_G.ARGV[3]=1 return 1", "return ARGV[3]"}) {
    INFO(other);
    run(other);
    CHECK(look_at({}) == none);
    CHECK(look_at({"x", "y", "z"}) == three);
    CHECK(look_at({"x", "y", "z"}) == three);
    CHECK(look_at({}) == none);
  }
  CHECK(look_at(std::vector<std::string_view>(40, "w")) == many);
  CHECK(look_at({"x", "y", "z"}) == three);
}

TEST_CASE("What is read by way of a variable, a function or loaded code is the same") {
  check_all(
      {{"local k=KEYS k[1]='z' return KEYS[1]", "$1 z"},
       {"local k=KEYS local x=k[1] k[2]='y' return #KEYS", ":2"},
       {"local f=function() return KEYS end f()[1]='z' return KEYS[1]", "$1 z"},
       {"return loadstring('return KEYS[1]..#ARGV')()", "$3 k12"},
       {"return {_G.KEYS[1],rawequal(_G.ARGV,ARGV),rawequal(_G.redis,redis)}", "*3 $2 k1 :1 :1"},
       {"return KEYS", "*1 $2 k1"},
       {"local i=0 return KEYS[i+1]..ARGV[2*i+2]..ARGV[(i+1)^2]", "$6 k1a2a1"},
       {"local i=0 local k=KEYS k[i+1]='z' return KEYS[i+1]", "$1 z"},
       {"local i=1 KEYS[i-0]='z' return KEYS[i]", "$1 z"},
       {"local ok,e=pcall(function() return ARGV*2 end) return e",
        "$77 user_script:1: attempt to perform arithmetic on global 'ARGV' (a table value)"},
       {"local t=setmetatable({},{__add=function(a,b) KEYS[1]='z' return 1 end}) "
        "return {KEYS[t+1],KEYS[1]}",
        "*2 $1 z $1 z"},
       {"local a={ARGV,ARGV[2],#ARGV} return {a[1][1],a[2],a[3],a[1]==ARGV}",
        "*4 $2 a1 $2 a2 :2 :1"},
       {"return (false or ARGV)[#KEYS]..(KEYS and ARGV or KEYS)[2]", "$4 a1a2"},
       {"local r={redis.call} return r[1]==redis.call", ":1"},
       {"return redis['status_reply']('x')", "+x"},
       {"local r=redis r.call=nil", kReadOnlyAt.c_str()},
       {"(redis or {}).call=nil", kReadOnlyAt.c_str()},
       {"return redis:sha1hex()", "$40 da39a3ee5e6b4b0d3255bfef95601890afd80709"}});
}

TEST_CASE("unpack gives as many values as the real server and no more") {
  check_all({{"return select('#',unpack({},1,7990))", ":7990"},
             {"return unpack({},1,8000)",
              "-ERR user_script:1: too many results to unpack script: SHA, on @user_script:1."},
             {"return unpack({},-2147483648,2147483647)",
              "-ERR user_script:1: too many results to unpack script: SHA, on @user_script:1."}});
}

TEST_CASE("cjson and bit answer as the real server") {
  check_all({{"return cjson.encode({})", "$2 {}"},
             {"return cjson.encode({1,2,{a='b'}})", "$15 [1,2,{\"a\":\"b\"}]"},
             {"return cjson.decode('{')",
              "-ERR user_script:1: Expected object key string but found T_END at character 2 "
              "script: SHA, on @user_script:1."},
             {"return cjson.encode({[1]=1,[100]=1})",
              "-ERR user_script:1: Cannot serialise table: excessively sparse array script: SHA, "
              "on @user_script:1."},
             {"return bit.tohex(255)", "$8 000000ff"}});
}

}  // namespace
}  // namespace picklock::lua
