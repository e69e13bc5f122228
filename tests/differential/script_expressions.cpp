// The expressions of generated scripts, by the type that they mostly have.
#include <array>

#include "tests/differential/script_phrases.hpp"
#include "tests/differential/script_writer.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

// One in so many expressions has another type than the place asks for.
constexpr unsigned kPercentWrong = 3;

}  // namespace

std::string ScriptWriter::fill(std::string_view form, int depth) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '@' || i + 1 == form.size()) {
      text += form[i];
      continue;
    }
    switch (form[++i]) {
      case 'n':
        text += number(depth - 1);
        break;
      case 's':
        text += this->text(depth - 1);
        break;
      case 't':
        text += table(depth - 1);
        break;
      case 'b':
        text += truth(depth - 1);
        break;
      case 'v':
        text += value(depth - 1);
        break;
      case 'j':
        text += lua_literal(json(2));
        break;
      case 'f':
        text += chance(95) ? struct_format() : value(0);
        break;
      case 'p':
        text += chance(95) ? pick(kLuaPatterns) : value(0);
        break;
      default:
        text += any(depth - 1);
    }
  }
  return text;
}

std::string ScriptWriter::any(int depth) {
  switch (random_.below(12)) {
    case 0:
      return "nil";
    case 1:
    case 2:
      return truth(depth);
    case 3:
    case 4:
    case 5:
      return table(depth);
    case 6:
    case 7:
      return text(depth);
    case 8:
      return "r";
    case 9:
      return "cjson.null";
    default:
      return number(depth);
  }
}

// A scalar.
std::string ScriptWriter::value(int depth) {
  switch (random_.below(8)) {
    case 0:
      return "nil";
    case 1:
      return truth(0);
    case 2:
    case 3:
    case 4:
      return number(depth);
    default:
      return text(depth);
  }
}

// What may be put into t: nothing that could hold t, which would then have no end.
std::string ScriptWriter::flat(int depth) {
  if (depth > 0 && chance(20)) return "{" + flat(depth - 1) + ", " + flat(depth - 1) + "}";
  if (depth > 0 && chance(15)) return "{a = " + flat(depth - 1) + ", ['b'] = " + flat(0) + "}";
  switch (random_.below(6)) {
    case 0:
      return chance(50) ? "true" : "false";
    case 1:
    case 2:
      return pick(kLuaStrings);
    case 3:
      return chance(50) ? "s" : "n";
    default:
      return pick(kLuaNumbers);
  }
}

std::string ScriptWriter::number(int depth) {
  if (chance(kPercentWrong)) return value(0);
  if (depth <= 0 || chance(30)) return chance(40) ? "n" : pick(kLuaNumbers);
  return fill(pick(kNumberForms), depth);
}

std::string ScriptWriter::text(int depth) {
  if (chance(kPercentWrong)) return depth > 0 ? any(0) : "r";
  if (depth <= 0 || chance(30)) return chance(40) ? "s" : pick(kLuaStrings);
  return fill(pick(kTextForms), depth);
}

std::string ScriptWriter::truth(int depth) {
  if (depth <= 0) return chance(50) ? "true" : "n == 1";
  return fill(pick(kTruthForms), depth);
}

std::string ScriptWriter::table(int depth) {
  if (chance(kPercentWrong)) return value(0);
  if (depth <= 0 || chance(20)) return chance(60) ? "t" : "{1, 'x'}";
  return fill(pick(kTableForms), depth);
}

std::string ScriptWriter::json_scalar() {
  if (chance(70)) return pick(kJsonScalars);
  return std::to_string(static_cast<std::int64_t>(random_.next()) >> random_.below(64));
}

std::string ScriptWriter::json(int depth) {
  if (depth <= 0 || chance(25)) return json_scalar();
  std::string text;
  for (const char c : pick(kJsonForms))
    if (c == '@')
      text += json(depth - 1);
    else
      text += c;
  return text;
}

std::string ScriptWriter::struct_format() {
  if (chance(60)) return pick(kStructFormats);
  constexpr std::string_view kLetters = "<>=!bBhHlLiIfdsxc0123489 ";
  std::string text = "'";
  for (auto left = 1 + random_.below(4); left > 0; --left)
    text += kLetters[random_.below(kLetters.size())];
  return text + "'";
}

std::string ScriptWriter::bytes() {
  std::string text;
  for (auto left = random_.below(12); left > 0; --left)
    text += static_cast<char>(random_.below(256));
  return lua_literal(text);
}

}  // namespace picklock::test
