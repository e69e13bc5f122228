// A Lua table as a plain value: how a check file is read.
//
// The file runs in a Lua state of its own that has no files, no system and no clock, is stopped
// after a number of instructions, and gets only so much memory. Nothing of it outlives the reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock::race {

struct LuaValue {
  enum class Type : std::uint8_t { nil, boolean, number, text, table, other };
  Type type = Type::nil;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<LuaValue> list;                              ///< What stands under 1, 2, 3...
  std::vector<std::pair<std::string, LuaValue>> fields{};  ///< In order of their names.

  bool is_nil() const { return type == Type::nil; }
  /// A field of a table; nil if it has none of this name.
  const LuaValue& operator[](std::string_view name) const;
};

/// Runs `source` and takes the table that it returns. On failure returns false, and one line in
/// `error` that begins with `name` and the line number where Lua knows it.
[[nodiscard]] bool read_lua_table(std::string_view source, const std::string& name, LuaValue& value,
                                  std::string& error);

/// `text` as one line of ASCII: other bytes as \x and their two hexadecimal digits.
std::string one_line(std::string_view text);

}  // namespace picklock::race
