#include "lua/pattern.hpp"

#include <cctype>
#include <cstring>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr char kEscape = '%';
constexpr unsigned kStepsPerCharge = 1024;

int code_of(char c) { return static_cast<unsigned char>(c); }

/// Whether `c` is in the class that the letter behind a % names.
bool in_class(int c, int letter) {
  bool inside = false;
  switch (std::tolower(letter)) {
    case 'a':
      inside = std::isalpha(c) != 0;
      break;
    case 'c':
      inside = std::iscntrl(c) != 0;
      break;
    case 'd':
      inside = std::isdigit(c) != 0;
      break;
    case 'l':
      inside = std::islower(c) != 0;
      break;
    case 'p':
      inside = std::ispunct(c) != 0;
      break;
    case 's':
      inside = std::isspace(c) != 0;
      break;
    case 'u':
      inside = std::isupper(c) != 0;
      break;
    case 'w':
      inside = std::isalnum(c) != 0;
      break;
    case 'x':
      inside = std::isxdigit(c) != 0;
      break;
    case 'z':
      inside = c == 0;
      break;
    default:
      return letter == c;
  }
  return std::islower(letter) != 0 ? inside : !inside;
}

/// Whether `c` is in the set that starts at `p` and whose ']' is at `last`.
bool in_set(int c, const char* p, const char* last) {
  bool found = true;
  if (p[1] == '^') {
    found = false;
    ++p;
  }
  while (++p < last) {
    if (*p == kEscape) {
      ++p;
      if (in_class(c, code_of(*p))) return found;
    } else if (p[1] == '-' && p + 2 < last) {
      p += 2;
      if (code_of(p[-2]) <= c && c <= code_of(*p)) return found;
    } else if (code_of(*p) == c) {
      return found;
    }
  }
  return !found;
}

}  // namespace

void Matcher::step() {
  if (++steps_ % kStepsPerCharge == 0) charge(L_, kStepsPerCharge);
}

const char* Matcher::match_at(const char* from, const char* pattern) {
  level_ = 0;
  depth_ = 0;
  return match(from, pattern);
}

