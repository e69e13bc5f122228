// The differential test's own parts: does it notice, does it shrink, is it deterministic?
#include <sstream>

#include "tests/differential/campaign.hpp"
#include "tests/differential/corrupted_target.hpp"
#include "tests/differential/frames.hpp"
#include "tests/differential/generator.hpp"
#include "tests/differential/shrinker.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {

TEST_CASE("every corrupted rule is caught, and shrunk to a few commands") {
  for (const auto name : corruption_names()) {
    CampaignOptions options;
    options.steps = 20'000;
    options.seed = 8;
    options.corruption = name;
    Normalisers normalisers;
    std::ostringstream out;
    const auto finding = run_campaign(options, normalisers, out);
    INFO("corruption " << name << ", seed " << options.seed);
    REQUIRE(finding);
    INFO(print_sequence(finding->sequence));
    // Here a client that waits too long has to send a lot before it is set free.
    const std::size_t most = name == "served-by-another" ? 12 : 6;
    CHECK(count_steps(finding->sequence) <= most);
  }
}

// redis-server 7.0.15 does not survive an error raised with a table that has no text.
TEST_CASE("an oracle that dies is noticed, and the input is kept") {
  RealRedis real;
  Normalisers normalisers;
  SideBySide servers{real,
                     [](std::int64_t) {
                       return Candidate{std::make_unique<EmulatorTarget>(), [](std::int64_t) {}};
                     },
                     normalisers};
  Sequence sequence(1);
  sequence[0].commands = {{"EVAL", "error({'a'})", "0"}};
  try {
    servers.run(sequence, 2);
    FAIL("redis-server is still alive");
  } catch (const TargetDied& death) {
    CHECK(std::string{death.what()}.find("alice> EVAL \"error({'a'})\" 0\n") != std::string::npos);
  }
}

TEST_CASE("what two servers may differ in, they may also in answer to raw bytes") {
  RealRedis real;
  Normalisers normalisers;
  SideBySide servers{real, [](std::int64_t now_ms) { return make_candidate(now_ms, ""); },
                     normalisers};
  Sequence sequence(2);
  sequence[0].commands = {{"SSUBSCRIBE", "news", "{x}b", "c", "d", "e", "f", "g", "h"}};
  sequence[1].raw = "GET a\r\n*2\r\n$6\r\nPUBSUB\r\n$13\r\nSHARDCHANNELS\r\nCLIENT ID\r\n";
  const auto difference = servers.run(sequence, 2);
  INFO((difference ? difference->theirs + " / " + difference->ours : std::string{}));
  CHECK_FALSE(difference);
  sequence[1].raw = "GET a\r\nLOLWUT VERSION 5\r\n";
  CHECK(servers.run(sequence, 2));
}

TEST_CASE("the same seed generates the same sequence") {
  const std::string once = print_sequence(Generator{42}.sequence(3'000));
  CHECK(print_sequence(Generator{42}.sequence(3'000)) == once);
  CHECK(print_sequence(Generator{43}.sequence(3'000)) != once);
}

TEST_CASE("shrinking takes out of a transaction what is not needed in it") {
  Sequence sequence(1);
  sequence[0].commands = {{"MULTI"}, {"SET", "a", "1"}, {"GET", "a"}, {"PING"}, {"EXEC"}};
  const Sequence shrunk = shrink(sequence, [](const Sequence& candidate) {
    return print_sequence(candidate).find("GET a") != std::string::npos;
  });
  REQUIRE(shrunk.size() == 1);
  CHECK(shrunk[0].commands == std::vector<Words>{{"MULTI"}, {"GET", "a"}, {"EXEC"}});
}

TEST_CASE("shrinking keeps exactly the actions that are needed") {
  Sequence sequence(100);
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    sequence[i].client = static_cast<int>(i % 4);
    sequence[i].commands = {{"STEP", std::to_string(i)}};
  }
  const auto has = [](const Sequence& s, std::string_view number) {
    for (const auto& action : s)
      if (action.commands[0][1] == number) return true;
    return false;
  };
  const auto needs_both = [&](const Sequence& s) { return has(s, "13") && has(s, "86"); };
  CHECK(print_sequence(shrink(sequence, needs_both)) == "alice> STEP 13\nalice> STEP 86\n");
}

// What DUMP answers of a stream whose consumer has read an entry at `start`, and claimed it so
// often.
std::string dumped_stream(std::int64_t start_ms, int claims) {
  Options options;
  options.start = from_unix_ms(start_ms);
  EmulatorTarget target{options};
  const auto channel = target.connect();
  const auto send = [&](const Words& words) { return channel->exchange(encode_request(words)); };
  send({"XADD", "x", "1-1", "f", "v"});
  send({"XGROUP", "CREATE", "x", "g", "0"});
  send({"XREADGROUP", "GROUP", "g", "alice", "STREAMS", "x", ">"});
  for (int i = 0; i < claims; ++i) send({"XCLAIM", "x", "g", "alice", "0", "1-1"});
  return send({"DUMP", "x"});
}

TEST_CASE("two dumps of a stream may differ a little in their instants, and in nothing else") {
  constexpr std::int64_t kStart = 1'700'000'000'000;
  const std::string dump = dumped_stream(kStart, 1);
  Normalisers normalisers;
  const Words request{"DUMP", "x"};
  CHECK(dump != dumped_stream(kStart + 40, 1));
  CHECK(normalisers.excuse(request, dump, dumped_stream(kStart + 40, 1)));
  CHECK(normalisers.excuse(request, dump, dumped_stream(kStart - 40, 1)));
  CHECK_FALSE(normalisers.excuse(request, dump, dumped_stream(kStart + 3'600'000, 1)));
  CHECK_FALSE(normalisers.excuse(request, dump, dumped_stream(kStart, 2)));
  CHECK_FALSE(normalisers.excuse(request, dump, dumped_stream(kStart + 40, 2)));
}

TEST_CASE("replies are cut at their ends, and what is incomplete is left") {
  const Frames frames = cut_frames("+OK\r\n*2\r\n$-1\r\n$2\r\n\r\n\r\n%1\r\n:1\r\n~0\r\n$3\r\nab");
  REQUIRE(frames.replies.size() == 3);
  CHECK(frames.replies[1] == "*2\r\n$-1\r\n$2\r\n\r\n\r\n");
  CHECK(frames.replies[2] == "%1\r\n:1\r\n~0\r\n");
  CHECK(frames.rest == "$3\r\nab");
}

TEST_CASE("a message in the midst of a reply takes no element's place") {
  const Frames frames =
      cut_frames("*2\r\n>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nv\r\n:1\r\n:2\r\n:3\r\n");
  REQUIRE(frames.replies.size() == 2);
  CHECK(frames.replies[1] == ":3\r\n");
}

}  // namespace picklock::test
