// Shards and merge: all parts together are the campaign without shards.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuzz/search/part.hpp"
#include "tests/race/run_words.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

std::string contents(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// A folder for the reports of one test.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// Runs all shards of `words`; the reports' paths, the last shard's first.
  std::vector<std::string> run_shards(const std::vector<std::string>& words, int count) const {
    std::vector<std::string> reports;
    for (int i = count; i >= 1; --i) {
      reports.push_back(file("part" + std::to_string(i) + ".json"));
      std::vector<std::string> own = words;
      own.insert(own.end(), {"--shard", std::to_string(i) + "/" + std::to_string(count),
                             "--json=" + reports.back()});
      CHECK(run(own).exit_code <= static_cast<int>(Exit::violation));
    }
    return reports;
  }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / "picklock-shard-test";
};

/// Returns in which schedule the campaign found something.
std::uint64_t check_same(const std::vector<std::string>& words, int shards) {
  CAPTURE(words, shards);
  const Folder folder;
  std::vector<std::string> whole = words;
  whole.insert(whole.end(), {"--json", folder.file("whole.json")});
  const Outcome expected = run(whole);
  std::vector<std::string> merge{"merge", "--json", folder.file("merged.json")};
  for (std::string& report : folder.run_shards(words, shards)) merge.push_back(std::move(report));
  const Outcome merged = run(merge);
  CHECK(merged.err == "");
  CHECK(merged.exit_code == expected.exit_code);
  CHECK(merged.out == expected.out);
  REQUIRE(contents(folder.file("whole.json")).size() > 100);
  CHECK(contents(folder.file("merged.json")) == contents(folder.file("whole.json")));
  return nlohmann::json::parse(contents(folder.file("whole.json"))).at("found_at");
}

}  // namespace

TEST_CASE("four shards, merged, are the campaign: verdict, schedules, coverage, story") {
  // Found late, documented limits in many slices, a lock that holds, no whole slice.
  check_same({"run", "set-nx-px", "--schedules", "6000", "--seed", "3"}, 4);
  check_same({"run", "set-nx-px", "--schedules", "3000", "--faults", "crash,delay"}, 4);
  check_same({"run", "set-nx-px", "--schedules", "100"}, 3);
  check_same({"run", "reentrant-hash", "--schedules", "4000", "--strategy", "pct"}, 4);
  check_same({"check", "../fuzz/examples/set-nx-px.lua", "--schedules", "2000"}, 2);
  check_same({"run", "set-nx-px", "--schedules", "600"}, 1);
}

TEST_CASE("a violation that one shard finds ends the campaign where it would have ended") {
  for (const char* seed : {"1", "2", "5"})
    check_same({"run", "setnx-then-expire", "--seed", seed, "--strategy", "random", "--faults",
                "crash:1", "--workers", "3"},
               4);
  // Rare enough to be found after some slices, by different shards.
  for (const char* seed : {"11", "12", "13"}) {
    CHECK(check_same(
              {"run", "get-then-del", "--strategy", "random", "--faults", "pause", "--seed", seed},
              4) > kSlice);
  }
}

TEST_CASE("what the first schedules find is told as the whole campaign tells it") {
  CHECK(check_same({"run", "reentrant-renew-client", "--schedules", "1000"}, 2) == 1);
  CHECK(check_same({"run", "setnx-then-expire", "--faults", "crash"}, 3) > 2);
}

