#include "lua/code_facts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace picklock::lua {

namespace {

int append(lua_State*, const void* bytes, size_t size, void* to) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return 0;
}

/// An instruction of Lua 5.1 (lopcodes.h). Only those that are looked at have names.
enum class Code : std::uint8_t {
  get_global = 5,
  get_table = 6,
  set_global = 7,
  add = 12,
  power = 17,
  length = 20,
  set_list = 34
};

struct Instruction {
  std::uint32_t bits = 0;
  Code code() const { return static_cast<Code>(bits & 0x3f); }
  std::uint32_t a() const { return bits >> 6 & 0xff; }
  std::uint32_t b() const { return bits >> 23; }
  std::uint32_t c() const { return bits >> 14 & 0x1ff; }
  std::uint32_t constant() const { return bits >> 14; }
};

constexpr std::string_view kReadInPlace[] = {"KEYS", "ARGV", "redis"};
/// By these names all the others can be had.
constexpr std::string_view kWaysAround[] = {"_G", "load", "loadstring"};

/// Whether the field or the length of what code[at] has read is put in its place before anything
/// else is done with it. What names the field may be computed in between: `KEYS[i + 1]`.
bool is_read_at_once(const std::vector<Instruction>& code, std::size_t at) {
  const std::uint32_t place = code[at].a();
  Instruction next = code.at(++at);
  while (next.code() >= Code::add && next.code() <= Code::power && next.a() != place &&
         next.b() != place && next.c() != place)
    next = code.at(++at);
  if (next.code() != Code::get_table && next.code() != Code::length) return false;
  return next.a() == place && next.b() == place;
}

/// Whether the instructions of one function bear out CodeFacts::reads_in_place.
bool reads_in_place(const std::vector<Instruction>& code,
                    const std::vector<std::string_view>& constants) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].code() == Code::set_global) return false;
    if (code[i].code() == Code::set_list && code[i].c() == 0) ++i;  // A number comes behind it.
    if (code[i].code() != Code::get_global) continue;
    const std::string_view name = constants.at(code[i].constant());
    if (std::ranges::find(kWaysAround, name) != std::end(kWaysAround)) return false;
    if (std::ranges::find(kReadInPlace, name) == std::end(kReadInPlace)) continue;
    if (!is_read_at_once(code, i)) return false;
  }
  return true;
}

/// Reads the form that lua_dump gives a function. Lua shows the lines of one function, but not
/// those of the functions in it, which its dump does.
class DumpReader {
 public:
  explicit DumpReader(std::string_view dump) : rest_(dump) { skip(kHeaderBytes); }

  CodeFacts facts() {
    function();
    std::vector<int>& lines = facts_.lines;
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return std::move(facts_);
  }

 private:
  static constexpr std::size_t kHeaderBytes = 12;

  void function() {
    text();                     // Its source.
    skip(2 * sizeof(int) + 4);  // Its first and last line, four counts.
    std::vector<Instruction> code(count());
    for (Instruction& instruction : code) read(&instruction.bits, sizeof instruction.bits);
    std::vector<std::string_view> constants(count());
    for (std::string_view& name : constants) name = constant();
    facts_.reads_in_place = facts_.reads_in_place && reads_in_place(code, constants);
    for (std::size_t left = count(); left > 0; --left) function();
    for (std::size_t left = count(); left > 0; --left) {
      const int line = number();
      if (left > 1)
        facts_.lines.push_back(line);  // The last instruction is a return that nobody wrote.
    }
    for (std::size_t left = count(); left > 0; --left) {
      text();
      skip(2 * sizeof(int));
    }
    for (std::size_t left = count(); left > 0; --left) text();
  }

  /// What a string constant says; empty for others.
  std::string_view constant() {
    switch (byte()) {
      case LUA_TBOOLEAN:
        skip(1);
        break;
      case LUA_TNUMBER:
        skip(sizeof(lua_Number));
        break;
      case LUA_TSTRING:
        return text();
      default:
        break;
    }
    return {};
  }
  /// Without the NUL that a text in a dump ends with.
  std::string_view text() {
    std::size_t size = 0;
    read(&size, sizeof size);
    const std::string_view all = rest_.substr(0, size);
    skip(size);
    return all.substr(0, all.size() - (all.empty() ? 0 : 1));
  }
  unsigned char byte() {
    unsigned char value = 0;
    read(&value, 1);
    return value;
  }
  int number() {
    int value = 0;
    read(&value, sizeof value);
    return value;
  }
  std::size_t count() { return static_cast<std::size_t>(number()); }
  void read(void* to, std::size_t size) {
    if (size <= rest_.size()) std::memcpy(to, rest_.data(), size);
    skip(size);
  }
  void skip(std::size_t size) { rest_.remove_prefix(std::min(size, rest_.size())); }

  std::string_view rest_;
  CodeFacts facts_;
};

}  // namespace

CodeFacts facts_of_function(lua_State* L) {
  std::string dump;
  if (lua_dump(L, append, &dump) != 0) return {.reads_in_place = false};
  return DumpReader{dump}.facts();
}

}  // namespace picklock::lua
