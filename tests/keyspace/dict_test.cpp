#include "emulator/keyspace/dict.hpp"

#include <map>
#include <string>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

std::vector<std::string> order(const Dict<int>& dict) {
  std::vector<std::string> keys;
  dict.for_each([&](const auto& entry) { keys.push_back(entry.key); });
  return keys;
}

TEST_CASE("a dict iterates in order of insertion, whatever the keys hash to") {
  Dict<int> dict;
  for (const char* key : {"zebra", "apple", "", "mango"}) dict.insert(key);
  dict.insert("apple").first->value = 7;
  CHECK(order(dict) == std::vector<std::string>{"zebra", "apple", "", "mango"});
  CHECK(*dict.find("apple") == 7);
}

TEST_CASE("a key that is erased and inserted again moves to the end") {
  Dict<int> dict;
  for (const char* key : {"a", "b", "c"}) dict.insert(key);
  CHECK(dict.erase("a"));
  CHECK_FALSE(dict.erase("a"));
  dict.insert("a");
  CHECK(order(dict) == std::vector<std::string>{"b", "c", "a"});
}

TEST_CASE("a dict agrees with std::map over 100,000 random operations") {
  const std::uint64_t keys = GENERATE(300U, 5U);  // Few are looked at one by one.
  Dict<int> dict;
  std::map<std::string, int> model;
  Random random{1};
  for (int step = 0; step < 100'000; ++step) {
    const std::uint64_t number = random.below(keys);
    const std::string key = number == 0 ? "" : "key" + std::to_string(number);
    switch (random.below(4)) {
      case 0:
        REQUIRE(dict.erase(key) == (model.erase(key) > 0));
        break;
      case 1: {
        const int* found = dict.find(key);
        const auto expected = model.find(key);
        REQUIRE((found != nullptr) == (expected != model.end()));
        if (found) REQUIRE(*found == expected->second);
        break;
      }
      default:
        dict.insert(key).first->value = step;
        model[key] = step;
    }
    REQUIRE(dict.size() == model.size());
  }
  std::map<std::string, int> seen;
  dict.for_each([&](const auto& entry) { seen[entry.key] = entry.value; });
  CHECK(seen == model);
}

TEST_CASE("a sequence number finds its entry until the entry is erased, and is never reused") {
  Dict<int> dict;
  const auto first = dict.insert("a").first->sequence;
  for (int i = 0; i < 100; ++i) dict.insert("filler" + std::to_string(i));
  for (int i = 0; i < 100; ++i) dict.erase("filler" + std::to_string(i));
  for (int i = 0; i < 100; ++i) dict.insert("more" + std::to_string(i));
  REQUIRE(dict.find_sequence(first));
  CHECK(dict.find_sequence(first)->key == "a");
  dict.erase("a");
  const auto second = dict.insert("a").first->sequence;
  CHECK(second > first);
  CHECK(dict.find_sequence(first) == nullptr);
}

TEST_CASE("a copied dict is independent of the original") {
  Dict<int> dict;
  dict.insert("a").first->value = 1;
  Dict<int> copy = dict;
  copy.insert("a").first->value = 2;
  copy.insert("b");
  CHECK(*dict.find("a") == 1);
  CHECK(dict.size() == 1);
}

}  // namespace
}  // namespace picklock
