// What is hardly ever there is a value like any other.
#include "emulator/base/rare.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using picklock::Rare;

using Words = std::vector<std::string>;

TEST_CASE("what is hardly ever there comes with an assignment, and goes") {
  Rare<Words> words;
  CHECK_FALSE(words);
  words = Words{"a"};
  REQUIRE(words);
  CHECK(*words == Words{"a"});
  words->push_back("b");
  CHECK(words->size() == 2);
  words = Words{};
  REQUIRE(words);
  CHECK(words->empty());
  words.reset();
  CHECK_FALSE(words);
}

TEST_CASE("copies of what is hardly ever there share nothing") {
  const Rare<Words> none;
  Rare<Words> some;
  some = Words{"a", "b"};
  Rare<Words> copy{some};
  copy->push_back("c");
  CHECK(some->size() == 2);
  const Words* place = &*copy;
  copy = some;
  CHECK(*copy == Words{"a", "b"});
  CHECK(&*copy == place);  // The memory is used again.
  copy->clear();
  CHECK(some->size() == 2);
  copy = none;
  CHECK_FALSE(copy);
  copy = some;
  REQUIRE(copy);
  CHECK(*copy == *some);
  const Rare<Words>& itself = copy;
  copy = itself;
  CHECK(*copy == *some);
  CHECK_FALSE(Rare<Words>{none});
}

TEST_CASE("what is hardly ever there can be moved") {
  Rare<Words> words;
  words = Words{"a"};
  Rare<Words> taken{std::move(words)};
  REQUIRE(taken);
  CHECK(*taken == Words{"a"});
  words = std::move(taken);
  REQUIRE(words);
  CHECK(*words == Words{"a"});
}
