#include "emulator/keyspace/set.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

std::string order(const SetValue& set) {
  std::string text;
  set.for_each([&](std::string_view member) { text += std::string{member} + " "; });
  return text;
}

TEST_CASE("a set of integers is in numeric order") {
  SetValue set;
  for (const char* member : {"10", "9", "-1", "100"}) CHECK(set.add(member));
  CHECK_FALSE(set.add("9"));
  CHECK(order(set) == "-1 9 10 100 ");
  CHECK(set.erase("10"));
  CHECK_FALSE(set.erase("10"));
  CHECK(order(set) == "-1 9 100 ");
}

TEST_CASE("one member that is no integer puts a set into order of insertion for good") {
  SetValue set;
  set.add("2");
  set.add("1");
  set.add("01");
  CHECK(order(set) == "2 1 01 ");
  set.erase("01");
  CHECK_FALSE(set.is_intset());
  CHECK(order(set) == "2 1 ");
}

TEST_CASE("a set of more integers than the limit is an intset no longer") {
  SetValue set;
  EncodingLimits limits;
  limits.set_max_intset_entries = 2;
  set.add("3", limits);
  set.add("2", limits);
  CHECK(set.is_intset());
  set.add("1", limits);
  CHECK_FALSE(set.is_intset());
  CHECK(set.size() == 3);
}

}  // namespace
}  // namespace picklock
