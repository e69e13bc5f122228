// Values through cjson, cmsgpack, struct and bit and back; and scripts with a byte that is hit.
#include <array>

#include "tests/differential/script_phrases.hpp"
#include "tests/differential/script_writer.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

constexpr std::array kDamage{"\""sv,  "'"sv,    "("sv,    ")"sv,    "["sv,  "]"sv, "{"sv,
                             "}"sv,   "="sv,    "~"sv,    "."sv,    ":"sv,  ";"sv, ","sv,
                             "#"sv,   "\n"sv,   "\0"sv,   "\xff"sv, "\\"sv, " "sv, "--"sv,
                             "end"sv, "\xe5"sv, "\x1b"sv, "@"sv,    "!"sv};

// What comes back is shown as text, with the types of what is inside.
constexpr std::string_view kShow =
    "local function show(x) "
    "if type(x) == 'number' then return string.format('%.17g', x) end "
    "if x == cjson.null then return 'null' end "
    "if type(x) ~= 'table' then return type(x) .. ':' .. tostring(x) end "
    "local out = {} "
    "for k, v in pairs(x) do out[#out + 1] = show(k) .. '=' .. show(v) end "
    "return '{' .. table.concat(out, ',') .. '}' end\n";

// Loops that count by themselves may lose their count.
bool is_loop_without_count(std::string_view script) {
  return script.find("while") != std::string_view::npos ||
         script.find("repeat") != std::string_view::npos;
}

}  // namespace

// The damage holds no digit, so that no loop grows. The functions at the start stay whole: V keeps
// addresses out of replies.
std::string ScriptWriter::damaged(std::string script) {
  const std::size_t start = script.find("\nlocal n,");
  const std::size_t at = start + random_.below(script.size() - start);
  if (chance(40) || is_loop_without_count(script)) return script.substr(0, at);
  if (chance(10)) return (chance(50) ? "\xef\xbb\xbf" : "\x1bLuaQ") + script;
  return script.replace(at, random_.below(3), pick(kDamage));
}

std::string ScriptWriter::nested_value(int depth) {
  if (depth > 0 && chance(45)) {
    std::string table = "{";
    const bool map = chance(40);
    for (auto left = random_.below(5); left > 0; --left) {
      if (map) table += "[" + (chance(80) ? bytes() : pick(kLuaNumbers)) + "] = ";
      table += nested_value(depth - 1) + ", ";
    }
    // Not a number is no key.
    return table.find("[0/0]") == std::string::npos && table.find("[-(0/0)]") == std::string::npos
               ? table + "}"
               : "{}";
  }
  switch (random_.below(7)) {
    case 0:
      return chance(50) ? "true" : "false";
    case 1:
      return chance(50) ? "nil" : "cjson.null";
    case 2:
      return std::to_string(static_cast<std::int64_t>(random_.next()) >> random_.below(64));
    case 3:
      return std::to_string(static_cast<std::int64_t>(random_.next()) >> random_.below(64)) + "/" +
             std::to_string(1 + random_.below(1000));
    case 4:
      return pick(kLuaNumbers);
    default:
      return bytes();
  }
}

Action ScriptWriter::round_trip() {
  std::string text{kShow};
  switch (random_.below(4)) {
    case 0:
      text += "local ok, s = pcall(cjson.encode, " + nested_value(3) +
              ")\nif not ok then return s end\n"
              "local fine, v = pcall(cjson.decode, s)\nreturn {s, show(v)}";
      break;
    case 1:
      text += "local s = cmsgpack.pack(" + nested_value(3) + ", " + nested_value(1) +
              ")\nreturn {s, show({cmsgpack.unpack(s)}), show({cmsgpack.unpack_one(s)})}";
      break;
    case 2: {
      const std::string format = struct_format();
      text += "local ok, s = pcall(struct.pack, " + format + ", " + nested_value(0) + ", " +
              nested_value(0) + ", " + bytes() + ")\nif not ok then return s end\n" +
              "return {s, show({pcall(struct.unpack, " + format +
              ", s)}), show({pcall(struct.size, " + format + ")})}";
      break;
    }
    default:
      text += "local a, b = " + pick(kLuaNumbers) + ", " +
              std::to_string(static_cast<std::int32_t>(random_.next())) +
              "\nreturn show({bit.band(a, b), bit.bor(a, b), bit.bxor(a, b), bit.bnot(b), "
              "bit.lshift(b, a), bit.rshift(b, a), bit.arshift(b, a), bit.rol(b, a), "
              "bit.ror(b, a), bit.bswap(b), bit.tobit(a), bit.tohex(b), bit.tohex(b, a)})";
  }
  Action action;
  action.commands.push_back({"EVAL", text, "0"});
  return action;
}

}  // namespace picklock::test
