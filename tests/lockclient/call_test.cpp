// How a request's words, numbers and counts lie in memory.
#include "lockclient/machine/call.hpp"

#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace picklock;
using lock::Digits;
using lock::Ordinal;
using lock::Words;

namespace {

void check_words(const Words& words, const std::vector<std::string>& expected) {
  REQUIRE(words.size() == expected.size());
  std::vector<std::string_view> views{"before"};
  words.append_to(views);
  REQUIRE(views.size() == expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(words[i] == expected[i]);
    CHECK(views[i + 1] == expected[i]);
  }
  if (!expected.empty()) CHECK(words.back() == expected.back());
}

}  // namespace

TEST_CASE("words: few and many, short and long") {
  for (const std::size_t size : {0, 1, 10, 26, 27, 28, 100, 215, 216, 217, 5000}) {
    for (const std::size_t count : {0, 1, 2, 7, 8, 9, 30}) {
      Words words;
      std::vector<std::string> expected;
      for (std::size_t i = 0; i < count; ++i) {
        expected.emplace_back(size, static_cast<char>('a' + i % 26));
        const std::string_view word = expected.back();
        if (i % 2 == 0)
          words.add(word);
        else
          words.add(word.substr(0, size / 3), word.substr(size / 3));
        check_words(words, expected);
      }
      const Words copy = words;
      const Words moved = std::move(words);
      check_words(copy, expected);
      check_words(moved, expected);
    }
  }
  check_words({"SUBSCRIBE", "", "x"}, {"SUBSCRIBE", "", "x"});
}

TEST_CASE("digits: of every size") {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, std::int64_t{30'000},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    CHECK(Digits{number}.text() == std::to_string(number));
}

TEST_CASE("ordinals: their digits compare as they do") {
  Ordinal counted;
  CHECK(counted.digits() == "000000000000000");
  for (std::int64_t i = 1; i < 12'000; ++i) {
    const std::string before{counted.digits()};
    ++counted;
    CHECK(counted.value() == i);
    CHECK(counted.digits() == Ordinal{i}.digits());
    CHECK(counted.digits() > before);
  }
  CHECK(counted.digits() == "000000000011999");
  CHECK(Ordinal{Ordinal::kEnd - 1}.digits() == "999999999999999");
  Ordinal nines{999'999'999};
  ++nines;
  CHECK(nines.digits() == "000001000000000");
}
