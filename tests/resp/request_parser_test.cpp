#include "emulator/resp/request_parser.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using picklock::RequestParser;
using namespace std::string_literals;
using Status = RequestParser::Status;
using Request = std::vector<std::string>;

namespace {

struct Outcome {
  std::vector<Request> requests;
  std::string error;
  std::size_t left = 0;
  bool operator==(const Outcome&) const = default;
};

void drain(RequestParser& parser, Outcome& outcome, bool authenticated) {
  Status status = parser.next(authenticated);
  for (; status == Status::ready || status == Status::empty; status = parser.next(authenticated))
    if (status == Status::ready)
      outcome.requests.emplace_back(parser.words().begin(), parser.words().end());
  outcome.error = parser.error();
  outcome.left = parser.buffered();
}

Outcome parse_whole(std::string_view bytes, bool authenticated = true) {
  RequestParser parser;
  Outcome outcome;
  parser.feed(bytes);
  drain(parser, outcome, authenticated);
  return outcome;
}

Outcome parse_bytewise(std::string_view bytes, bool authenticated = true) {
  RequestParser parser;
  Outcome outcome;
  for (const char& byte : bytes) {
    parser.feed({&byte, 1});
    drain(parser, outcome, authenticated);
  }
  return outcome;
}

Outcome parse_in_two(std::string_view bytes, std::size_t cut, bool authenticated = true) {
  RequestParser parser;
  Outcome outcome;
  parser.feed(bytes.substr(0, cut));
  drain(parser, outcome, authenticated);
  parser.feed(bytes.substr(cut));
  drain(parser, outcome, authenticated);
  return outcome;
}

/// The outcome of `bytes`, which must be the same wherever they are cut.
Outcome parse(std::string_view bytes, bool authenticated = true) {
  const Outcome outcome = parse_whole(bytes, authenticated);
  CHECK(parse_bytewise(bytes, authenticated) == outcome);
  if (bytes.size() < 1000)
    for (std::size_t cut = 1; cut < bytes.size(); ++cut)
      CHECK(parse_in_two(bytes, cut, authenticated) == outcome);
  return outcome;
}

std::string error_of(std::string_view bytes, bool authenticated = true) {
  return parse(bytes, authenticated).error;
}

/// The words of a single inline request.
Request words_of(std::string_view line) {
  const Outcome outcome = parse(std::string{line} + "\r\n");
  CHECK(outcome.error.empty());
  REQUIRE(outcome.requests.size() == 1);
  return outcome.requests[0];
}

}  // namespace

