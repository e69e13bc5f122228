#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuzz/program/meter.hpp"
#include "tests/race/run_words.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

std::string replay_string_of(const std::string& out) {
  std::string text = out.substr(out.rfind(' ') + 1);
  text.pop_back();
  return text;
}

std::string timeline_of(const std::string& out) { return out.substr(out.find("\n\n")); }

}  // namespace

TEST_CASE("list names every lock of the gallery") {
  const Outcome outcome = run({"list"});
  CHECK(outcome.exit_code == 0);
  for (const GalleryLock& lock : gallery()) CHECK(outcome.out.find(lock.name) != std::string::npos);
}

TEST_CASE("run ends with 1 on a violation and prints its timeline and replay") {
  const Outcome outcome = run({"run", "del-without-check"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.starts_with("del-without-check: violation (ownership): "));
  CHECK(replay_string_of(outcome.out).starts_with("pl2.del-without-check."));
}

TEST_CASE("replay prints the timeline of the run, byte for byte") {
  for (const char* lock : {"del-without-check", "get-then-del", "setnx-then-expire"}) {
    const Outcome found = run({"run", lock, "--workers", "3", "--rounds", "2", "--ttl-ms", "700"});
    REQUIRE(found.exit_code == 1);
    const Outcome again = run({"replay", replay_string_of(found.out)});
    CHECK(again.exit_code == 1);
    CHECK(timeline_of(again.out) == timeline_of(found.out));
  }
}

TEST_CASE("a documented limit ends with 0, and with 1 when strict") {
  CHECK(run({"run", "set-nx-px"}).exit_code == 0);
  CHECK(run({"run", "set-nx-px", "--strict"}).exit_code == 1);
  CHECK(run({"run", "set-nx-px", "--strict", "--faults", "crash,delay"}).exit_code == 0);
}

TEST_CASE("a lock that the server refuses ends with 3") {
  CHECK(run({"run", "set-nx-px", "--ttl-ms", "0"}).exit_code == 3);
}

TEST_CASE("faults may be bounded in all, and nobody be slow but by them") {
  const auto all_states = [](const char* faults) {
    return run({"run", "redlock-once", "--strategy", "exhaustive", "--prompt", "--schedules",
                "500000", "--faults", faults});
  };
  const auto none = all_states("none");
  CHECK(none.out.find("which are all; no faults, messages up to 0 ms late, nobody slow") !=
        std::string::npos);
  const auto both = all_states("lost-request,duplicate,most:1");
  CHECK(both.exit_code == 0);
  CHECK(both.out.find("at most 1 lost-request, 1 duplicate, 1 in all") != std::string::npos);
  const auto evicted = all_states("eviction");
  const std::size_t at = evicted.out.find("replay: picklock-fuzz replay ");
  REQUIRE(at != std::string::npos);
  std::string text = evicted.out.substr(at + 29);
  text = text.substr(0, text.find('\n'));
  CHECK(run({"replay", text}).out.find("no lock") != std::string::npos);
}

TEST_CASE("faults are switched on by name") {
  CHECK(run({"run", "del-without-check", "--faults", "none"}).exit_code == 0);
  CHECK(run({"run", "simple-setnx", "--ttl-ms", "0", "--faults", "pause"}).exit_code == 0);
  CHECK(run({"run", "simple-setnx", "--ttl-ms", "0", "--faults", "crash"}).exit_code == 1);
}

TEST_CASE("explore goes through every schedule, within a bound of runs") {
  const Outcome all = run({"explore", "set-nx-px", "--faults", "crash"});
  CHECK(all.exit_code == 0);
  CHECK(all.out.find(" states, which are all; at most 1 crash") != std::string::npos);
  const Outcome some = run({"explore", "set-nx-px", "--faults", "crash", "--schedules", "100"});
  CHECK(some.out.find("100 schedules, ") != std::string::npos);
  CHECK(some.out.find(" states, not all; ") != std::string::npos);
  CHECK(run({"explore", "get-then-del"}).exit_code == 1);
  CHECK(run({"explore", "set-nx-px", "--strategy", "pct"}).exit_code == 2);
}

TEST_CASE("--twice runs every schedule once more, and says so") {
  const std::vector<std::string> words{"run", "set-nx-px", "--schedules", "700", "--json", "-"};
  std::vector<std::string> twice = words;
  twice.push_back("--twice");
  CHECK(nlohmann::json::parse(run(twice).out)["run_twice"] == 700);
  CHECK_FALSE(nlohmann::json::parse(run(words).out).contains("run_twice"));
  CHECK(run({"run", "set-nx-px", "--schedules", "20", "--twice"})
            .out.find("20 schedules, seed 1, each run twice") != std::string::npos);
  const Outcome matrix = run({"verdicts", "--locks", "set-nx-px,redlock", "--faults", "crash,drift",
                              "--schedules", "50", "--twice"});
  CHECK(matrix.out.find("; 200 schedules run twice, without a difference") != std::string::npos);
}

TEST_CASE("the report is written as JSON") {
  const Outcome outcome = run({"run", "del-without-check", "--json", "-", "--seed", "4"});
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["lock"] == "del-without-check");
  CHECK(json["verdict"] == "violation");
  CHECK(json["oracle"] == "ownership");
  CHECK(json["seed"] == 4);
  CHECK(json["found_by"] != "");
  CHECK(json["found_by"] != "portfolio");
  CHECK(json["replay"].get<std::string>().starts_with("pl2."));
}

