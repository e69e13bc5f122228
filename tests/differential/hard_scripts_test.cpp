// Scripts that are long, deep or wide, and every lock script with every ttl that somebody may send,
// on the real server and on the emulator.
#include "lua/scripts.hpp"
#include "tests/differential/campaign.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

std::string times(std::size_t count, std::string_view text) {
  std::string result;
  for (; count > 0; --count) result += text;
  return result;
}

Action commands(std::vector<Words> words) {
  Action action;
  action.commands = std::move(words);
  return action;
}

// Says what differs, and of which request.
void check_alike(const Sequence& sequence) {
  RealRedis real;
  for (const int resp : {2, 3}) {
    Normalisers normalisers;
    SideBySide servers{real, [](std::int64_t now_ms) { return make_candidate(now_ms, ""); },
                       normalisers};
    const auto difference = servers.run(sequence, resp);
    INFO("RESP" << resp);
    INFO((difference ? difference->request.substr(0, 300) : ""));
    INFO("redis-server: " << (difference ? difference->theirs.substr(0, 300) : ""));
    INFO("emulator: " << (difference ? difference->ours.substr(0, 300) : ""));
    CHECK_FALSE(difference);
  }
}

Sequence evals(const std::vector<std::string>& scripts) {
  Sequence sequence;
  for (const std::string& script : scripts) sequence.push_back(commands({{"EVAL", script, "0"}}));
  return sequence;
}

}  // namespace

