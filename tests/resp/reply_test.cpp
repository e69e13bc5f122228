#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include <picklock/reply.hpp>

#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::string_literals;
using Type = Reply::Type;

namespace {

Reply map(std::vector<Reply> elements) {
  return Reply::make_aggregate(Type::map, std::move(elements));
}

Reply set(std::vector<Reply> elements) {
  return Reply::make_aggregate(Type::set, std::move(elements));
}

template <class R>
constexpr bool can_be_compared_with_nullptr = requires(const R& reply) {
  reply == nullptr;
};

}  // namespace

TEST_CASE("a bulk string and an integer of the same text differ") {
  CHECK(bulk("2") == "2");
  CHECK_FALSE(bulk("2") == 2);
  CHECK(integer(2) == 2);
  CHECK_FALSE(integer(2) == "2");
  CHECK_FALSE(status("2") == "2");
  CHECK_FALSE(integer(1) == Reply::make_boolean(true));
  CHECK_FALSE(nil == bulk(""));
  CHECK_FALSE(nil == array());
  CHECK(integer(-1) != 0xffffffffffffffffu);
}

TEST_CASE("a null pointer is no text, and no nil") {
  const char* missing = nullptr;
  CHECK_FALSE(bulk("") == missing);
  CHECK_FALSE(nil == missing);
  CHECK_FALSE(can_be_compared_with_nullptr<Reply>);
}

TEST_CASE("aggregates are equal with equal types and elements") {
  CHECK(array(1, "a", nil) == array(1, "a", nil));
  CHECK_FALSE(array(1, "a") == array(1, "b"));
  CHECK_FALSE(array(1) == array(1, 1));
  CHECK_FALSE(array(1) == set({integer(1)}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Reply::make_real(nan) == Reply::make_real(nan));
  CHECK_FALSE(Reply::make_real(nan) == Reply::make_real(1));
}

TEST_CASE("a reply may be replaced by an element of its own") {
  const std::string a(100, 'a'), b(100, 'b');
  Reply copied = array(array(a, b), 1, 2, 3);
  copied = copied[0];
  CHECK(copied == array(a, b));
  Reply moved = array(array(a, b), 1, 2, 3);
  moved = std::move(moved.elements()[0]);
  CHECK(moved == array(a, b));
}

TEST_CASE("an accessor of another type says which reply it met") {
  CHECK(integer(3).integer() == 3);
  CHECK(Reply::make_boolean(true).integer() == 1);
  CHECK(Reply::make_real(1.5).real() == 1.5);
  CHECK(error("ERR x").text() == "ERR x");
  CHECK_THROWS_AS(bulk("3").integer(), std::logic_error);
  CHECK_THROWS_AS(integer(3).text(), std::logic_error);
  CHECK_THROWS_AS(integer(3).real(), std::logic_error);
  CHECK_THROWS_AS(array(1)[1], std::out_of_range);
  CHECK_THROWS_WITH(error("WRONGTYPE no list")[0],
                    "the reply has no element 0: (error) WRONGTYPE no list");
  CHECK_THROWS_WITH(bulk("3").integer(), "the reply is not an integer: \"3\"");
  CHECK(bulk("3").elements().empty());
}

TEST_CASE("scalars are printed as redis-cli prints them") {
  struct Row {
    Reply reply;
    const char* text;
  };
  const Row rows[] = {
      {nil, "(nil)"},
      {status("OK"), "OK"},
      {error("ERR no"), "(error) ERR no"},
      {integer(-12), "(integer) -12"},
      {bulk(""), "\"\""},
      {bulk("Hello World"), "\"Hello World\""},
      {bulk("\n\r\t\a\b\\\"'"), R"("\n\r\t\a\b\\\"'")"},
      {bulk("\0\x01\x7f\x80\xff~"s), R"("\x00\x01\x7f\x80\xff~")"},
      {Reply::make_boolean(true), "(true)"},
      {Reply::make_boolean(false), "(false)"},
      {Reply::make_real(3.141), "(double) 3.141"},
      {Reply::make_real(std::numeric_limits<double>::infinity()), "(double) inf"},
      {Reply::make_text(Type::big_number, "12345678901234567890"),
       "(big number) 12345678901234567890"},
      {Reply::make_text(Type::verbatim, "txt:This is a verbatim\nstring"),
       "This is a verbatim\nstring"},
      {array(), "(empty array)"},
      {map({}), "(empty hash)"},
      {set({}), "(empty set)"},
      {Reply::make_aggregate(Type::push, {}), "(empty push)"},
  };
  for (const Row& row : rows) CHECK(row.reply.to_string() == row.text);
}

TEST_CASE("nested arrays are printed with aligned indices") {
  const Reply reply = array(array("a", array("b", "c\x01"), array()), 1, 2, 3, 4, 5, 6, 7,
                            array("x", "y"), error("ERR x"), status("fine"), nil);
  CHECK(reply.to_string() ==
        " 1) 1) \"a\"\n"
        "    2) 1) \"b\"\n"
        "       2) \"c\\x01\"\n"
        "    3) (empty array)\n"
        " 2) (integer) 1\n"
        " 3) (integer) 2\n"
        " 4) (integer) 3\n"
        " 5) (integer) 4\n"
        " 6) (integer) 5\n"
        " 7) (integer) 6\n"
        " 8) (integer) 7\n"
        " 9) 1) \"x\"\n"
        "    2) \"y\"\n"
        "10) (error) ERR x\n"
        "11) fine\n"
        "12) (nil)");
}

TEST_CASE("maps and sets have marks of their own, and long values their own lines") {
  CHECK(set({integer(0), integer(1)}).to_string() == "1~ (integer) 0\n2~ (integer) 1");
  CHECK(map({integer(0), Reply::make_boolean(false)}).to_string() == "1# (integer) 0 => (false)");
  const Reply inner = map({bulk("c"), integer(1), bulk("d"), array(1, array(2, 3))});
  const Reply reply =
      map({bulk("a"), map({bulk("b"), inner}), bulk("e"), set({bulk("x")}), bulk("f"), map({})});
  CHECK(reply.to_string() ==
        "1# \"a\" => \n"
        "   1# \"b\" => \n"
        "      1# \"c\" => (integer) 1\n"
        "      2# \"d\" => \n"
        "         1) (integer) 1\n"
        "         2) 1) (integer) 2\n"
        "            2) (integer) 3\n"
        "2# \"e\" => 1~ \"x\"\n"
        "3# \"f\" => (empty hash)");
}

TEST_CASE("the indices of a map are as wide as the number of its pairs") {
  std::vector<Reply> elements;
  for (int i = 0; i < 5; ++i) elements.insert(elements.end(), {integer(i), integer(i)});
  CHECK(map(elements).to_string().starts_with("1# (integer) 0"));
  for (int i = 0; i < 5; ++i) elements.insert(elements.end(), {integer(i), integer(i)});
  CHECK(map(elements).to_string().starts_with(" 1# (integer) 0"));
}

TEST_CASE("a reply prints itself to a stream") {
  std::ostringstream out;
  out << array("a", 1);
  CHECK(out.str() == "1) \"a\"\n2) (integer) 1");
}
