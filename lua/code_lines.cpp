#include "lua/code_lines.hpp"

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

/// Reads the form that lua_dump gives a function. Lua shows the lines of one function, but not
/// those of the functions in it, which its dump does.
class DumpReader {
 public:
  explicit DumpReader(std::string_view dump) : rest_(dump) { skip(kHeaderBytes); }

  std::vector<int> lines() {
    function();
    std::sort(lines_.begin(), lines_.end());
    lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
    return std::move(lines_);
  }

 private:
  static constexpr std::size_t kHeaderBytes = 12;
  static constexpr std::size_t kInstructionBytes = 4;

  void function() {
    text();                     // Its source.
    skip(2 * sizeof(int) + 4);  // Its first and last line, four counts.
    const std::size_t instructions = count();
    skip(instructions * kInstructionBytes);
    for (std::size_t left = count(); left > 0; --left) constant();
    for (std::size_t left = count(); left > 0; --left) function();
    for (std::size_t left = count(); left > 0; --left) {
      const int line = number();
      if (left > 1) lines_.push_back(line);  // The last instruction is a return that nobody wrote.
    }
    for (std::size_t left = count(); left > 0; --left) {
      text();
      skip(2 * sizeof(int));
    }
    for (std::size_t left = count(); left > 0; --left) text();
  }

  void constant() {
    switch (byte()) {
      case LUA_TBOOLEAN:
        return skip(1);
      case LUA_TNUMBER:
        return skip(sizeof(lua_Number));
      case LUA_TSTRING:
        return text();
      default:
        return;
    }
  }
  void text() {
    std::size_t size = 0;
    read(&size, sizeof size);
    skip(size);
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
  std::vector<int> lines_;
};

}  // namespace

std::vector<int> lines_of_function(lua_State* L) {
  std::string dump;
  if (lua_dump(L, append, &dump) != 0) return {};
  return DumpReader{dump}.lines();
}

}  // namespace picklock::lua