TEST_CASE("a pipeline gives its requests in order") {
  const Outcome outcome = parse(
      "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nv1\r\n"
      "PING\r\n"
      "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
  CHECK(outcome.requests == std::vector<Request>{{"SET", "k", "v1"}, {"PING"}, {"GET", "k"}});
  CHECK(outcome.error.empty());
  CHECK(outcome.left == 0);
}

TEST_CASE("a word may hold any bytes, and none") {
  const std::string binary = "\0\r\n$*\xff\"'"s;
  const Outcome outcome = parse("*3\r\n$8\r\n" + binary + "\r\n$0\r\n\r\n$2\r\n\r\n\r\n");
  CHECK(outcome.requests == std::vector<Request>{{binary, "", "\r\n"}});
}

TEST_CASE("empty requests are skipped") {
  const Outcome outcome = parse("\r\n\n*0\r\n*-1\r\n*-9223372036854775808\r\n  \t \r\nPING\r\n");
  CHECK(outcome.requests == std::vector<Request>{{"PING"}});
}

TEST_CASE("the bytes behind a carriage return and behind a word are not looked at") {
  CHECK(parse("*1\rX$4\rXPINGxxPING\r\n").requests == std::vector<Request>{{"PING"}, {"PING"}});
}

TEST_CASE("an inline request ends at a newline, with or without a carriage return") {
  CHECK(parse("PING\n").requests == std::vector<Request>{{"PING"}});
  CHECK(parse("PING\r\n").requests == std::vector<Request>{{"PING"}});
  CHECK(parse("PING").requests.empty());
  CHECK(words_of("echo a\rb") == Request{"echo", "a", "b"});
}

TEST_CASE("inline words are separated by white space and may be quoted") {
  CHECK(words_of("  set\tk   v  ") == Request{"set", "k", "v"});
  CHECK(words_of("a\x0b"s + "b \x0c c") == Request{"a\x0b"s + "b", "c"});
  CHECK(words_of("\"\" ''") == Request{"", ""});
  CHECK(words_of("echo \"a b\"") == Request{"echo", "a b"});
  CHECK(words_of("echo a\"b c\"") == Request{"echo", "ab c"});
  CHECK(words_of(R"(echo "\n\r\t\b\a\\\"\q\x41\xfF\xzz")") ==
        Request{"echo", "\n\r\t\b\a\\\"qA\xffxzz"});
  CHECK(words_of(R"(echo "\x00")") == Request{"echo", "\0"s});
  CHECK(words_of(R"(echo "\x4")") == Request{"echo", "x4"});
  CHECK(words_of(R"(echo 'a\'b\n"')") == Request{"echo", R"(a'b\n")"});
  CHECK(words_of(R"(echo a\nb)") == Request{"echo", R"(a\nb)"});
}

TEST_CASE("an open quote and a quote before a letter are unbalanced") {
  for (const std::string& line :
       {R"(echo "a)"s, R"(echo 'a)"s, R"(echo ")"s, R"(echo "a\")"s, R"(echo "a\)"s,
        R"(echo "a"b)"s, R"(echo 'a'b)"s, R"(echo 'a\')"s}) {
    CAPTURE(line);
    CHECK(error_of(line + "\r\n") == "ERR Protocol error: unbalanced quotes in request");
  }
}

TEST_CASE("each breach of the protocol has Redis's text") {
  struct Row {
    std::string bytes;
    const char* reason;
  };
  const Row rows[] = {
      {"*a\r\n", "invalid multibulk length"},
      {"*\r\n", "invalid multibulk length"},
      {"*01\r\n", "invalid multibulk length"},
      {"*+1\r\n", "invalid multibulk length"},
      {"* 1\r\n", "invalid multibulk length"},
      {"*-\r\n", "invalid multibulk length"},
      {"*2147483648\r\n", "invalid multibulk length"},
      {"*9223372036854775808\r\n", "invalid multibulk length"},
      {"*1\nX\r$4\r\nPING\r\n", "invalid multibulk length"},
      {"*1\r\n+PING\r\n", "expected '$', got '+'"},
      {"*1\r\n\r\n", "expected '$', got '\r'"},
      {"*1\r\n\xff\r\n", "expected '$', got '\xff'"},
      {"*1\r\n$a\r\n", "invalid bulk length"},
      {"*1\r\n$\r\n", "invalid bulk length"},
      {"*1\r\n$-1\r\n", "invalid bulk length"},
      {"*1\r\n$4 \r\n", "invalid bulk length"},
      {"*1\r\n$536870913\r\n", "invalid bulk length"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes);
    CHECK(error_of(row.bytes) == "ERR Protocol error: "s + row.reason);
  }
}

TEST_CASE("requests before a breach are still handed out, those after it never") {
  RequestParser parser;
  parser.feed("PING\r\n*x\r\nPING\r\n");
  CHECK(parser.next() == Status::ready);
  CHECK(parser.next() == Status::error);
  parser.feed("PING\r\n");
  CHECK(parser.next() == Status::error);
  CHECK(parser.error() == "ERR Protocol error: invalid multibulk length");
  CHECK(parser.words().empty());
  parser.reset();
  parser.feed("PING\r\n");
  CHECK(parser.next() == Status::ready);
}

TEST_CASE("a line without an end is refused beyond 64 KB") {
  const std::string fill(65536, '1');
  CHECK(error_of(fill).empty());
  CHECK(error_of(fill + "1") == "ERR Protocol error: too big inline request");
  CHECK(parse(fill + "\n").requests.size() == 1);
  CHECK(error_of("*" + fill) == "ERR Protocol error: too big mbulk count string");
  CHECK(error_of("*1\r\n$" + fill) == "ERR Protocol error: too big bulk count string");
}

TEST_CASE("a NUL hides the end of its line") {
  CHECK(parse("echo a\0b\r\nPING\r\n"s) == Outcome{{}, "", 16});
  CHECK(parse("*1\0\r\n"s) == Outcome{{}, "", 5});
  CHECK(parse("*1\r\n\0\r\n"s) == Outcome{{}, "", 7});
  CHECK(error_of("\0"s + std::string(65536, '\n')) == "ERR Protocol error: too big inline request");
}

TEST_CASE("a client that has not logged in may send 10 words of 16384 bytes") {
  CHECK(error_of("*10\r\n$16384\r\n", false).empty());
  CHECK(error_of("*11\r\n", false) == "ERR Protocol error: unauthenticated multibulk length");
  CHECK(error_of("*1\r\n$16385\r\n", false) == "ERR Protocol error: unauthenticated bulk length");
  CHECK(error_of("*11\r\n$16385\r\n", true).empty());
}

TEST_CASE("the largest announced lengths wait for their bytes") {
  CHECK(parse("*2147483647\r\n$536870912\r\n") == Outcome{{}, "", 25});
  RequestParser parser;
  parser.max_bulk_bytes = 10;
  parser.feed("*1\r\n$11\r\n");
  CHECK(parser.next() == Status::error);
  CHECK(parser.error() == "ERR Protocol error: invalid bulk length");
}

TEST_CASE("buffered counts what has not become a request") {
  RequestParser parser;
  parser.feed("PING\r\n*1\r\n$4\r\nPI");
  CHECK(parser.buffered() == 16);
  CHECK(parser.next() == Status::ready);
  CHECK(parser.buffered() == 10);
  CHECK(parser.next() == Status::incomplete);
  CHECK(parser.buffered() == 10);
  parser.feed("NG\r\n");
  CHECK(parser.next() == Status::ready);
  CHECK(parser.words()[0] == "PING");
  CHECK(parser.buffered() == 0);
}

TEST_CASE("a request that arrives over many reads survives the moves of the buffer") {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += "*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n";
  bytes += "*2\r\n$4\r\nECHO\r\n$70000\r\n" + std::string(70000, 'x') + "\r\n";
  RequestParser parser;
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    parser.feed(std::string_view{bytes}.substr(at, 37));
    drain(parser, outcome, true);
  }
  REQUIRE(outcome.requests.size() == 201);
  CHECK(outcome.requests[199] == Request{"ECHO", "abc"});
  CHECK(outcome.requests[200][1] == std::string(70000, 'x'));
}

