// Every build, under every locale and at every address, runs the very schedules that are recorded.
#include "tests/recorded/recorded.hpp"

#include <locale>
#include <sstream>

#include <picklock/race.hpp>

#include "fuzz/gallery/bugs.hpp"
#include "fuzz/program/commands.hpp"
#include "fuzz/search/trace.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

TEST_CASE("the schedules of every strategy and every bug are those that are recorded") {
  const std::vector<std::string> expected = recorded::lines_of("recorded/digests.txt");
  const std::vector<std::string> actual = recorded::digests();
  INFO("if the change is meant to give other schedules: build/bin/record_races tests/recorded");
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == expected[i]);
}

TEST_CASE("every bug of the suite has a replay string, and every string is of a bug") {
  const std::vector<std::string> lines = recorded::lines_of("recorded/replays.txt");
  std::vector<std::string> expected;
  for (const Bug& bug : all_bugs()) {
    if (bug.furnish != nullptr) expected.emplace_back(bug.id);
  }
  std::vector<std::string> actual;
  for (const std::string& line : lines) {
    recorded::Replay replay;
    REQUIRE(recorded::read(line, replay));
    actual.push_back(replay.id);
  }
  CHECK(actual == expected);
}

TEST_CASE("every recorded string gives its verdict, its property and itself again") {
  for (const std::string& line : recorded::lines_of("recorded/replays.txt")) {
    recorded::Replay recorded;
    REQUIRE(recorded::read(line, recorded));
    INFO(line);
    Trace trace;
    std::string problem;
    REQUIRE(parse_replay_string(recorded.text, trace, problem));
    bool mended = true;
    const Bug* bug = find_bug(trace.scenario, trace.parameters, mended);
    REQUIRE(bug != nullptr);
    CHECK(bug->id == recorded.id);
    CHECK_FALSE(mended);
    const Verdict verdict =
        replay(recorded.text, make_scenario(*bug, false), make_options(*bug, false));
    INFO(verdict);
    CHECK(to_string(verdict.verdict) == recorded.verdict);
    CHECK(to_string(verdict.oracle) == recorded.property);
    CHECK(verdict.replay == recorded.text);
  }
}

namespace {

/// Writes 1234.5 as 1.234,5, whatever locales the machine has.
class Comma final : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// All that is printed and written of one search.
std::string everything_about(const char* lock) {
  const std::vector<std::string> words{"run", lock, "--seed", "3", "--json", "-", "--coverage"};
  std::ostringstream out;
  std::ostringstream err;
  execute(parse_command_line(words), out, err);
  const Verdict verdict = explore(make_options(*find_lock(lock), {}),
                                  make_scenario(*find_lock(lock), {}));
  return out.str() + err.str() + verdict.to_string() + verdict.html();
}

}  // namespace

TEST_CASE("the locale of the program that searches changes no byte") {
  for (const char* lock : {"get-then-del", "set-nx-px"}) {
    const std::string plain = everything_about(lock);
    const std::locale before = std::locale::global({std::locale::classic(), new Comma});
    std::ostringstream number;
    number << 1234.5;
    const std::string foreign = everything_about(lock);
    std::locale::global(before);
    CHECK(number.str() == "1.234,5");
    CHECK(foreign == plain);
  }
}
