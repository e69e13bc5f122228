#include "emulator/base/glob.hpp"

#include <algorithm>

#include "emulator/base/text.hpp"

namespace picklock {
namespace {

/// What one element of a pattern (anything but a star) says about one byte.
struct Step {
  bool matches;
  std::size_t next;  // Where the element after it starts.
};

char fold(char c, bool ignore_case) { return ignore_case ? to_lower(c) : c; }

/// Redis compares plain chars, which are signed on the platforms it is run on: a range that crosses
/// 0x80 has its ends swapped.
bool in_range(char first, char last, char byte, bool ignore_case) {
  auto low = static_cast<signed char>(fold(first, ignore_case));
  auto high = static_cast<signed char>(fold(last, ignore_case));
  const auto value = static_cast<signed char>(fold(byte, ignore_case));
  if (static_cast<signed char>(first) > static_cast<signed char>(last)) std::swap(low, high);
  return low <= value && value <= high;
}

/// A class whose '[' stands before `at`. One that is never closed ends with the pattern.
Step match_class(std::string_view pattern, std::size_t at, char byte, bool ignore_case) {
  const bool inverted = at < pattern.size() && pattern[at] == '^';
  if (inverted) ++at;
  bool found = false;
  for (; at < pattern.size() && pattern[at] != ']'; ++at) {
    const std::size_t left = pattern.size() - at;
    if (pattern[at] == '\\' && left >= 2) {
      ++at;
      // Redis does not fold the case of an escaped byte of a class.
      if (pattern[at] == byte) found = true;
    } else if (left >= 3 && pattern[at + 1] == '-') {
      if (in_range(pattern[at], pattern[at + 2], byte, ignore_case)) found = true;
      at += 2;
    } else if (fold(pattern[at], ignore_case) == fold(byte, ignore_case)) {
      found = true;
    }
  }
  return {found != inverted, std::min(at + 1, pattern.size())};
}

Step match_element(std::string_view pattern, std::size_t at, char byte, bool ignore_case) {
  if (pattern[at] == '?') return {true, at + 1};
  if (pattern[at] == '[') return match_class(pattern, at + 1, byte, ignore_case);
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  return {fold(pattern[at], ignore_case) == fold(byte, ignore_case), at + 1};
}

}  // namespace

// Every element takes exactly one byte, so only the last star ever has to be tried again: if what
// follows it fails, an earlier star that took more could not help. That bounds the time by
// pattern x text, where naive recursion is exponential.
bool glob_match(std::string_view pattern, std::string_view text, bool ignore_case) {
  // In Redis a star needs a text to look at: "*" does not match the empty string.
  if (text.empty()) return pattern.empty();
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t after_star = kNone;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_text = t;
      if (p == pattern.size()) return true;
      continue;
    }
    const Step step =
        p < pattern.size() ? match_element(pattern, p, text[t], ignore_case) : Step{false, p};
    if (step.matches) {
      p = step.next;
      ++t;
    } else if (after_star != kNone) {
      p = after_star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

}  // namespace picklock
