#include "emulator/resp/reply_builder.hpp"

#include <functional>
#include <limits>

#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using Type = Reply::Type;

namespace {

using Write = std::function<void(ReplyWriter&)>;

Reply built(int version, const Write& write) {
  ReplyBuilder builder{version};
  write(builder);
  REQUIRE(builder.complete());
  return builder.take();
}

}  // namespace

TEST_CASE("scalars become replies of their type") {
  for (const int version : {2, 3}) {
    CHECK(built(version, [](auto& w) { w.integer(-7); }) == -7);
    CHECK(built(version, [](auto& w) { w.bulk("v"); }) == "v");
    CHECK(built(version, [](auto& w) { w.ok(); }) == status("OK"));
    CHECK(built(version, [](auto& w) { w.error("ERR no"); }) == error("ERR no"));
    CHECK(built(version, [](auto& w) { w.null(); }) == nil);
    CHECK(built(version, [](auto& w) { w.null_array(); }) == nil);
  }
}

TEST_CASE("a client of RESP2 sees no type of RESP3") {
  CHECK(built(2, [](auto& w) { w.boolean(true); }) == 1);
  CHECK(built(2, [](auto& w) { w.real(0.1); }) == "0.10000000000000001");
  CHECK(built(2, [](auto& w) { w.big_number("123"); }) == "123");
  CHECK(built(2, [](auto& w) { w.verbatim("txt", "hello"); }) == "hello");
  CHECK(built(2, [](auto& w) { w.set(1), w.integer(1); }) == array(1));
  CHECK(built(2, [](auto& w) { w.push(1), w.integer(1); }) == array(1));
  CHECK(built(2, [](auto& w) { w.map(1), w.bulk("k"), w.bulk("v"); }) == array("k", "v"));
}

TEST_CASE("a client of RESP3 sees every type") {
  CHECK(built(3, [](auto& w) { w.boolean(true); }) == Reply::make_boolean(true));
  CHECK(built(3, [](auto& w) { w.real(0.1); }) == Reply::make_real(0.1));
  CHECK(built(3, [](auto& w) { w.big_number("12"); }) == Reply::make_text(Type::big_number, "12"));
  CHECK(built(3, [](auto& w) { w.verbatim("txt", "hello"); }) ==
        Reply::make_text(Type::verbatim, "txt:hello"));
  CHECK(built(3, [](auto& w) { w.set(1), w.integer(1); }) ==
        Reply::make_aggregate(Type::set, {integer(1)}));
  CHECK(built(3, [](auto& w) { w.push(1), w.integer(1); }) ==
        Reply::make_aggregate(Type::push, {integer(1)}));
  CHECK(built(3, [](auto& w) { w.map(1), w.bulk("k"), w.bulk("v"); }) ==
        Reply::make_aggregate(Type::map, {bulk("k"), bulk("v")}));
}

TEST_CASE("aggregates nest, and empty ones complete at once") {
  CHECK(built(2, [](auto& w) { w.array(0); }) == array());
  CHECK(built(2, [](auto& w) { w.map(0); }) == array());
  const Reply reply = built(2, [](auto& w) {
    w.array(3);
    w.array(2), w.integer(1), w.array(0);
    w.array(1), w.array(1), w.array(0);
    w.null();
  });
  CHECK(reply == array(array(1, array()), array(array(array())), nil));
}

TEST_CASE("a reply is complete only with its last element") {
  ReplyBuilder builder;
  CHECK_FALSE(builder.complete());
  builder.array(2);
  builder.integer(1);
  CHECK_FALSE(builder.complete());
  builder.array(0);
  CHECK(builder.complete());
  CHECK(builder.take() == array(1, array()));
  CHECK_FALSE(builder.complete());
  builder.bulk("next");
  CHECK(builder.take() == "next");
}

TEST_CASE("line breaks in a status and in an error are those that the wire would show") {
  CHECK(built(2, [](auto& w) { w.status("A\r\nb\r\n"); }) == status("A  b  "));
  CHECK(built(2, [](auto& w) { w.error("A\r\nb\r\n"); }) == error("A  b"));
}

TEST_CASE("an announced length takes no room in advance") {
  ReplyBuilder builder;
  builder.array(std::numeric_limits<std::size_t>::max() / 2);
  builder.integer(1);
  CHECK_FALSE(builder.complete());
}
