#include "tests/differential/script_writer.hpp"

#include <array>

#include "emulator/base/sha1.hpp"
#include "tests/differential/script_phrases.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

// V shows a value without the address that tostring gives of an object. P goes on after an error,
// and notes it: most scripts would otherwise end at their second line.
constexpr std::string_view kPrologue =
    // Redis hashes long strings otherwise, so that tables show them elsewhere (README,
    // differences).
    "local function K(x) if type(x) == 'string' then return x:sub(1, 31) end return x end\n"
    "local function V(x) local k = type(x) "
    "if k == 'table' or k == 'function' or k == 'thread' then return k end return tostring(x) end\n"
    "local seen = {}\n"
    "local function P(f) local ok, e = pcall(f) "
    "if not ok then seen[#seen + 1] = type(e) == 'table' and e.err or V(e) end end\n";

constexpr std::array kNames{"s1"sv, "h"sv, "l"sv, "z"sv, "n"sv, "b\0in"sv, "\xff\xfe"sv, ""sv};
constexpr std::array kWords{"v"sv,   ""sv,     "10"sv,       "-7"sv,  "1.5"sv,  "a\0b"sv,
                            "abc"sv, "\r\n"sv, "\xe5\xff"sv, "1e3"sv, "0x10"sv, "nan"sv};
}  // namespace

std::string lua_literal(std::string_view bytes) {
  std::string text = "'";
  for (const char c : bytes) {
    const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
    const std::string code = std::to_string(static_cast<unsigned char>(c));
    text += plain ? std::string{c} : "\\" + std::string(3 - code.size(), '0') + code;
  }
  return text + "'";
}

Action ScriptWriter::action() {
  std::string body = script();
  // Redis puts the line breaks of FUNCTION LOAD's errors into the line as they are: "\r\n" ends it.
  const bool returns = body.find("\\r") != std::string::npos;
  const bool damage = chance(4);
  if (damage) body = damaged(std::move(body));
  if (chance(3)) body = (chance(50) ? "#!lua flags=no-writes\n" : "#!lua\n") + body;
  Words tail{std::to_string(random_.below(3))};
  for (auto left = tail[0][0] - '0' + (chance(70) ? 2 : 0); left > 0; --left)
    tail.push_back(tail.size() <= 2 ? pick(kNames) : pick(kWords));
  Action action;
  Words run;
  const auto dice = random_.below(20);
  if (dice < 3 && !body.starts_with("#!") && !(damage && returns)) {
    action.commands.push_back(
        {"FUNCTION", "LOAD", "REPLACE",
         "#!lua name=lib\nredis.register_function('f', function(KEYS, ARGV)\n" + body + "\nend)"});
    run = {"FCALL", "f"};
  } else if (dice < 6) {
    const auto sha1 = sha1_hex(body);
    action.commands.push_back({"SCRIPT", "LOAD", body});
    run = {"EVALSHA", {sha1.begin(), sha1.end()}};
  } else {
    run = {dice == 6 ? "EVAL_RO" : "EVAL", body};
  }
  run.insert(run.end(), tail.begin(), tail.end());
  action.commands.push_back(std::move(run));
  action.commands.push_back({"DEBUG", "DIGEST"});
  return action;
}

std::string ScriptWriter::script() {
  std::string text{kPrologue};
  if (chance(15)) text += "redis.setresp(" + std::string{chance(80) ? "3" : "2"} + ")\n";
  text += "local n, s, t, r, d, c = " + pick(kLuaNumbers) + ", " + pick(kLuaStrings) + ", {" +
          flat(1) + ", " + flat(1) + "}, nil, nil, 0\n";
  for (auto left = 1 + random_.below(7); left > 0; --left)
    text += chance(75) ? "P(function()\n" + statement(2) + "\nend)\n" : statement(2) + "\n";
  return text + result();
}

std::string ScriptWriter::result() {
  switch (random_.below(12)) {
    case 8:
    case 9:
    case 10:
    case 11:
      return "return {seen, V(n), s, r}";
    case 0:
      return "return r";
    case 1:
      return "return {n, s, r}";
    case 2:
      return "return d";
    case 3:
      return "return {V(n), s, type(r), #t, type(d)}";
    case 4:
      return "return t";
    case 5:
      return "return cjson.encode({V(n), t, r or 0, seen})";
    default:
      return "return " + any(3);
  }
}

