#include "emulator/keyspace/list.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

std::vector<std::string> all(const ListValue& list) { return {list.begin(), list.end()}; }

TEST_CASE("a list keeps its order whatever is pushed, popped, inserted and removed") {
  ListValue list;
  std::deque<std::string> model;
  Random random{7};
  for (int i = 0; i < 20'000; ++i) {
    const std::string element = std::to_string(random.below(20));
    const auto at = static_cast<std::ptrdiff_t>(random.below(model.size() + 1));
    switch (random.below(model.size() > 40 ? 7 : 5)) {
      case 0:
        list.push_front(element);
        model.push_front(element);
        break;
      case 1:
        list.push_back(element);
        model.push_back(element);
        break;
      case 2:
        list.insert(static_cast<std::size_t>(at), element);
        model.insert(model.begin() + at, element);
        break;
      case 3:
      case 5:
        if (model.empty()) break;
        REQUIRE(list.front() == model.front());
        list.pop_front();
        model.pop_front();
        break;
      case 4:
      case 6:
        if (model.empty()) break;
        REQUIRE(list.back() == model.back());
        list.pop_back();
        model.pop_back();
        break;
    }
    REQUIRE(all(list) == std::vector<std::string>(model.begin(), model.end()));
  }
}

/// Of lengths that are written in one byte, in three and in nine, and some too long for a chunk.
std::string element_for(Random& random) {
  constexpr std::size_t kLengths[] = {0, 1, 5, 200, 253, 254, 255, 3000, 9000, 70'000};
  const std::size_t kinds = random.below(20) == 0 ? std::size(kLengths) : 5;
  const std::size_t length = kLengths[random.below(kinds)];
  return std::string(length, static_cast<char>('a' + random.below(3)));
}

std::size_t erase_first(std::vector<std::string>& model, const std::string& element,
                        std::size_t limit) {
  std::size_t erased = 0;
  std::erase_if(model, [&](const std::string& other) {
    return other == element && erased < limit && ++erased > 0;
  });
  return erased;
}

TEST_CASE("a list of many chunks and long elements does what a vector does") {
  ListValue list;
  std::vector<std::string> model;
  Random random{11};
  for (int i = 0; i < 6'000; ++i) {
    const std::string element = element_for(random);
    const std::size_t at = random.below(model.size() + 1);
    const auto place = model.begin() + static_cast<std::ptrdiff_t>(at);
    const bool there = at < model.size();
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
        list.insert(at, element);
        model.insert(place, element);
        break;
      case 3:
      case 4:
        list.push_front(element);
        model.insert(model.begin(), element);
        break;
      case 5:
      case 6:
        list.push_back(element);
        model.push_back(element);
        break;
      case 7:
      case 8:
        if (!there) break;
        list.set(at, element);
        *place = element;
        break;
      case 9:
        REQUIRE(list.remove_first(element, at / 200) == erase_first(model, element, at / 200));
        break;
      case 10:
        std::ranges::reverse(model);
        REQUIRE(list.remove_last(element, at / 200) == erase_first(model, element, at / 200));
        std::ranges::reverse(model);
        break;
      case 11:
        if (random.below(400) > 0) break;
        list.keep(at / 4, model.size() - at / 2);
        model = {model.begin() + static_cast<std::ptrdiff_t>(at / 4),
                 model.end() - static_cast<std::ptrdiff_t>(at / 2 - at / 4)};
        break;
    }
    REQUIRE(list.size() == model.size());
    if (there && at < model.size()) REQUIRE(list[at] == model[at]);
    if (i % 50 > 0) continue;
    REQUIRE(all(list) == model);
    std::vector<std::string> backwards;
    for (auto each = list.end(); each != list.begin();) backwards.emplace_back(*--each);
    REQUIRE(std::equal(model.rbegin(), model.rend(), backwards.begin(), backwards.end()));
  }
  CHECK(model.size() > 500);
  const ListValue copy = list;
  ListValue other;
  other.push_back("x");
  other = list;
  list.keep(0, 0);
  CHECK(list.empty());
  CHECK(list.size_bytes() == 0);
  CHECK(all(list).empty());
  CHECK(all(copy) == model);
  CHECK(all(other) == model);
}

TEST_CASE("a list that is used as a queue, or at both ends, keeps what is in it") {
  ListValue list;
  std::deque<std::string> model;
  for (int i = 0; i < 30'000; ++i) {
    const std::string element = std::to_string(i);
    const bool front = i % 3 == 0;
    front ? list.push_front(element) : list.push_back(element);
    front ? model.push_front(element) : model.push_back(element);
    if (i % 10'000 < 5'000) continue;
    for (int j = 0; j < 2 && !model.empty(); ++j) {
      REQUIRE(list.front() == model.front());
      list.pop_front();
      model.pop_front();
    }
  }
  CHECK(all(list) == std::vector<std::string>(model.begin(), model.end()));
}

TEST_CASE("a copy of a list is another list, and a moved one is empty") {
  ListValue list;
  list.push_front("b");
  list.push_front("a");
  ListValue copy = list;
  copy.push_back("c");
  CHECK(all(list) == std::vector<std::string>{"a", "b"});
  CHECK(all(copy) == std::vector<std::string>{"a", "b", "c"});
  const ListValue moved = std::move(copy);
  CHECK(copy.empty());
  CHECK(moved.size() == 3);
  list = moved;
  CHECK(all(list) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("equal elements are removed from the end that is asked for") {
  ListValue list;
  for (const char* element : {"a", "b", "a", "c", "a"}) list.push_back(element);
  CHECK(list.remove_last("a", 2) == 2);
  CHECK(all(list) == std::vector<std::string>{"a", "b", "c"});
  CHECK(list.remove_first("x", 2) == 0);
  list.keep(1, 1);
  CHECK(all(list) == std::vector<std::string>{"b"});
}

}  // namespace
}  // namespace picklock
