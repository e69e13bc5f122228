// The notation of transcripts: words, steps, marks.
#include "tests/support/transcript.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/transcript_match.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

Outcome outcome(Reply reply) {
  Outcome result;
  result.replies.push_back(std::move(reply));
  return result;
}

}  // namespace

TEST_CASE("words are split as redis-cli splits them") {
  CHECK(split_words(R"(SET  k "a\x00\n\"b" 'it\'s' "")") ==
        std::vector<std::string>{"SET", "k", std::string{"a\0\n\"b", 5}, "it's", ""});
  CHECK(!split_words("ECHO \"open"));
  CHECK(!split_words("ECHO \"a\"b"));
}

TEST_CASE("what is quoted is read back") {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  CHECK(split_words(quote(bytes)) == std::vector<std::string>{bytes});
  CHECK(split_words(as_typed("{x}")) == std::vector<std::string>{"{x}"});
}

TEST_CASE("a transcript keeps a reply of its own for RESP3") {
  const std::string text =
      "# c\nalice> HGETALL h\n1) \"a\"\n[resp3]\n1# \"a\" => \"1\"\n~ 5ms\nraw> \"x\"\n";
  const Transcript transcript = parse_transcript(text, "t.txt");
  REQUIRE(transcript.steps.size() == 4);
  const Step& step = transcript.steps[1];
  CHECK(step.client == "alice");
  CHECK(step.words == "HGETALL h");
  CHECK(step.expectation(2) == std::vector<std::string>{"1) \"a\""});
  CHECK(step.expectation(3) == std::vector<std::string>{"1# \"a\" => \"1\""});
  CHECK(transcript.steps[2].duration == std::chrono::milliseconds{5});
  CHECK(transcript.steps[3].kind == Step::Kind::raw);
  CHECK(print_transcript(transcript) == text);
}

TEST_CASE("a reply without a command is refused with its line") {
  CHECK_THROWS_WITH(parse_transcript("# c\nOK\n", "t.txt"), "t.txt:2: a reply without a command");
}

TEST_CASE("a range holds at its ends and not beyond") {
  CHECK(matches({"(integer) 5..7"}, outcome(Reply::make_integer(5))));
  CHECK(matches({"(integer) 5..7"}, outcome(Reply::make_integer(7))));
  CHECK_FALSE(matches({"(integer) 5..7"}, outcome(Reply::make_integer(8))));
  CHECK_FALSE(matches({"(integer) 5..7"}, outcome(replies::bulk("6"))));
}

TEST_CASE("without a mark a reply must be the same to the letter") {
  CHECK(matches({"\"a\""}, outcome(replies::bulk("a"))));
  CHECK_FALSE(matches({"\"a\""}, outcome(replies::bulk("b"))));
  CHECK_FALSE(matches({"OK"}, outcome(replies::bulk("OK"))));
  CHECK_FALSE(matches({}, outcome(replies::bulk("a"))));
}

TEST_CASE("marks stand for what two real servers do not share") {
  const Outcome reply = outcome(replies::array("b", "1", "a", "2"));
  CHECK(matches({"(any reply)"}, reply));
  CHECK(matches({"(sorted pairs)", "1) \"a\"", "2) \"2\"", "3) \"b\"", "4) \"1\""}, reply));
  CHECK(matches({"1) \"b\"", "2) (any)", "3) (like) \"*\"", "4) \"2\""}, reply));
  CHECK_FALSE(matches({"1) \"b\"", "2) (any)", "3) (like) \"x*\"", "4) \"2\""}, reply));
}

}  // namespace picklock::test
