// Which request a reply belongs to, and which messages may come in another order.
#include "tests/differential/claims.hpp"

#include "tests/differential/normalisers.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

/// A confirmation or message in RESP2, of words; a last word of digits is a number.
std::string message(const Words& words) {
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const auto& word : words) {
    const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
    bytes += is_number ? ":" + word + "\r\n"
                       : "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return bytes;
}

std::string claimed(Claims& claims, std::string_view reply) {
  const Words* request = claims.claim(reply);
  return request ? request->at(0) : "(nobody's)";
}

}  // namespace

TEST_CASE("replies belong to the requests in their order, and messages to none") {
  Claims claims;
  claims.expect({"GET", "k"});
  claims.expect({"BLPOP", "l", "0"});
  CHECK(claimed(claims, "$-1\r\n") == "GET");
  CHECK(claimed(claims, message({"message", "c", "hello"})) == "(nobody's)");
  CHECK(claimed(claims, message({"smessage", "c", "hello"})) == "(nobody's)");
  CHECK(claimed(claims, ">2\r\n$10\r\ninvalidate\r\n_\r\n") == "(nobody's)");
  claims.forget_answered();
  CHECK(claims.waiting() == 1);
  CHECK(claimed(claims, message({"l", "v"})) == "BLPOP");
  claims.forget_answered();
  CHECK(claims.waiting() == 0);
}

TEST_CASE("each channel has a confirmation, and no channel ends all of them") {
  Claims claims;
  claims.expect({"subscribe", "a", "b"});
  claims.expect({"UNSUBSCRIBE"});
  claims.expect({"PING"});
  CHECK(claimed(claims, message({"subscribe", "a", "1"})) == "subscribe");
  CHECK(claimed(claims, message({"subscribe", "b", "2"})) == "subscribe");
  CHECK(claimed(claims, message({"unsubscribe", "a", "1"})) == "UNSUBSCRIBE");
  CHECK(claimed(claims, message({"unsubscribe", "b", "0"})) == "UNSUBSCRIBE");
  CHECK(claimed(claims, "+PONG\r\n") == "PING");
  claims.forget_answered();
  CHECK(claims.waiting() == 0);
}

TEST_CASE("a list that begins with a word of subscribers is a reply like others") {
  Claims claims;
  claims.expect({"MGET", "a"});
  claims.expect({"LRANGE", "l", "0", "-1"});
  CHECK(claimed(claims, message({"subscribe"})) == "MGET");
  CHECK(claimed(claims, message({"unsubscribe", "a", "b"})) == "LRANGE");
}

TEST_CASE("a refused subscription has one reply") {
  Claims claims;
  claims.expect({"SUBSCRIBE", "a", "b"});
  claims.expect({"GET", "k"});
  CHECK(claimed(claims, "-NOAUTH Authentication required.\r\n") == "SUBSCRIBE");
  CHECK(claimed(claims, "$-1\r\n") == "GET");
}

TEST_CASE("UNSUBSCRIBE without words may tell of its channels in any order") {
  const std::string a = message({"unsubscribe", "a", "1"});
  const std::string b = message({"unsubscribe", "b", "0"});
  const std::string b_first = message({"unsubscribe", "b", "1"});
  const std::string a_last = message({"unsubscribe", "a", "0"});
  const std::vector<std::string_view> theirs{a, b};
  const std::vector<std::string_view> ours{b_first, a_last};
  const std::vector<std::string_view> twice{b_first, b};
  const Words all{"UNSUBSCRIBE"};
  const Words named{"UNSUBSCRIBE", "a", "b"};
  Normalisers normalisers;
  CHECK(normalisers.excuse_run(&all, theirs, ours) == 2);
  CHECK(normalisers.excuse_run(&all, theirs, twice) == 0);
  CHECK(normalisers.excuse_run(&named, theirs, ours) == 0);
  CHECK(normalisers.excuse_run(nullptr, theirs, ours) == 0);
}

TEST_CASE("one message may come by a client's patterns in any order") {
  const std::string star = message({"pmessage", "*", "c", "hello"});
  const std::string letter = message({"pmessage", "?", "c", "hello"});
  const std::string other = message({"pmessage", "?", "c", "bye"});
  const std::vector<std::string_view> theirs{star, letter, other};
  const std::vector<std::string_view> ours{letter, star, other};
  const std::vector<std::string_view> wrong{other, star, letter};
  Normalisers normalisers;
  CHECK(normalisers.excuse_run(nullptr, theirs, ours) == 2);
  CHECK(normalisers.excuse_run(nullptr, theirs, wrong) == 0);
}

}  // namespace picklock::test