// Every statement stands on a line of its own, or is a block of lines, so that a shrinker can leave
// it out.
std::string ScriptWriter::statement(int depth) {
  switch (random_.below(depth > 0 ? 20 : 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return assignment(2);
    case 4:
    case 5:
    case 6:
      return "r = " + call();
    case 7:
      return call();
    case 8:
      return "d = " + any(3);
    case 9:
      return "t[" + (chance(60) ? std::string{"#t + 1"} : "K(" + value(1) + ")") + "] = " + flat(1);
    case 10:
      return library_call(2);
    case 11:
    case 12:
      return loop(depth - 1);
    case 13:
      return "if " + truth(2) + " then\n" + block(depth - 1) +
             (chance(50) ? "else\n" + block(depth - 1) : "") + "end";
    case 14:
    case 15:
    case 16:
      return protected_call(depth - 1);
    case 17:
      return closure(depth);
    default:
      return chance(25) ? raised() : assignment(3);
  }
}

std::string ScriptWriter::assignment(int depth) {
  if (chance(50)) return "n = " + number(depth);
  return "s = string.sub(" + text(depth) + ", 1, 99)";
}

std::string ScriptWriter::block(int depth) {
  std::string text;
  for (auto left = 1 + random_.below(3); left > 0; --left) text += statement(depth) + "\n";
  return text;
}

// A loop that counts by itself counts in its first line, which no shrinker takes away alone. Bounds
// are literals: from a large number on, adding one changes nothing, and a loop has no end. A loop
// over a table does not write to it.
std::string ScriptWriter::loop(int depth) {
  constexpr std::array kRanges{"1, 3"sv,     "1, 5, 2"sv, "3, 1, -1"sv, "1, 2, 0.5"sv,
                               "'1', '2'"sv, "2, 1"sv,    "1, 'x'"sv,   "0.1, 1, 0.3"sv};
  switch (random_.below(6)) {
    case 0:
      return "for k, v in pairs(t) do\n" + assignment(1) +
             "\ns = string.sub(s .. V(k) .. V(v), 1, 99)\nend";
    case 1:
      return "for i, v in ipairs(t) do\n" + assignment(1) + "\nn = i\nend";
    case 2:
      return "c = 0\nwhile c < 3 do c = c + 1\n" + assignment(1) + "\n" +
             (chance(40) ? "if " + truth(1) + " then break end\n" : "") + "end";
    case 3:
      return "c = 0\nrepeat c = c + 1\n" + assignment(1) + "\nuntil c > 2 or " + truth(1);
    case 4:
      return "for w in string.gmatch(" + text(1) + ", " + pick(kLuaPatterns) +
             ") do\ns = string.sub(s .. V(w), 1, 99)\nend";
    default:
      return "for i = " + pick(kRanges) + " do\n" + block(depth) + "end";
  }
}

std::string ScriptWriter::protected_call(int depth) {
  const std::string body = "(function()\n" + block(depth) + (chance(30) ? raised() + "\n" : "") +
                           "return " + value(1) + "\nend";
  switch (random_.below(4)) {
    case 0:
      return "r = {xpcall" + body +
             ", function(e) return type(e) == 'table' and e.err or V(e) end)}";
    case 1:
      return "d = {coroutine.resume(coroutine.create" + body + "))}";
    default:
      return "r = {pcall" + body + ")}";
  }
}

// Never a table without a text `err`: that kills redis-server 7.0.15.
std::string ScriptWriter::raised() {
  switch (random_.below(9)) {
    case 0:
      return "error(V(" + any(1) + "), 0)";
    case 1:
      return "error(V(" + any(1) + "), 2)";
    case 2:
      return "error({err = " + pick(kLuaStrings) + "})";
    case 3:
      return "error(redis.error_reply(" + pick(kLuaStrings) + "))";
    case 4:
      return "error(" + pick(kLuaNumbers) + ")";
    case 5:
      return "assert(" + truth(1) + ", " + pick(kLuaStrings) + ")";
    case 6:
      return "assert(" + truth(1) + ")";
    case 7:
      return "error({err = " + pick(kLuaStrings) + ", x = 1, line = 7, source = 'me'})";
    default:
      return "error(" + pick(kLuaStrings) + ")";
  }
}

std::string ScriptWriter::closure(int depth) {
  switch (random_.below(3)) {
    case 0:
      return "do\nlocal up = " + value(1) + "\nlocal f = function(...) up = " + value(1) +
             " return select('#', ...), up, ... end\nd = {f(" + value(1) + ", nil, " + value(1) +
             ")}\nend";
    case 1:
      return "do\nlocal function f(k) if k <= 0 then return " + value(1) +
             " end return f(k - 1) end\nd = f(" + std::to_string(random_.below(5)) + ")\nend";
    default:
      return "d = (function()\n" + block(depth - 1) + "return " + flat(1) + "\nend)()";
  }
}

std::string ScriptWriter::call() {
  std::string text;
  const std::string form = pick(kScriptedCalls);
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '@') {
      text += form[i];
      continue;
    }
    const char kind = form[++i];
    text += kind == 'k' ? pick(kCallKeys) : kind == 'w' ? pick(kLuaNumbers) : call_word();
  }
  return (chance(65) ? "redis.call(" : "redis.pcall(") + text + ")";
}

