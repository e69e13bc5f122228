#include "emulator/base/copy_on_write.hpp"

#include <string>

#include "tests/support/catch.hpp"

using picklock::CopyOnWrite;

namespace {

struct Named {
  std::string name = "nobody";
};

}  // namespace

TEST_CASE("a value that nobody has changed is as it was made") {
  const CopyOnWrite<Named> value;
  CHECK(value->name == "nobody");
}

TEST_CASE("a copy shares the value until one of both changes it") {
  CopyOnWrite<Named> value;
  value.edit().name = "a";
  const CopyOnWrite<Named> copy = value;
  CHECK(&*copy == &*value);
  value.edit().name = "b";
  CHECK(copy->name == "a");
  CHECK(value->name == "b");
}

TEST_CASE("a value that nobody shares is changed in place") {
  CopyOnWrite<Named> value;
  Named& own = value.edit();
  CHECK(&value.edit() == &own);
  { const CopyOnWrite<Named> copy = value; }
  CHECK(&value.edit() == &own);
}

TEST_CASE("a copy is put back by assignment") {
  CopyOnWrite<Named> value;
  const CopyOnWrite<Named> kept = value;
  value.edit().name = "a";
  value = kept;
  CHECK(value->name == "nobody");
  value.edit().name = "b";
  value.reset();
  CHECK(value->name == "nobody");
}