TEST_CASE("the words of a client that has not logged in are counted in one digit and in two") {
  const auto words = [](int count) {
    std::string bytes = "*" + std::to_string(count) + "\r\n";
    for (int i = 0; i < count; ++i) bytes += "$1\r\na\r\n";
    return parse_whole(bytes, /*authenticated=*/false);
  };
  CHECK(words(9).requests == std::vector<Request>{Request(9, "a")});
  CHECK(words(10).requests == std::vector<Request>{Request(10, "a")});
  CHECK(words(11).error == "ERR Protocol error: unauthenticated multibulk length");
  CHECK(parse_whole("*011\r\n").error == "ERR Protocol error: invalid multibulk length");
}

TEST_CASE("looking ahead finds the keys of requests that are whole, and changes nothing") {
  const std::string first = "*1\r\n$4\r\nPING\r\n";
  const std::string get = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
  const std::string set = "*3\r\n$3\r\nSET\r\n$12\r\nkey:00000001\r\n$0\r\n\r\n";
  const std::string large =
      "*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$100\r\n" + std::string(100, 'x') + "\r\n";
  const auto ahead = [](std::string_view bytes, std::size_t room = 16) {
    RequestParser parser;
    parser.feed(bytes);
    CHECK(parser.next() == Status::ready);
    std::vector<std::string_view> keys(room);
    keys.resize(parser.look_ahead(keys));
    const Request found(keys.begin(), keys.end());
    Outcome outcome{{Request(parser.words().begin(), parser.words().end())}, {}, 0};
    drain(parser, outcome, true);
    CHECK(outcome == parse_whole(bytes));
    return found;
  };
  CHECK(ahead(first).empty());
  CHECK(ahead(first + get + set + get) == Request{"k", "key:00000001", "k"});
  CHECK(ahead(first + get + set + get, 2) == Request{"k", "key:00000001"});
  CHECK(ahead(first + get + first + set) == Request{"k", "key:00000001"});
  std::string many;
  for (int i = 0; i < 15; ++i) many += first;
  CHECK(ahead(first + many + get) == Request{"k"});
  CHECK(ahead(first + many + first + get).empty());  // However many there are.
  CHECK(ahead(first + get + large + get) == Request{"k", "large"});
  CHECK(ahead(first + get + "PING\r\n" + get) == Request{"k"});
  CHECK(ahead(first + get + "*0\r\n" + get) == Request{"k", "k"});
  CHECK(ahead(first + get + "*x\r\n") == Request{"k"});
  const std::string all = first + get + set;
  for (std::size_t size = first.size(); size < all.size(); ++size)
    CHECK(ahead(std::string_view{all}.substr(0, size)).size() <= 2);
}
