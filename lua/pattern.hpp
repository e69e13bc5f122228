// Lua 5.1's pattern matching, in steps that the instruction budget counts.
//
// Liblua's own matcher cannot be interrupted: a pattern of a few bytes keeps it busy for years, and
// a long one overflows its stack. Same matches, same errors. Internal to lua/.
#pragma once

#include <cstddef>

struct lua_State;

namespace picklock::lua {

/// One attempt after the other to match one pattern against one subject. May raise, so it owns
/// nothing.
class Matcher {
 public:
  Matcher(lua_State* L, const char* subject, std::size_t size)
      : L_(L), begin_(subject), end_(subject + size) {}

  /// The end of the match of `pattern` at `from`, or null.
  const char* match_at(const char* from, const char* pattern);
  /// Pushes all captures of the last match, or the whole match [from, to) if there are none and
  /// `from` is not null; returns how many.
  int push_captures(const char* from, const char* to);
  /// Pushes the capture `index`, counted from 0.
  void push_capture(int index, const char* from, const char* to);

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }

 private:
  static constexpr int kMaxCaptures = 32;  // LUA_MAXCAPTURES
  static constexpr std::ptrdiff_t kOpen = -1;
  static constexpr std::ptrdiff_t kPosition = -2;
  // Liblua recurses without a limit, and dies of a deeper pattern.
  static constexpr int kMaxDepth = 10'000;

  struct Capture {
    const char* start;
    std::ptrdiff_t size;
  };

  void step();
  const char* match(const char* s, const char* p);
  const char* match_default(const char*& s, const char*& p, bool& again);
  const char* class_end(const char* p);
  bool matches_one(const char* s, const char* p, const char* class_end) const;
  const char* match_balance(const char* s, const char* p);
  const char* expand_most(const char* s, const char* p, const char* class_end);
  const char* expand_least(const char* s, const char* p, const char* class_end);
  const char* open_capture(const char* s, const char* p, std::ptrdiff_t kind);
  const char* close_capture(const char* s, const char* p);
  const char* match_back_reference(const char* s, char digit);
  const char* match_frontier(const char*& s, const char*& p, bool& again);

  lua_State* L_;
  const char* begin_;
  const char* end_;
  int level_ = 0;
  int depth_ = 0;
  unsigned steps_ = 0;
  Capture captures_[kMaxCaptures];
};

}  // namespace picklock::lua
