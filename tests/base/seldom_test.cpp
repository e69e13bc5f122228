// What hardly ever holds anything is assigned like what often does.
#include "emulator/base/seldom.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using picklock::Seldom;

TEST_CASE("what hardly ever holds anything takes over what another one holds, and nothing") {
  using Words = Seldom<std::vector<std::string>>;
  const Words none;
  const Words some{"a", "b"};
  Words words;
  words = none;
  CHECK(words.empty());
  words = some;
  CHECK(words == some);
  words.push_back("c");
  CHECK(some.size() == 2);
  words = none;
  CHECK(words.empty());
  words = {"d"};
  Words taken{std::move(words)};
  CHECK(taken == Words{"d"});
  words = std::move(taken);
  CHECK(words == Words{"d"});

  Seldom<std::map<int, int>> pairs;
  const Seldom<std::map<int, int>> others{{1, 2}};
  pairs = others;
  CHECK(pairs.at(1) == 2);
}
