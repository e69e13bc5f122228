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