std::string ScriptWriter::call_word() {
  switch (random_.below(6)) {
    case 0:
      return pick(kLuaNumbers);
    case 1:
      return "s";
    case 2:
      return "n";
    case 3:
      return "ARGV[1] or ''";
    default:
      return pick(kLuaStrings);
  }
}

// Calls for their effects, and attempts on the sandbox.
std::string ScriptWriter::library_call(int depth) {
  constexpr std::array kForms{
      "table.insert(t, (@v))"sv,
      "table.insert(t, 2, @v)"sv,
      "table.insert(t, '1', @v)"sv,
      "table.insert(t, -2, @v)"sv,
      "table.insert(t, 9, @v)"sv,
      "table.insert(t, @b, @v)"sv,
      "table.remove(t)"sv,
      "table.remove(t, @n)"sv,
      "table.sort(t)"sv,
      "table.sort(t, function(a, b) return a > b end)"sv,
      "table.sort(t, function(a, b) return V(a) < V(b) end)"sv,
      "redis.log(redis.LOG_DEBUG, @s)"sv,
      "redis.log(@n, @s)"sv,
      "redis.setresp(@n)"sv,
      "redis.set_repl(redis.REPL_ALL)"sv,
      "redis.set_repl(@n)"sv,
      "rawset(t, @v, @v)"sv,
      "t.x = @v"sv,
      "t.x.y = 1"sv,
      "redis.call = nil"sv,
      "string.foo = 1"sv,
      "rawset(_G, 'x', 1)"sv,
      "undeclared = 1"sv,
      "n = undeclared"sv,
      "setmetatable(_G, nil)"sv,
      "KEYS[1] = @s"sv,
      "ARGV[2] = @v"sv,
      "KEYS = {}"sv,
      "getmetatable('').__index = nil"sv,
      "table.insert(redis, 1)"sv,
      "redis.breakpoint()"sv,
      "redis.debug(@v)"sv,
      "t = setmetatable(t, {__index = function(_, k) return V(k) end})"sv,
      "t = setmetatable(t, {__newindex = function() error('no') end})"sv,
      "(@s)()"sv,
      "local x = @a"sv,
      "t = setmetatable(t, {__concat = function() return 'cat' end})"sv,
      "s = t .. s"sv,
      "t = setmetatable(t, {__call = function(_, x) return V(x) end}) s = t(1)"sv,
      "t = setmetatable(t, {__eq = function() return true end, __lt = function() return 1 end})"sv,
      "t = setmetatable(t, {__add = function(a, b) return 3 end, __unm = function() return 4 end})"sv,
      "n = t + 1"sv,
      "n = -t"sv,
      "d = getmetatable(t)"sv,
      "d = loadstring('return ' .. V(@v))()"sv,
      "d = loadstring(@s)"sv,
      "d = assert(loadstring('return ...'))(@a)"sv,
      "s.x = 1"sv,
      "d = {next({@v})}"sv,
      "d = {rawget(t, @v)}"sv,
      "d = select('#', unpack(t))"sv,
      "cjson.encode_max_depth(@n)"sv,
      "cjson.encode_sparse_array(@b, @n, @n)"sv,
      "cjson.encode_number_precision(@n)"sv,
      "cjson.decode_max_depth(@n)"sv,
      "cjson.encode_invalid_numbers(@b)"sv,
      "cjson.decode_invalid_numbers(@b)"sv,
      "d = cjson.new().encode(@t)"sv,
      "cjson.encode_keep_buffer(@b)"sv};
  return fill(pick(kForms), depth);
}

}  // namespace picklock::test