TEST_CASE(
    "coverage sums up the lines of a lock's scripts over all schedules, and changes nothing") {
  // Releases happen, and come too late too, only in a schedule with a pause or a delay.
  const std::vector<std::string> words{"run", "set-nx-px", "--schedules", "500"};
  std::vector<std::string> covered = words;
  covered.push_back("--coverage");
  const Outcome plain = run(words);
  const Outcome outcome = run(covered);
  CHECK(outcome.out == "lua/scripts/set_nx_px_release.lua: 3 of 3 lines ran\n\n" + plain.out);
  covered.insert(covered.end(), {"--json", "-"});
  const auto json = nlohmann::json::parse(run(covered).out);
  const auto& lines = json["script_lines"]["lua/scripts/set_nx_px_release.lua"];
  CHECK(lines["4"].get<int>() > 100);
  CHECK(lines["4"] == lines["5"].get<int>() + lines["7"].get<int>());
}

TEST_CASE("bad usage is one line that says what to do, and exit 2") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "picklock-fuzz: A subcommand is required; see picklock-fuzz --help\n"},
      {{"run", "no-such-lock"},
       "picklock-fuzz: there is no lock 'no-such-lock': picklock-fuzz list names them; see "
       "picklock-fuzz --help\n"},
      {{"look", "set-nx-px"},
       "picklock-fuzz: there is no command 'look': take one of list, run, explore, replay, check, "
       "bugs, verdicts, merge; see picklock-fuzz --help\n"},
      {{"run", "set-nx-px", "--seed", "-1"},
       "picklock-fuzz: --seed: '-1' is no whole number from 0 on; see picklock-fuzz --help\n"},
      {{"run", "set-nx-px", "--seed", "18446744073709551616"},
       "picklock-fuzz: --seed: '18446744073709551616' is too large, or begins with a 0; see "
       "picklock-fuzz --help\n"},
      {{"bugs", "A4", "--seed", "010"},
       "picklock-fuzz: --seed: '010' is too large, or begins with a 0; see picklock-fuzz --help\n"},
      {{"verdicts", "--seed", "-1"},
       "picklock-fuzz: --seed: '-1' is no whole number from 0 on; see picklock-fuzz --help\n"},
      {{"run", "set-nx-px", "--faults", "gremlins"},
       "picklock-fuzz: --faults: 'gremlins' is no fault: take a list of pause, crash, "
       "lost-request, lost-reply, duplicate, reset, partition, restart, script-flush, clock, "
       "client-clock, drift, eviction, refusal, failover, lag, delay, or all, or "
       "none; see "
       "picklock-fuzz --help\n"},
      {{"run", "set-nx-px", "--faults", "crash", "--max-delay-ms", "9"},
       "picklock-fuzz: --max-delay-ms wants delay among the --faults; see picklock-fuzz --help\n"},
      {{"replay", "nonsense"},
       "picklock-fuzz: this is no replay string: it must begin with pl2. as printed under a "
       "failure\n"},
      {{"run", "set-nx-px", "--json", "/no/such/folder/report.json"},
       "picklock-fuzz: cannot write /no/such/folder/report.json: give --json a file in a folder "
       "that exists\n"},
  };
  for (const auto& [words, message] : cases) {
    const Outcome outcome = run(words);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == message);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("values out of range are refused") {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run", "set-nx-px", "--workers", "1"},
                                             {"run", "set-nx-px", "--workers", "9"},
                                             {"run", "set-nx-px", "--rounds", "0"},
                                             {"run", "set-nx-px", "--schedules", "0"},
                                             {"run", "set-nx-px", "--schedules", "-1"},
                                             {"run", "set-nx-px", "--schedules", "010"},
                                             {"run", "set-nx-px", "--ttl-ms", "0500"},
                                             {"run", "set-nx-px", "--ttl-ms", "-1"},
                                             {"run", "set-nx-px", "--seed", "x"},
                                             {"run", "set-nx-px", "--no-such-option"},
                                             {"run"},
                                             {"replay"}}) {
    const Outcome outcome = run(words);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.starts_with("picklock-fuzz: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("help is printed for the program and for each command, and the version") {
  const Outcome version = run({"--version"});
  CHECK(version.exit_code == 0);
  CHECK_THAT(version.out, Catch::Matches("picklock-fuzz [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  CHECK(run({"--help"}).out.find("replay") != std::string::npos);
  CHECK(run({"run", "--help"}).out.find("--schedules") != std::string::npos);
  CHECK(run({"--help"}).exit_code == 0);
}

TEST_CASE("a replay string of a test is sent back to its test") {
  const Outcome outcome = run({"replay", "pl2.mine.DwAAAAAAAAAAAAAAAAAAAAAAAAA"});
  CHECK(outcome.exit_code == 2);
}

TEST_CASE("progress says how fast, what is new, what is unseen, and how long it takes") {
  using std::chrono::seconds;
  const Progress before{.schedules_done = 1024, .schedules = 100'000, .coverage = 300};
  Progress now{.schedules_done = 20'000, .schedules = 100'000, .coverage = 312, .singletons = 42};
  CHECK(describe(now, before, seconds{10}) ==
        "20000 of 100000 schedules, 2000 a second, 312 edges (12 new), unseen 0.0021, 40 s left");
  now.title = "A10, 7 of 86";
  now.states = 777;
  now.done = 0.25;
  CHECK(describe(now, before, seconds{3600}) ==
        "A10, 7 of 86: 20000 of 100000 schedules, 5 a second, 777 states, 3 h left");
}

TEST_CASE(
    "a search that is stopped ends with what it has, and progress counts what few have seen") {
  std::atomic<bool> stop{false};
  std::vector<Progress> seen;
  CommandLine line = parse_command_line(
      std::vector<std::string>{"run", "set-nx-px", "--faults", "crash", "--schedules", "1000000"});
  line.stop = &stop;
  std::ostringstream out;
  std::ostringstream err;
  const Explorer explorer = [&](ExploreOptions options, const Scenario& scenario) {
    options.progress = [&](const Progress& progress) {
      seen.push_back(progress);
      stop = seen.size() == 3;
    };
    return explore(options, scenario);
  };
  const Exit code = execute(line, out, err, explorer);
  CHECK(code == Exit::interrupted);
  CHECK(out.str().starts_with("set-nx-px: holds\n3072 schedules, seed 1, interrupted; "));
  REQUIRE(seen.size() == 4);
  CHECK_FALSE(seen[2].over);
  CHECK(seen[3].over);
  CHECK(seen[0].coverage > seen[0].singletons);
  CHECK(seen[0].singletons > 0);
  CHECK(seen[2].coverage >= seen[0].coverage);
}

TEST_CASE("a table that is stopped ends with the rows that are whole") {
  const std::atomic<bool> stop{true};
  CommandLine line = parse_command_line(std::vector<std::string>{"bugs", "A1"});
  line.stop = &stop;
  std::ostringstream out;
  std::ostringstream err;
  CHECK(execute(line, out, err) == Exit::interrupted);
  CHECK(out.str().find("interrupted") != std::string::npos);
  out.str("");
  line = parse_command_line(std::vector<std::string>{"verdicts", "--locks", "set-nx-px"});
  line.stop = &stop;
  CHECK(execute(line, out, err) == Exit::interrupted);
  CHECK(out.str().starts_with("\n0 locks; "));
  CHECK(out.str().find("\ninterrupted: ") != std::string::npos);
}

TEST_CASE("a search of the suite starts where it is told, and every search may show progress") {
  const std::vector<std::string> words{"bugs", "A1",     "--seeds", "1",         "--twin-schedules",
                                       "1",    "--seed", "7",       "--progress"};
  CHECK(run(words).out.find(", seed 7, found in schedule ") != std::string::npos);
  for (const std::vector<std::string>& search :
       std::vector<std::vector<std::string>>{words,
                                             {"run", "set-nx-px", "--progress"},
                                             {"explore", "set-nx-px", "--progress"},
                                             {"check", "x.lua", "--progress"},
                                             {"verdicts", "--progress"}}) {
    CAPTURE(search.front());
    CHECK(parse_command_line(search).progress);
  }
}
