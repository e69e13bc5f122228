#include "emulator/resp/resp_writer.hpp"

#include <functional>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using picklock::ReplyWriter;
using picklock::RespWriter;
using namespace std::string_literals;

namespace {

using Write = std::function<void(ReplyWriter&)>;

std::string bytes_of(int version, const Write& write) {
  std::string out;
  RespWriter writer{out, version};
  write(writer);
  return out;
}

struct Row {
  const char* name;
  Write write;
  std::string resp2;
  std::string resp3;
};

}  // namespace

TEST_CASE("each type has its bytes in RESP2 and in RESP3") {
  const Row rows[] = {
      {"integer", [](auto& w) { w.integer(12345); }, ":12345\r\n", ":12345\r\n"},
      {"least integer", [](auto& w) { w.integer(std::numeric_limits<std::int64_t>::min()); },
       ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"},
      {"bulk", [](auto& w) { w.bulk("Hello World"); }, "$11\r\nHello World\r\n",
       "$11\r\nHello World\r\n"},
      {"empty bulk", [](auto& w) { w.bulk(""); }, "$0\r\n\r\n", "$0\r\n\r\n"},
      {"binary bulk", [](auto& w) { w.bulk("\0\r\n\xff"s); }, "$4\r\n\0\r\n\xff\r\n"s,
       "$4\r\n\0\r\n\xff\r\n"s},
      {"status", [](auto& w) { w.ok(); }, "+OK\r\n", "+OK\r\n"},
      {"error", [](auto& w) { w.error("ERR no"); }, "-ERR no\r\n", "-ERR no\r\n"},
      {"null", [](auto& w) { w.null(); }, "$-1\r\n", "_\r\n"},
      {"null array", [](auto& w) { w.null_array(); }, "*-1\r\n", "_\r\n"},
      {"array", [](auto& w) { w.array(3); }, "*3\r\n", "*3\r\n"},
      {"empty array", [](auto& w) { w.array(0); }, "*0\r\n", "*0\r\n"},
      {"map", [](auto& w) { w.map(3); }, "*6\r\n", "%3\r\n"},
      {"set", [](auto& w) { w.set(3); }, "*3\r\n", "~3\r\n"},
      {"push", [](auto& w) { w.push(2); }, "*2\r\n", ">2\r\n"},
      {"true", [](auto& w) { w.boolean(true); }, ":1\r\n", "#t\r\n"},
      {"false", [](auto& w) { w.boolean(false); }, ":0\r\n", "#f\r\n"},
      {"double", [](auto& w) { w.real(3.141); }, "$5\r\n3.141\r\n", ",3.141\r\n"},
      {"big number", [](auto& w) { w.big_number("1234567999999999999999999999999999999"); },
       "$37\r\n1234567999999999999999999999999999999\r\n",
       "(1234567999999999999999999999999999999\r\n"},
      {"verbatim", [](auto& w) { w.verbatim("txt", "This is a verbatim\nstring"); },
       "$25\r\nThis is a verbatim\nstring\r\n", "=29\r\ntxt:This is a verbatim\nstring\r\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(bytes_of(2, row.write) == row.resp2);
    CHECK(bytes_of(3, row.write) == row.resp3);
  }
}

TEST_CASE("doubles are printed with 17 digits, infinities and NaN by name") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto real = [](int version, double value) {
    return bytes_of(version, [value](ReplyWriter& w) { w.real(value); });
  };
  CHECK(real(3, 0.1) == ",0.10000000000000001\r\n");
  CHECK(real(3, 1e17) == ",1e+17\r\n");
  CHECK(real(3, inf) == ",inf\r\n");
  CHECK(real(3, -inf) == ",-inf\r\n");
  CHECK(real(3, nan) == ",nan\r\n");
  CHECK(real(3, -nan) == ",-nan\r\n");
  CHECK(real(2, inf) == "$3\r\ninf\r\n");
  CHECK(real(2, -1.5) == "$4\r\n-1.5\r\n");
}

TEST_CASE("a status or an error cannot break the protocol with a line break") {
  CHECK(bytes_of(2, [](auto& w) { w.status("A b\r\nc\r\n"); }) == "+A b  c  \r\n");
  CHECK(bytes_of(2, [](auto& w) { w.error("A b\r\nc\r\n"); }) == "-A b  c\r\n");
  CHECK(bytes_of(2, [](auto& w) { w.error("\r\n"); }) == "-\r\n");
  CHECK(bytes_of(2, [](auto& w) { w.error("\r\nERR x"); }) == "-  ERR x\r\n");
}

TEST_CASE("replies are appended, and the version may change between two of them") {
  std::string out = "+before\r\n";
  RespWriter writer{out};
  writer.null();
  writer.set_version(3);
  writer.null();
  CHECK(out == "+before\r\n$-1\r\n_\r\n");
}
