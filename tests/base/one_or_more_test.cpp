// The list that keeps a single element in place: as a std::vector would do it.
#include "emulator/base/one_or_more.hpp"

#include <string>

#include "tests/support/catch.hpp"

using picklock::OneOrMore;

namespace {

std::string joined(const OneOrMore<std::string>& list) {
  std::string all;
  for (const std::string& one : list) all += one + ' ';
  CHECK(list.empty() == all.empty());
  return all;
}

}  // namespace

TEST_CASE("a list of one or more elements grows and shrinks") {
  OneOrMore<std::string> list;
  CHECK(joined(list).empty());
  list.push_back("a");
  CHECK(joined(list) == "a ");
  CHECK(&list.back() == &list.front());
  list.push_back("b");
  list.push_back("c");
  CHECK(joined(list) == "a b c ");
  CHECK(list[1] == "b");
  const OneOrMore<std::string> copy = list;
  list.erase(list.begin() + 1);
  CHECK(joined(list) == "a c ");
  list.erase(list.begin());
  list.push_back("d");
  CHECK(joined(list) == "c d ");
  list.erase(list.end() - 1);
  list.erase(list.begin());
  CHECK(joined(list).empty());
  list.push_back("e");
  CHECK(joined(list) == "e ");
  list.erase(list.begin());
  list.push_back("f");
  CHECK(joined(list) == "f ");
  CHECK(joined(copy) == "a b c ");
}

TEST_CASE("a list of one or more elements is empty once it was moved from") {
  for (const int count : {0, 1, 3}) {
    OneOrMore<std::string> list;
    for (int i = 0; i < count; ++i) list.push_back(std::to_string(i));
    const std::string before = joined(list);
    OneOrMore<std::string> moved = std::move(list);
    CHECK(joined(list).empty());
    CHECK(joined(moved) == before);
    list.push_back("x");
    CHECK(joined(list) == "x ");
    list = std::move(moved);
    CHECK(joined(moved).empty());
    CHECK(joined(list) == before);
  }
}

TEST_CASE("a list of one or more elements has as many as it is made with") {
  for (const std::size_t size : {0, 1, 3}) {
    OneOrMore<std::string> list(size);
    CHECK(list.size() == size);
    for (const std::string& one : list) CHECK(one.empty());
    list.push_back("x");
    CHECK(list.size() == size + 1);
    CHECK(list.back() == "x");
    list.clear();
    CHECK(joined(list).empty());
    list.push_back("y");
    CHECK(joined(list) == "y ");
  }
}
