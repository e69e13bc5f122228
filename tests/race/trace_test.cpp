#include "fuzz/search/trace.hpp"

#include "fuzz/world/ids.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

Trace sample() {
  Trace trace;
  trace.scenario = "set-nx-px";
  trace.faults = {.pauses = 2, .crashes = 0};
  trace.max_delay_ms = 300;
  trace.parameters = {2, 1, 1'000'000'000'000};
  trace.configuration = 0xdeadbeef;
  trace.choices = {{Kind::step, step_id(Step::request, 1)},
                   {Kind::duration, deadline_id(0, 2)},
                   {Kind::data, 4'000'000'000U >> 2},
                   {Kind::step, step_id(Step::freeze, 15)}};
  trace.state_hash = 0x01020304;
  trace.verdict = Class::violation;
  return trace;
}

std::string complaint(std::string_view text) {
  Trace trace;
  std::string error;
  return parse_replay_string(text, trace, error) ? "" : error;
}

}  // namespace

TEST_CASE("a replay string brings back the trace it was made of") {
  const std::string text = to_replay_string(sample());
  Trace trace;
  std::string error;
  REQUIRE(parse_replay_string(text, trace, error));
  CHECK(trace == sample());
  CHECK(to_replay_string(trace) == text);
}

TEST_CASE("a replay string carries steps of time and whether anybody is slow") {
  Trace given = sample();
  given.time_steps = 1'000'000;
  given.prompt = true;
  Trace trace;
  std::string error;
  REQUIRE(parse_replay_string(to_replay_string(given), trace, error));
  CHECK(trace == given);
}

TEST_CASE("a replay string has only letters that no shell touches") {
  const std::string text = to_replay_string(sample());
  CHECK(text.starts_with("pl2.set-nx-px."));
  CHECK(
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
      std::string::npos);
}

TEST_CASE("a replay string of another version says which versions they are") {
  std::string text = to_replay_string(sample());
  text.replace(0, 3, "pl1");
  CHECK(complaint(text) ==
        "this replay string is of version 1, and this picklock reads version 2: replay it with the "
        "picklock that wrote it, or search again");
}

TEST_CASE("a replay string that was cut short says so, wherever it was cut") {
  const std::string text = to_replay_string(sample());
  for (std::size_t length = 3; length < text.size(); ++length) {
    INFO(length);
    CHECK(complaint(text.substr(0, length)) ==
          "this replay string was cut short: copy it again, to its last letter");
  }
}

TEST_CASE("an altered replay string is refused, whichever letter was altered") {
  const std::string text = to_replay_string(sample());
  for (std::size_t at = 4; at < text.size(); ++at) {
    std::string altered = text;
    altered[at] = altered[at] == 'A' ? 'B' : 'A';
    INFO(altered);
    CHECK(complaint(altered).starts_with("this replay string was "));
  }
  CHECK(complaint(text + "A").starts_with("this replay string was altered"));
  std::string last = text;
  last.back() = last.back() == 'A' ? 'B' : 'A';
  CHECK(complaint(last) ==
        "this replay string was altered (its checksum does not fit): copy it again as it was "
        "printed");
}

TEST_CASE("what is no replay string at all is told how one begins") {
  for (const std::string_view text :
       {"", "p", "pl", "plx.a.b", "hello world", "PL1.a.b", "\xff\xfe"}) {
    INFO(text);
    CHECK(complaint(text) ==
          "this is no replay string: it must begin with pl2. as printed under a failure");
  }
}

TEST_CASE("scenario names are short and plain") {
  CHECK(is_scenario_name("set-nx-px_2"));
  CHECK_FALSE(is_scenario_name(""));
  CHECK_FALSE(is_scenario_name("a.b"));
  CHECK_FALSE(is_scenario_name("a b"));
  CHECK_FALSE(is_scenario_name(std::string(65, 'a')));
}