TEST_CASE("what merge cannot merge") {
  const Folder folder;
  const auto problem = [&](std::vector<std::string> reports) {
    reports.insert(reports.begin(), "merge");
    const Outcome outcome = run(reports);
    CHECK(outcome.exit_code == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    return outcome.err;
  };
  const std::vector<std::string> words{"run", "set-nx-px", "--schedules", "600"};
  const std::vector<std::string> parts = folder.run_shards(words, 3);
  CHECK(problem({parts[0], parts[1]}) ==
        "picklock-fuzz: shard 1 of 3 is missing: run it, and merge all\n");
  CHECK(problem({parts[0], parts[1], parts[1]}) == "picklock-fuzz: shard 2 is there twice\n");
  CHECK(problem({folder.file("none.json")}).find("cannot read") != std::string::npos);
  std::ofstream{folder.file("cut.json")} << contents(parts[0]).substr(0, 200);
  CHECK(problem({folder.file("cut.json")}).find("is no report of a whole shard") !=
        std::string::npos);
  const std::string other = folder.file("other.json");
  CHECK(run({"run", "set-nx-px", "--schedules", "601", "--shard", "1/3", "--json", other})
            .exit_code == 0);
  CHECK(problem({parts[0], parts[1], other}).find("of another command line") != std::string::npos);
}

TEST_CASE("a shard that has shown its progress is one of the same campaign") {
  const Folder folder;
  std::vector<std::string> merge{"merge"};
  for (const std::string shard : {"1/2", "2/2"}) {
    merge.push_back(folder.file("part" + shard.substr(0, 1) + ".json"));
    std::vector<std::string> words{"run",     "set-nx-px", "--schedules", "600",
                                   "--shard", shard,       "--json",      merge.back()};
    if (shard == "2/2") words.insert(words.begin() + 1, "--progress");
    CHECK(run(words).exit_code == 0);
  }
  const Outcome merged = run(merge);
  CHECK(merged.err == "");
  CHECK(merged.exit_code == 0);
}

TEST_CASE("a merge that is interrupted proves nothing any more") {
  const Folder folder;
  std::vector<std::string> words{"merge"};
  for (const std::string& report : folder.run_shards({"run", "get-then-del", "--certify"}, 2))
    words.push_back(report);
  CHECK(run(words).out.find("no shorter schedule fails") != std::string::npos);
  const std::atomic<bool> stop{true};
  CommandLine line = parse_command_line(words);
  line.stop = &stop;
  std::ostringstream out;
  CHECK(execute(line, out, out) == Exit::violation);
  CHECK(out.str().find("no shorter schedule fails") == std::string::npos);
}

TEST_CASE("a shard that is none") {
  const auto refusal = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "set-nx-px"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    CHECK(outcome.exit_code == 2);
    return outcome.err;
  };
  for (const char* shard : {"0/4", "5/4", "4", "1/0", "-1/4", "a/b", "1/4/2", "1/1000001"}) {
    CAPTURE(shard);
    CHECK(refusal({"--shard", shard, "--json", "-"}).find("is no shard: give one like 2/8") !=
          std::string::npos);
  }
  CHECK(refusal({"--shard", "1/4"}).find("--shard wants --json FILE") != std::string::npos);
  CHECK(refusal({"--shard", "1/4", "--json", "-", "--coverage"}).find("does not go with") !=
        std::string::npos);
  CHECK(refusal({"--shard", "1/4", "--json", "-", "--strategy", "exhaustive"})
            .find("does not go with --strategy exhaustive") != std::string::npos);
}

TEST_CASE("parts of one campaign count what came before its end") {
  Part first{.shard = {1, 2}, .program = "p", .schedules = 2000};
  Part second = first;
  second.shard = {2, 2};
  first.limits = {{0, 5}, {2, 7}};
  first.edges = {{0, {1, 2}}, {2, {3}}};
  first.verdict = Class::documented_limit;
  first.found_at = 9;
  second.limits = {{1, 2}};
  second.edges = {{1, {2, 4}}};
  Findings findings;
  std::string error;
  SECTION("to its end") {
    REQUIRE(join(std::array{first, second}, findings, error));
    CHECK(findings.schedules == 2000);
    CHECK(findings.limits == 14);
    CHECK(findings.coverage.count() == 4);
    CHECK(findings.found_at == 9);
  }
  SECTION("a violation in the second slice") {
    second.verdict = Class::violation;
    second.found_at = second.stopped_at = 300;
    REQUIRE(join(std::array{first, second}, findings, error));
    CHECK(findings.schedules == 300);
    CHECK(findings.limits == 7);
    CHECK(findings.coverage.count() == 3);
    CHECK(findings.found_at == 300);
    CHECK(findings.worst.result.finding.verdict == Class::violation);
  }
  SECTION("two runs that differed, before a violation") {
    second.verdict = Class::violation;
    second.found_at = second.stopped_at = 300;
    first.nondeterminism = "why";
    first.stopped_at = 256;
    REQUIRE(join(std::array{first, second}, findings, error));
    CHECK(findings.schedules == 256);
    CHECK(findings.nondeterminism == "why");
  }
}
