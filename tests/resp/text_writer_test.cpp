#include "emulator/resp/text_writer.hpp"

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

TEST_CASE("a reply is shown as redis-cli prints it") {
  TextWriter writer;
  writer.array(3);
  writer.bulk("a\"\n\x01");
  writer.array(2);
  writer.integer(1);
  writer.null();
  CHECK_FALSE(writer.complete());
  writer.array(0);
  REQUIRE(writer.complete());
  CHECK(writer.text() ==
        "1) \"a\\\"\\n\\x01\"\n"
        "2) 1) (integer) 1\n"
        "   2) (nil)\n"
        "3) (empty array)");
}

TEST_CASE("a map's value stands on a line of its own if it has more than one element") {
  TextWriter writer;
  writer.map(2);
  writer.bulk("one");
  writer.array(1);
  writer.boolean(true);
  writer.bulk("two");
  writer.array(2);
  writer.integer(1);
  writer.integer(2);
  CHECK(writer.text() ==
        "1# \"one\" => 1) (true)\n"
        "2# \"two\" => \n"
        "   1) (integer) 1\n"
        "   2) (integer) 2");
}

TEST_CASE("a client of RESP2 is shown a map as an array") {
  TextWriter writer(2);
  writer.map(1);
  writer.boolean(true);
  writer.real(0.5);
  CHECK(writer.text() == "1) (integer) 1\n2) \"0.5\"");
}

TEST_CASE("of several replies the first is shown") {
  TextWriter writer;
  writer.array(1);
  writer.integer(1);
  CHECK(writer.text() == "1) (integer) 1");
  writer.array(2);
  writer.array(0);
  CHECK_FALSE(writer.complete());
  writer.status("OK");
  CHECK(writer.complete());
  CHECK(writer.text() == "1) (integer) 1");
}

TEST_CASE("what is enough of a reply begins as the whole does, and says that there is more") {
  constexpr std::size_t kEnough = 40;
  TextWriter whole, part(3, kEnough);
  for (TextWriter* const writer : {&whole, &part}) {
    writer->array(1000);
    for (int i = 0; i < 500; ++i) {
      writer->array(1);
      writer->integer(i);
      CHECK_FALSE(writer->complete());
      writer->bulk(std::string(100, 'x'));
    }
    CHECK(writer->complete());
  }
  CHECK(part.text().size() > kEnough);
  CHECK(part.text().size() < 4 * kEnough);
  CHECK(part.text().substr(0, kEnough) == whole.text().substr(0, kEnough));
}

}  // namespace
}  // namespace picklock