TEST_CASE("scripts nested deeply are refused, or run, as on Redis") {
  std::vector<std::string> scripts;
  for (const std::size_t depth :
       {60u, 150u, 190u, 195u, 197u, 198u, 199u, 200u, 201u, 250u, 10'000u}) {
    scripts.push_back("return " + times(depth, "(") + "1" + times(depth, ")"));
    scripts.push_back("return #" + times(depth, "{") + times(depth, "}"));
    scripts.push_back("return " + times(depth, "-") + "1");
    scripts.push_back("return " + times(depth, "- ") + "1");
    scripts.push_back("return " + times(depth, "not ") + "1");
    scripts.push_back(times(depth, "do ") + times(depth, " end") + " return 1");
    scripts.push_back(times(depth, "if 1 then ") + times(depth, " end") + " return 1");
    scripts.push_back(times(depth, "repeat ") + times(depth, " until true") + " return 1");
    scripts.push_back("return 2" + times(depth, "^1"));
    scripts.push_back("return 'a'" + times(depth, "..'b'"));
    scripts.push_back("local f = " + times(depth, "function() return ") + "1" +
                      times(depth, " end"));
    scripts.push_back(times(depth, "local a ") + "return 1");
    scripts.push_back("local f = function(" + times(depth, "a,") + "a) end return 1");
    scripts.push_back("local " + times(depth, "a,") + "a = 1 return a");
    scripts.push_back("return " + times(depth, "type(") + "1" + times(depth, ")"));
    scripts.push_back("local t = {} return t" + times(depth, "[1]"));
    scripts.push_back("return " + times(depth, "{a="));
    scripts.push_back(times(depth, "("));
    scripts.push_back("return " + times(depth, "#"));
    scripts.push_back("return ''" + times(depth, " == ''"));
    scripts.push_back("return loadstring('return ' .. string.rep('(', " + std::to_string(depth) +
                      "))");
    scripts.push_back("return {loadstring('return ' .. string.rep('{', " + std::to_string(depth) +
                      ") .. string.rep('}', " + std::to_string(depth) + "))} ~= nil");
    scripts.push_back("return cjson.decode('" + times(depth, "[") + times(depth, "]") + "')");
    scripts.push_back("return #cjson.encode(cjson.decode('" + times(depth, "{\"a\":") + "1" +
                      times(depth, "}") + "'))");
    scripts.push_back("local t = {} for i = 1, " + std::to_string(depth) +
                      " do t = {t} end return #cmsgpack.pack(t)");
    scripts.push_back("return {cmsgpack.unpack(string.rep('\\145', " + std::to_string(depth) +
                      ") .. '\\1')} ~= nil");
    scripts.push_back(
        "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end return f(" +
        std::to_string(depth) + ")");
    scripts.push_back(
        "local function f(n) if n > 0 then return 1 + select(2, pcall(f, n - 1)) end "
        "return 0 end return f(" +
        std::to_string(depth) + ")");
    scripts.push_back("local t = setmetatable({}, {}) for i = 1, " + std::to_string(depth) +
                      " do t = setmetatable({}, {__index = t}) end return t.x");
    scripts.push_back("local t = setmetatable({}, {}) for i = 1, " + std::to_string(depth) +
                      " do local u = t t = setmetatable({}, {__index = function(_, k) return u[k] "
                      "end}) end return t.x");
    scripts.push_back("local s = string.rep('a', " + std::to_string(depth) +
                      ") return s:gsub('.', function(c) return c .. c end)");
  }
  check_alike(evals(scripts));
}

TEST_CASE("scripts of ten megabytes are compiled, or refused, as on Redis") {
  constexpr std::size_t kLong = 10'000'000;
  check_alike(
      evals({"--" + std::string(kLong, 'x'), "return #'" + std::string(kLong, 'x') + "'",
             std::string(kLong, '\n') + "return x.y", std::string(kLong, ' '),
             std::string(kLong, ';'), "return " + std::string(kLong, '1'),
             "return #[[" + std::string(kLong, 'y') + "]]", std::string(kLong, 'x'),
             "return '" + std::string(kLong, 'z'), "local " + std::string(kLong, 'n') + " = 1",
             "return {" + times(kLong / 2, "1,") + "}[1]", "#!lua" + std::string(kLong, ' ')}));
}

TEST_CASE("scripts at the limits of Lua's own code are refused as on Redis") {
  std::string constants = "return {";
  for (int i = 0; i < 270'000; ++i) constants += std::to_string(i) + ".5,";
  std::string upvalues;
  for (int i = 0; i < 70; ++i) upvalues += "local v" + std::to_string(i) + " = 1 ";
  upvalues += "return function() return ";
  for (int i = 0; i < 70; ++i) upvalues += (i == 0 ? "v" : " + v") + std::to_string(i);
  const std::string jump = "local a, b for i = 1, 1 do " + times(140'000, "a = b ") + "end";
  check_alike(evals({constants + "} == nil", upvalues + " end", jump, "return " + times(260, "f("),
                     "local t = {" + times(300, "f(),") + "}", "f(" + times(300, "1,") + "1)",
                     "return select('#', " + times(249, "1,") + "1)",
                     "return select('#', " + times(255, "1,") + "1)",
                     "local s = 'x' .. " + times(300, "'a' .. ") + "'b' return s"}));
}

// A call of a script of lua/scripts/ with one key.
Words call(std::string_view script, std::vector<std::string> arguments) {
  Words words{"EVAL", std::string{scripts::find(script)}, "1", "lock"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

constexpr const char* kTtls[] = {"30",
                                 "1",
                                 "0",
                                 "-1",
                                 "1.5",
                                 "0.5",
                                 "",
                                 "nan",
                                 "inf",
                                 "-inf",
                                 "1e3",
                                 "0x10",
                                 "1e17",
                                 "abc",
                                 " 30",
                                 "30 ",
                                 "9223372036854775807",
                                 "99999999999999999999",
                                 "1e300",
                                 "007"};

// What is looked at after every call: value, remaining time, and what the next holder meets.
void look(std::vector<Words>& words) {
  words.push_back({"TYPE", "lock"});
  words.push_back({"PTTL", "lock"});
  words.push_back({"EVAL", "return redis.pcall('GET', 'lock')", "0"});
  words.push_back({"EVAL", "return redis.pcall('HGETALL', 'lock')", "0"});
}

TEST_CASE("every lock script of the gallery answers alike, whatever its ttl") {
  struct Protocol {
    std::string_view acquire, release, renew;
    bool ttl_first;
  };
  constexpr Protocol kProtocols[] = {
      {"simple_setnx_acquire", "simple_setnx_release", "", false},
      {"reentrant_hash_acquire", "reentrant_hash_release", "", false},
      {"set_nx_px_acquire", "set_nx_px_release", "", false},
      {"reentrant_hget_acquire", "reentrant_hget_release", "", false},
      {"reentrant_renew_acquire", "reentrant_renew_release", "reentrant_renew_renew", false},
      {"reentrant_renew_acquire", "reentrant_renew_client_release", "reentrant_renew_client_renew",
       false},
      {"setex_unpack_acquire", "setex_unpack_release", "", true}};
  Sequence sequence;
  for (const Protocol& protocol : kProtocols) {
    REQUIRE_FALSE(scripts::find(protocol.acquire).empty());
    REQUIRE_FALSE(scripts::find(protocol.release).empty());
    for (const std::string ttl : kTtls) {
      const auto acquire = [&](const std::string& owner) {
        return protocol.ttl_first ? call(protocol.acquire, {ttl, owner})
                                  : call(protocol.acquire, {owner, ttl});
      };
      std::vector<Words> words{{"DEL", "lock"}};
      // The owner takes it, again, another asks; everybody gives it back, more often than it was
      // taken.
      for (const char* owner : {"alice", "alice", "bob", "b\0b"}) {
        words.push_back(acquire(owner));
        look(words);
      }
      if (!protocol.renew.empty())
        for (const char* owner : {"alice", "bob"}) {
          words.push_back(call(protocol.renew, {owner, ttl}));
          look(words);
        }
      for (const char* owner : {"bob", "alice", "alice", "alice"}) {
        words.push_back(call(protocol.release, {owner}));
        look(words);
      }
      // Missing and further arguments.
      words.push_back(call(protocol.acquire, {}));
      words.push_back(call(protocol.acquire, {"carol"}));
      look(words);
      words.push_back(call(protocol.acquire, {ttl, ttl, ttl}));
      words.push_back(call(protocol.release, {}));
      // A key of another type.
      for (const Words& key : {Words{"RPUSH", "lock", "x"}, Words{"SET", "lock", "x"},
                               Words{"HSET", "lock", "x", "y"}}) {
        words.push_back({"DEL", "lock"});
        words.push_back(key);
        words.push_back(acquire("alice"));
        words.push_back(call(protocol.release, {"alice"}));
        look(words);
      }
      sequence.push_back(commands(std::move(words)));
    }
  }
  check_alike(sequence);
}

TEST_CASE("the published release with a letter beyond ASCII is refused with the same message") {
  const std::string typo =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
      "  return redis.call('DEL', KEYS[1])\nend\nreturn 0";
  std::vector<std::string> scripts;
  for (const char* letter : {"\xe5", "\xc3\xa5", "\xd0\xb0"}) {
    std::string damaged = typo;
    damaged.insert(damaged.find("ARGV[1]"), letter);
    scripts.push_back(damaged);
    damaged = typo;
    damaged.insert(damaged.find(" then"), letter);
    scripts.push_back(damaged);
  }
  check_alike(evals(scripts));
}

}  // namespace picklock::test
