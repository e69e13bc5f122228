// The generator's scripts. Never `error` with a table that has no string `err`: that kills
// redis-server 7.0.15.
#include <algorithm>
#include <array>

#include "emulator/base/sha1.hpp"
#include "emulator/base/text.hpp"
#include "tests/differential/generator.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

constexpr std::array kNumbers{"0"sv,     "1"sv,    "-1"sv,     "3.99"sv,  "-3.99"sv, "1e15"sv,
                              "1e16"sv,  "1e17"sv, "2^53"sv,   "2^62"sv,  "2^63"sv,  "1e-5"sv,
                              "0.1"sv,   "1/3"sv,  "1/0"sv,    "-1/0"sv,  "0/0"sv,   "-(0/0)"sv,
                              "1e300"sv, "'10'"sv, "'0x10'"sv, "' 5 '"sv, "5e-324"sv};
constexpr std::array kStrings{"''"sv,         "'a'"sv,  "'\\0\\255'"sv,
                              "'MY error'"sv, "'10'"sv, "'line\\r\\nbreak'"sv};
constexpr std::array kOperators{" + "sv,  " - "sv,  " * "sv, " / "sv, " % "sv,
                                " .. "sv, " == "sv, " < "sv, " <= "sv};

// Lock scripts and others that are loaded once and called by their hashes.
constexpr std::array kLoaded{
    "return redis.call(unpack(ARGV))"sv,
    "return redis.pcall(unpack(ARGV))"sv,
    "return {KEYS[1], ARGV[1], #KEYS, #ARGV}"sv,
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"sv,
    "if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then redis.call('expire', KEYS[1], 5000) return 1 end return 0"sv,
    "return redis.call('set', KEYS[1], ARGV[1])"sv};

// Scripts as they are: what a language of templates does not reach.
constexpr std::array kFixed{
    "return nil"sv,
    "return"sv,
    ""sv,
    "return {KEYS, ARGV}"sv,
    "error('boom')"sv,
    "error('boom', 0)"sv,
    "error({err='MY boom'})"sv,
    "error()"sv,
    "\n\nerror(12)"sv,
    "local x return x.y"sv,
    "local x return x()"sv,
    "return nonsense"sv,
    "nonsense = 1"sv,
    "redis.call = nil"sv,
    "string.foo = 1"sv,
    "rawset(_G, 'x', 1)"sv,
    "setmetatable(redis, {})"sv,
    "return redis.call()"sv,
    "return redis.call({})"sv,
    "return redis.call('nonsense')"sv,
    "return redis.call('get')"sv,
    "return redis.call('quit')"sv,
    "return redis.setresp(5)"sv,
    "return redis.sha1hex(ARGV[1] or '')"sv,
    "return redis.error_reply(ARGV[1] or 'x')"sv,
    "return redis.status_reply(ARGV[1] or 'x')"sv,
    "return {pcall(redis.call, 'incr', KEYS[1])}"sv,
    "local ok, e = pcall(redis.call, 'incr', KEYS[1]) return type(e) == 'table' and e.err or e"sv,
    "return tostring(redis.call('get', KEYS[1] or 'k'))"sv,
    "redis.call('set', KEYS[1] or 'k', 'half') return redis.call('incr', KEYS[1] or 'k')"sv,
    "local t = {} for i = 1, 20 do t[i] = i % 7 end table.sort(t) return t"sv,
    "return string.format('%d %s %5.2f %q', 3.7, 'x', 1.005, 'a\\nb')"sv,
    "return {string.find('hello world', 'o w'), string.gsub('aaa', 'a', 'b', 2)}"sv,
    "return #ARGV[1]"sv,
    "return KEYS[1] > ARGV[1]"sv,
    "redis.call('select', 2) return redis.call('set', 'k', 'in 2')"sv,
    "redis.call('set', 'p', 'v', 'PXAT', '1') return redis.call('exists', 'p')"sv,
    "return {redis.call('ttl', 'k'), redis.call('pttl', 'h')}"sv,
    "#!lua flags=no-writes\nreturn redis.call('set', 'k', 'v')"sv,
    "#!lua\nreturn 1"sv};

