#include "emulator/base/glob.hpp"

#include <string>

#include "tests/support/catch.hpp"

using picklock::glob_match;

namespace {

struct Row {
  std::string pattern;
  std::string matching;  // One byte each.
  std::string failing;
};

std::string quoted(char byte) { return {byte}; }

}  // namespace

TEST_CASE("a star takes any bytes, a question mark one") {
  CHECK(glob_match("lock:*", "lock:ledger"));
  CHECK(glob_match("lock:*", "lock:"));
  CHECK_FALSE(glob_match("lock:*", "lock"));
  CHECK(glob_match("*:*", "a:b:c"));
  CHECK(glob_match("a**c", "abbc"));
  CHECK(glob_match("h?llo", "hello"));
  CHECK_FALSE(glob_match("h?llo", "hllo"));
  CHECK_FALSE(glob_match("hello", "hello!"));
  CHECK_FALSE(glob_match("hello", "hell"));
  CHECK(glob_match("*a?b*", "xxacbyy"));
  CHECK(glob_match("*ab*ab", "abxabab"));
  CHECK_FALSE(glob_match("*ab*abx", "abxabab"));
}

TEST_CASE("only the empty pattern matches the empty text") {
  CHECK(glob_match("", ""));
  CHECK_FALSE(glob_match("*", ""));
  CHECK_FALSE(glob_match("**", ""));
  CHECK_FALSE(glob_match("?", ""));
  CHECK_FALSE(glob_match("", "a"));
}

TEST_CASE("classes and escapes follow Redis in their edges") {
  const Row rows[] = {
      {"[abc]", "abc", "d]["}, {"[^abc]", "d^]", "abc"}, {"[a-c]", "abc", "d-"},
      {"[c-a]", "abc", "d-"},  {"[", "", "[a"},          {"[a", "a", "[b"},
      {"[^", "[^a", ""},       {"[^a", "b[^", "a"},      {"[]", "", "[]a"},
      {"[^]", "[]^a", ""},     {"[^^]", "a]", "^"},      {"[\\", "\\", "[a"},
      {"[a-", "a-", "b["},     {"[a-]", "a]^", "-b["},   {"[--b]", "-]ab", "z"},
      {"[\\]]", "]", "\\["},   {"[\\a-b]", "a-b", "\\"}, {"[a\\-b]", "a-b", "\\"},
      {"[*?]", "*?", "a"},     {"\\", "\\", "a"},        {"\\*", "*", "a\\"},
      {"\\?", "?", "a"},       {"\\[", "[", "a"},        {"*\\", "\\", "a"},
      {"*[^", "a[", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    for (const char byte : row.matching) CHECK(glob_match(row.pattern, quoted(byte)));
    for (const char byte : row.failing) CHECK_FALSE(glob_match(row.pattern, quoted(byte)));
  }
  CHECK(glob_match("a[\\]]b", "a]b"));
  CHECK_FALSE(glob_match("[]a]", "aa]"));
}

TEST_CASE("ranges compare signed bytes, as Redis does on x86") {
  CHECK(glob_match("[\x80-\xff]", "\x90"));
  CHECK_FALSE(glob_match("[\x80-\xff]", "a"));
  CHECK(glob_match("[a-\xff]", "A"));
  CHECK_FALSE(glob_match("[a-\xff]", "b"));
  CHECK_FALSE(glob_match("[a-\xff]", "\x80"));
}

TEST_CASE("NUL is a byte like any other") {
  const std::string text{"a\0b", 3};
  CHECK(glob_match("a?b", text));
  CHECK(glob_match(text, text));
  CHECK_FALSE(glob_match("a", text));
}

TEST_CASE("folding the case leaves escaped bytes of a class alone") {
  CHECK(glob_match("PoRt", "port", true));
  CHECK_FALSE(glob_match("PoRt", "port"));
  CHECK(glob_match("[P]ort", "port", true));
  CHECK(glob_match("[A-Q]ort", "port", true));
  CHECK(glob_match("[Q-A]ort", "port", true));
  CHECK(glob_match("\\PORT*", "port", true));
  CHECK(glob_match("[\\p]ort", "port", true));
  CHECK_FALSE(glob_match("[\\P]ort", "port", true));
  CHECK_FALSE(glob_match("por[^T]", "port", true));
  CHECK_FALSE(glob_match("[Z-a]ort", "port", true));
}

TEST_CASE("a hostile pattern takes no exponential time") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  pattern += "b";
  const std::string text(5000, 'a');
  CHECK_FALSE(glob_match(pattern, text));
  CHECK(glob_match(pattern, text + "b"));
  CHECK_FALSE(glob_match("*[a-z]*[a-z]*[a-z]*[^a]", text));
}
