#include "emulator/base/text.hpp"

#include "tests/support/catch.hpp"

using namespace picklock;

TEST_CASE("only ASCII letters have a case") {
  CHECK(lower("SeT @[`{ 1\xc4") == "set @[`{ 1\xc4");
  CHECK(to_upper('z') == 'Z');
  CHECK(to_upper('{') == '{');
  CHECK(to_lower('\xc4') == '\xc4');
}

TEST_CASE("texts are compared without their case but with their length") {
  CHECK(iequals("NX", "nx"));
  CHECK(iequals("", ""));
  CHECK_FALSE(iequals("NX", "nxx"));
  CHECK_FALSE(iequals("[", "{"));
}

TEST_CASE("a word's number is no other word's") {
  for (const std::string word : {"ex", "PX", "get", "ifeq", "keepttl", "eightful"}) {
    INFO(word);
    const auto agree = [&word](const std::string& text) {
      return (word_number(text) == word_number(word)) == is_word(text, word);
    };
    for (std::size_t at = 0; at < word.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = word;
        text[at] = static_cast<char>(byte);
        REQUIRE(agree(text));
        text[at] = word[at];
        REQUIRE(agree(text.insert(at, 1, static_cast<char>(byte))));
      }
      REQUIRE(agree(word.substr(0, at)));
    }
    REQUIRE(agree(word));
    REQUIRE(agree(lower(word)));
    for (int byte = 0; byte < 256; ++byte) REQUIRE(agree(word + static_cast<char>(byte)));
    REQUIRE(word_number(word + std::string{"\0what follows", 13}) == word_number(word));
    REQUIRE(word_number(word + "something else") == 0);
  }
}