constexpr std::array kUnsteady{
    "INFO"sv,        "KEYS"sv,     "TIME"sv,   "TTL"sv,    "PTTL"sv,        "EXPIRETIME"sv,
    "PEXPIRETIME"sv, "SMEMBERS"sv, "SUNION"sv, "SINTER"sv, "SDIFF"sv,       "SPOP"sv,
    "SCAN"sv,        "HSCAN"sv,    "SSCAN"sv,  "ZSCAN"sv,  "SRANDMEMBER"sv, "ZRANDMEMBER"sv,
    "SORT"sv,        "SORT_RO"sv,  "DUMP"sv,   "PUBSUB"sv, "XPENDING"sv,    "XINFO"sv};

std::string hash_of(std::string_view script) {
  const auto digits = sha1_hex(script);
  return {digits.begin(), digits.end()};
}

}  // namespace

std::string Generator::lua_number() { return std::string{pick(kNumbers)}; }

std::string Generator::lua_value(int depth) {
  switch (random_.below(depth > 0 ? 15 : 7)) {
    case 0:
      return "nil";
    case 1:
      return "true";
    case 2:
      return "false";
    case 3:
    case 4:
      return lua_number();
    case 5:
    case 6:
      return std::string{pick(kStrings)};
    case 7:
      return "{ok=" + lua_value(0) + "}";
    case 8:
      return "{err=" + lua_value(0) + "}";
    case 9:
      return "{map={a=" + lua_value(depth - 1) + "}}";
    case 10:
      return "{set={[" + std::string{pick(kStrings)} + "]=true}}";
    case 11:
      return "{double=" + lua_number() + "}";
    case 12:
      return "{verbatim_string={format='txt',string=" + std::string{pick(kStrings)} + "}}";
    default: {
      std::string table = "{";
      for (auto left = random_.below(4); left > 0; --left) table += lua_value(depth - 1) + ",";
      return table + "}";
    }
  }
}

// A command with its words written into the script, as literals that say their bytes in decimal.
// One normaliser has to do for a whole reply: what needs one is called by scripts that call nothing
// else.
std::string Generator::lua_call(bool alone) {
  Words words = command();
  while (!alone &&
         std::ranges::any_of(kUnsteady, [&](auto name) { return iequals(words[0], name); }))
    words = command();
  std::string text = chance(70) ? "redis.call(" : "redis.pcall(";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ", ";
    text += '\'';
    for (const char c : words[i]) {
      const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
      const std::string code = std::to_string(static_cast<unsigned char>(c));
      text += plain ? std::string{c} : "\\" + std::string(3 - code.size(), '0') + code;
    }
    text += '\'';
  }
  return text + ")";
}

std::string Generator::script() {
  const std::string resp = chance(20) ? "redis.setresp(3) " : "";
  switch (random_.below(8)) {
    case 0:
    case 1:
      return resp + "return " + lua_value(3);
    case 2:
      return resp + "return " + lua_call(true);
    case 3:
      return resp + "local a = " + lua_call(false) + "\nlocal b = " + lua_call(false) +
             "\nreturn {a, b}";
    case 4:
      return "return redis.call('echo', " + lua_number() + ")";
    case 5:
      return "return tostring(" + lua_value(0) + std::string{pick(kOperators)} + lua_value(0) + ")";
    case 6:
      return "if " + lua_call(false) + " then return " + lua_value(1) + " end return " +
             lua_call(false);
    default:
      return std::string{pick(kFixed)};
  }
}

Words Generator::script_command() {
  const bool read_only = chance(15);
  const std::string_view loaded = pick(kLoaded);
  switch (random_.below(10)) {
    case 0:
      return {"SCRIPT", "LOAD", std::string{loaded}};
    case 1:
      return {"SCRIPT", "EXISTS", hash_of(loaded), std::string{pick(kStrings)}};
    case 2:
    case 3: {
      Words words{read_only ? "EVALSHA_RO" : "EVALSHA", hash_of(loaded), "1", placeholder('k')};
      for (auto& word : command()) words.push_back(std::move(word));
      return words;
    }
    case 4: {
      std::string cut = script();
      // What sets a past deadline must go on to touch the key.
      if (cut.find("PXAT") != std::string::npos) return {"EVAL", cut, "0"};
      cut.resize(random_.below(cut.size() + 1));
      return {"EVAL", cut, "0"};
    }
    default:
      break;
  }
  Words words{read_only ? "EVAL_RO" : "EVAL", script(), "1", placeholder('k')};
  if (chance(60)) words.push_back(placeholder('v'));
  if (chance(3)) words[2] = placeholder('i');
  return words;
}

}  // namespace picklock::test