const char* Matcher::class_end(const char* p) {
  const char first = *p++;
  if (first == kEscape) {
    if (*p == '\0') luaL_error(L_, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  if (first != '[') return p;
  if (*p == '^') ++p;
  do {  // A ']' right at the start belongs to the set.
    if (*p == '\0') luaL_error(L_, "malformed pattern (missing ']')");
    if (*p++ == kEscape && *p != '\0') ++p;
  } while (*p != ']');
  return p + 1;
}

bool Matcher::matches_one(const char* s, const char* p, const char* class_end) const {
  const int c = code_of(*s);
  switch (*p) {
    case '.':
      return true;
    case kEscape:
      return in_class(c, code_of(p[1]));
    case '[':
      return in_set(c, p, class_end - 1);
    default:
      return code_of(*p) == c;
  }
}

const char* Matcher::match_balance(const char* s, const char* p) {
  if (p[0] == '\0' || p[1] == '\0') luaL_error(L_, "unbalanced pattern");
  if (s >= end_ || *s != p[0]) return nullptr;
  int open = 1;
  while (++s < end_) {
    step();
    if (*s == p[1]) {
      if (--open == 0) return s + 1;
    } else if (*s == p[0]) {
      ++open;
    }
  }
  return nullptr;
}

const char* Matcher::expand_most(const char* s, const char* p, const char* class_end) {
  std::ptrdiff_t count = 0;
  for (; s + count < end_ && matches_one(s + count, p, class_end); ++count) step();
  for (; count >= 0; --count)
    if (const char* result = match(s + count, class_end + 1)) return result;
  return nullptr;
}

const char* Matcher::expand_least(const char* s, const char* p, const char* class_end) {
  for (;; ++s) {
    if (const char* result = match(s, class_end + 1)) return result;
    if (s >= end_ || !matches_one(s, p, class_end)) return nullptr;
  }
}

const char* Matcher::open_capture(const char* s, const char* p, std::ptrdiff_t kind) {
  if (level_ >= kMaxCaptures) luaL_error(L_, "too many captures");
  captures_[level_] = {s, kind};
  ++level_;
  const char* result = match(s, p);
  if (result == nullptr) --level_;
  return result;
}

const char* Matcher::close_capture(const char* s, const char* p) {
  int last = level_ - 1;
  while (last >= 0 && captures_[last].size != kOpen) --last;
  if (last < 0) luaL_error(L_, "invalid pattern capture");
  captures_[last].size = s - captures_[last].start;
  const char* result = match(s, p);
  if (result == nullptr) captures_[last].size = kOpen;
  return result;
}

const char* Matcher::match_back_reference(const char* s, char digit) {
  const int index = digit - '1';
  if (index < 0 || index >= level_ || captures_[index].size == kOpen)
    luaL_error(L_, "invalid capture index");
  // A position is no text: its size is so large, taken without a sign, that it never fits.
  const auto size = static_cast<std::size_t>(captures_[index].size);
  if (static_cast<std::size_t>(end_ - s) < size) return nullptr;
  charge(L_, size / 16);
  return std::memcmp(captures_[index].start, s, size) == 0 ? s + size : nullptr;
}

/// %f[set]: between a byte outside the set and one inside. Beyond the ends there are zeros.
const char* Matcher::match_frontier(const char*& s, const char*& p, bool& again) {
  p += 2;
  if (*p != '[') luaL_error(L_, "missing '[' after '%%f' in pattern");
  const char* after = class_end(p);
  const int before = s == begin_ ? 0 : code_of(s[-1]);
  if (in_set(before, p, after - 1) || !in_set(code_of(*s), p, after - 1)) return nullptr;
  p = after;
  again = true;
  return nullptr;
}

/// One class with what may follow it. Either the result, or `again` with `s` and `p` moved on.
const char* Matcher::match_default(const char*& s, const char*& p, bool& again) {
  const char* after = class_end(p);
  const bool fits = s < end_ && matches_one(s, p, after);
  switch (*after) {
    case '?': {
      if (fits)
        if (const char* result = match(s + 1, after + 1)) return result;
      p = after + 1;
      again = true;
      return nullptr;
    }
    case '*':
      return expand_most(s, p, after);
    case '+':
      return fits ? expand_most(s + 1, p, after) : nullptr;
    case '-':
      return expand_least(s, p, after);
    default:
      if (!fits) return nullptr;
      ++s;
      p = after;
      again = true;
      return nullptr;
  }
}

// A pattern ends at its first NUL, as in Lua 5.1.
const char* Matcher::match(const char* s, const char* p) {
  if (++depth_ > kMaxDepth) luaL_error(L_, "pattern too complex");
  const char* result = nullptr;
  for (bool again = true; again;) {
    again = false;
    step();
    if (*p == '\0') {
      result = s;
    } else if (*p == '(') {
      result = p[1] == ')' ? open_capture(s, p + 2, kPosition) : open_capture(s, p + 1, kOpen);
    } else if (*p == ')') {
      result = close_capture(s, p + 1);
    } else if (*p == '$' && p[1] == '\0') {
      result = s == end_ ? s : nullptr;
    } else if (*p == kEscape && p[1] == 'b') {
      s = match_balance(s, p + 2);
      again = s != nullptr;
      p += 4;
    } else if (*p == kEscape && p[1] == 'f') {
      result = match_frontier(s, p, again);
    } else if (*p == kEscape && std::isdigit(code_of(p[1])) != 0) {
      s = match_back_reference(s, p[1]);
      again = s != nullptr;
      p += 2;
    } else {
      result = match_default(s, p, again);
    }
  }
  --depth_;
  return result;
}

void Matcher::push_capture(int index, const char* from, const char* to) {
  if (index >= level_) {
    if (index != 0) luaL_error(L_, "invalid capture index");
    lua_pushlstring(L_, from, static_cast<std::size_t>(to - from));
    return;
  }
  const Capture& capture = captures_[index];
  if (capture.size == kOpen) luaL_error(L_, "unfinished capture");
  if (capture.size == kPosition)
    lua_pushinteger(L_, capture.start - begin_ + 1);
  else
    lua_pushlstring(L_, capture.start, static_cast<std::size_t>(capture.size));
}

int Matcher::push_captures(const char* from, const char* to) {
  const int count = level_ == 0 && from != nullptr ? 1 : level_;
  luaL_checkstack(L_, count, "too many captures");
  for (int i = 0; i < count; ++i) push_capture(i, from, to);
  return count;
}

}  // namespace picklock::lua
