#include "emulator/resp/reply_parser.hpp"

#include <limits>
#include <string>
#include <vector>

#include "emulator/resp/resp_writer.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::string_literals;
using Type = Reply::Type;

namespace {

struct Outcome {
  std::vector<Reply> replies;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

void drain(ReplyParser& parser, Outcome& outcome) {
  while (auto reply = parser.next()) outcome.replies.push_back(std::move(*reply));
  outcome.error = parser.error();
}

/// The outcome of `bytes`, which must be the same wherever they are cut.
Outcome parse(std::string_view bytes) {
  Outcome whole;
  ReplyParser at_once;
  at_once.feed(bytes);
  drain(at_once, whole);

  Outcome cut;
  ReplyParser bytewise;
  for (const char& byte : bytes) {
    bytewise.feed({&byte, 1});
    drain(bytewise, cut);
  }
  CHECK(cut == whole);
  return whole;
}

Reply one(std::string_view bytes) {
  const Outcome outcome = parse(bytes);
  CHECK(outcome.error.empty());
  REQUIRE(outcome.replies.size() == 1);
  return outcome.replies[0];
}

std::string nested(std::size_t depth) {
  std::string bytes;
  for (std::size_t i = 0; i < depth; ++i) bytes += "*1\r\n";
  return bytes + ":1\r\n";
}

}  // namespace

TEST_CASE("each type of both protocols is read") {
  const double inf = std::numeric_limits<double>::infinity();
  struct Row {
    std::string bytes;
    Reply reply;
  };
  const Row rows[] = {
      {"+OK\r\n", status("OK")},
      {"+\r\n", status("")},
      {"-ERR no\r\n", error("ERR no")},
      {":-12\r\n", integer(-12)},
      {"$5\r\nvalue\r\n", bulk("value")},
      {"$0\r\n\r\n", bulk("")},
      {"$4\r\n\0\r\n\xff\r\n"s, bulk("\0\r\n\xff"s)},
      {"$-1\r\n", nil},
      {"*-1\r\n", nil},
      {"_\r\n", nil},
      {"*0\r\n", array()},
      {"*2\r\n*1\r\n:1\r\n$1\r\na\r\n", array(array(1), "a")},
      {"%1\r\n+k\r\n*0\r\n", Reply::make_aggregate(Type::map, {status("k"), array()})},
      {"~2\r\n:1\r\n:2\r\n", Reply::make_aggregate(Type::set, {integer(1), integer(2)})},
      {">1\r\n$1\r\na\r\n", Reply::make_aggregate(Type::push, {bulk("a")})},
      {"#t\r\n", Reply::make_boolean(true)},
      {"#f\r\n", Reply::make_boolean(false)},
      {",3.141\r\n", Reply::make_real(3.141)},
      {",-1e+17\r\n", Reply::make_real(-1e17)},
      {",inf\r\n", Reply::make_real(inf)},
      {",-inf\r\n", Reply::make_real(-inf)},
      {",nan\r\n", Reply::make_real(std::numeric_limits<double>::quiet_NaN())},
      {",-nan\r\n", Reply::make_real(std::numeric_limits<double>::quiet_NaN())},
      {"(-12345678901234567890123\r\n",
       Reply::make_text(Type::big_number, "-12345678901234567890123")},
      {"=8\r\ntxt:a\r\nb\r\n", Reply::make_text(Type::verbatim, "txt:a\r\nb")},
      {"!5\r\nERR x\r\n", error("ERR x")},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes);
    CHECK(one(row.bytes) == row.reply);
  }
}

TEST_CASE("a carriage return alone does not end a line") {
  CHECK(one("+a\rb\nc\r\r\n") == status("a\rb\nc\r"));
}

TEST_CASE("attributes are skipped wherever they stand") {
  const std::string attribute = "|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n";
  CHECK(one(attribute + "$1\r\na\r\n") == "a");
  CHECK(one("*2\r\n" + attribute + ":1\r\n" + attribute + ":2\r\n") == array(1, 2));
  CHECK(one("|0\r\n*1\r\n|0\r\n:1\r\n") == array(1));
}

TEST_CASE("a push before a reply is a reply of its own") {
  const Outcome outcome = parse(">2\r\n$16\r\nserver-cpu-usage\r\n:42\r\n$5\r\nreply\r\n");
  REQUIRE(outcome.replies.size() == 2);
  CHECK(outcome.replies[0].type() == Type::push);
  CHECK(outcome.replies[1] == "reply");
}

TEST_CASE("a broken stream says what was found and where") {
  struct Row {
    std::string bytes;
    const char* error;
  };
  const Row rows[] = {
      {"?", "protocol error at byte 0: expected the type of a reply, found \"?\""},
      {"+OK\r\nx\r\n", "protocol error at byte 5: expected the type of a reply, found \"x\""},
      {":\r\n", "protocol error at byte 0: expected an integer, found \"\""},
      {":1a\r\n", "protocol error at byte 0: expected an integer, found \"1a\""},
      {",1,5\r\n", "protocol error at byte 0: expected a double, found \"1,5\""},
      {"#x\r\n", "protocol error at byte 0: expected a boolean, found \"x\""},
      {"_x\r\n", "protocol error at byte 0: expected a null, found \"x\""},
      {"(12x\r\n", "protocol error at byte 0: expected a big number, found \"12x\""},
      {"(-\r\n", "protocol error at byte 0: expected a big number, found \"-\""},
      {"$-2\r\n", "protocol error at byte 0: expected a length, found \"-2\""},
      {"%-1\r\n", "protocol error at byte 0: expected a length, found \"-1\""},
      {"*1\r\n$x\r\n", "protocol error at byte 4: expected a length, found \"x\""},
      {"$1\r\nabc", "protocol error at byte 5: expected the end of a string, found \"bc\""},
      {"=3\r\ntxt\r\n", "protocol error at byte 0: a verbatim string is too short for its format"},
      {"$?\r\n", "protocol error at byte 0: streamed replies are not supported"},
      {"*2147483648\r\n", "protocol error at byte 0: too many elements: \"2147483648\""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes);
    CHECK(parse(row.bytes).error == row.error);
  }
}

TEST_CASE("replies before a breach are handed out, those after it never") {
  const Outcome outcome = parse("+a\r\n:x\r\n+b\r\n");
  CHECK(outcome.replies == std::vector<Reply>{status("a")});
  CHECK(outcome.error == "protocol error at byte 4: expected an integer, found \"x\"");
}

TEST_CASE("huge announced lengths wait for their bytes") {
  for (const char* bytes :
       {"$9223372036854775807\r\nabc", "*2147483647\r\n:1\r\n", "%2147483647\r\n*2147483647\r\n"}) {
    CAPTURE(bytes);
    CHECK(parse(bytes) == Outcome{});
  }
}

TEST_CASE("replies may nest a thousand levels but not without end") {
  CHECK(one(nested(1024)).type() == Type::array);
  CHECK(parse(nested(1025)).error == "protocol error at byte 4096: replies are nested too deeply");
}

TEST_CASE("what the writer writes is read back") {
  std::string bytes;
  RespWriter writer{bytes, 3};
  writer.map(2);
  writer.bulk("a"), writer.real(0.1);
  writer.bulk("b"), writer.array(3);
  writer.boolean(true), writer.null(), writer.verbatim("txt", "hi");
  const Reply inner =
      array(Reply::make_boolean(true), nil, Reply::make_text(Type::verbatim, "txt:hi"));
  CHECK(one(bytes) ==
        Reply::make_aggregate(Type::map, {bulk("a"), Reply::make_real(0.1), bulk("b"), inner}));
}
