#include "emulator/keyspace/list.hpp"

#include <deque>
#include <string>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

std::vector<std::string> all(const ListValue& list) {
  return {list.elements().begin(), list.elements().end()};
}

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
        REQUIRE(list.pop_front() == model.front());
        model.pop_front();
        break;
      case 4:
      case 6:
        if (model.empty()) break;
        REQUIRE(list.pop_back() == model.back());
        model.pop_back();
        break;
    }
    REQUIRE(all(list) == std::vector<std::string>(model.begin(), model.end()));
  }
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
