// The HTML report, the explanation, and the exports of a failure.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuzz/gallery/gallery.hpp"
#include "fuzz/program/commands.hpp"
#include "fuzz/program/export.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/report/states.hpp"
#include "fuzz/report/story.hpp"
#include "fuzz/report/timeline.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

constexpr std::size_t kLargestPage = 150 * 1024;

Verdict search(std::string_view name, std::uint64_t seed = 1, LockSettings settings = {}) {
  const GalleryLock& lock = *find_lock(name);
  ExploreOptions options = make_options(lock, settings);
  options.seed = seed;
  return explore(options, make_scenario(lock, settings));
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

/// A scenario whose every text wants to be markup.
void hostile(World& world) {
  Node& redis = world.redis("<b>redis&");
  Exclusive& section = world.exclusive("</script>");
  world.lock_key(redis, "<lock>");
  for (const char* name : {"<alice>", "b\"o'b\xff"}) {
    world.spawn(name, [&redis, &section, name](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "<lock>", "</script><script>alert(1)</script>");
      Turn turn = section.enter(name);
      co_await worker.pause(std::chrono::milliseconds{0}, std::chrono::milliseconds{5});
      turn.leave();
    });
  }
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

TEST_CASE("a report is the same to the byte whenever it is made, and small") {
  for (const char* lock : {"get-then-del", "del-without-check", "setnx-then-expire", "set-nx-px"}) {
    const LockSettings settings{.workers = 3, .rounds = 2};
    const std::string page = search(lock, 1, settings).html();
    CHECK(page == search(lock, 1, settings).html());
    CHECK(page.size() < kLargestPage);
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(page.find("http://") == page.find("http://www.w3.org/2000/svg"));
    CHECK(page.find("src=") == std::string::npos);
  }
}

TEST_CASE("a replay makes the very report of the search, but for what only a search knows") {
  const GalleryLock& lock = *find_lock("get-then-del");
  const Verdict found = search("get-then-del");
  const Verdict again =
      replay(found.replay, make_scenario(lock, {}), make_options(lock, LockSettings{}));
  CHECK(again.html() == found.html());
  CHECK(again.decides == found.decides);
}

TEST_CASE("no text of a run is markup in its report") {
  const Verdict verdict = explore(quiet(), hostile);
  REQUIRE(verdict.verdict == Class::violation);
  const std::string page = verdict.html();
  CHECK(page.find("<b>redis") == std::string::npos);
  CHECK(page.find("<alice>") == std::string::npos);
  CHECK(page.find("<lock>") == std::string::npos);
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(page.find("&lt;b&gt;redis&amp;") != std::string::npos);
  CHECK(page.find("b&quot;o&#39;b\\xff") != std::string::npos);
  CHECK(page.find("\\u003c/script\\u003e") != std::string::npos);
  // The two scripts of the page itself, and no other.
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script>") == 2);
}

TEST_CASE("what a terminal is told is text, and the message one line, whatever names are made of") {
  const Verdict verdict = explore(quiet(), [](World& world) {
    Node& redis = world.redis("redis");
    world.lock_key(redis, "\x1b[31ml\nock\xff");
    for (const char* name : {"al\x1bice", "b\xff\nob"}) {
      world.spawn(name, [&redis](Worker& worker) -> Task<> {
        co_await worker.call(redis, "SET", "\x1b[31ml\nock\xff", worker.name());
      });
    }
  });
  REQUIRE(verdict.oracle == Oracle::ownership);
  CHECK(verdict.message.find("\\x1b[31ml\\x0aock\\xff") != std::string::npos);
  CHECK(printable(verdict.message) == verdict.message);
  CHECK(printable(verdict.decides) == verdict.decides);
  std::istringstream lines{verdict.to_string()};
  for (std::string line; std::getline(lines, line);) CHECK(printable(line) == line);
}

TEST_CASE("the lock keys of a primary are in the story although its replica follows at once") {
  const Verdict verdict = search("failover");
  REQUIRE(verdict.story);
  REQUIRE(verdict.story->broken.servers == std::vector<std::string>{"redis", "replica"});
  std::vector<std::string> held;
  for (const auto& changes : tell_states(verdict.story->broken).changes)
    for (const auto& [cell, text] : changes)
      if (cell == 0 && text.starts_with("lock = ")) held.push_back(text);
  REQUIRE(!held.empty());
  CHECK(held.front().starts_with("lock = alice:1 of alice until 1000"));
  CHECK(verdict.html().find("<title>lock = alice:1 until 1000</title>") != std::string::npos);
}

TEST_CASE("of sections with like names the one is left that is named") {
  using Kind = Event::Kind;
  for (const auto& [first, second] :
       {std::pair{"slot1", "slot10"}, {"order", "order 1"}, {"order", "order 1 until 9"}}) {
    Recorder run;
    run.workers = {"alice"};
    run.servers = {"redis"};
    run.add({.kind = Kind::enter, .text = first});
    run.add({.kind = Kind::enter, .text = second});
    run.add({.kind = Kind::leave, .text = first});
    run.add({.kind = Kind::wait});
    const auto changes = tell_states(run).changes;
    CHECK(changes.back().back().second == "waits until 0, inside " + std::string{second});
    const auto trace = trace_as_json(run);
    std::string slices;
    for (const auto& event : trace["traceEvents"])
      if (event["ph"] == "B" || event["ph"] == "E")
        slices += event["ph"].get<std::string>() + " " + event["name"].get<std::string>() + "; ";
    const std::string outer = std::string{" inside "} + first + "; ";
    const std::string inner = std::string{" inside "} + second + "; ";
    CHECK(slices.starts_with("B" + outer + "B" + inner + "E" + inner + "E" + outer + "B" + inner));
  }
}

TEST_CASE("who is in two sections and leaves one is still in the other") {
  using Kind = Event::Kind;
  Recorder run;
  run.workers = {"alice"};
  run.servers = {"redis"};
  run.add({.kind = Kind::enter, .text = "slot1 until 9", .token = "a"});
  run.add({.kind = Kind::enter, .text = "slot10", .token = "b"});
  run.add({.kind = Kind::leave, .text = "slot1"});
  run.add({.kind = Kind::wait});
  run.add({.kind = Kind::leave, .text = "slot10"});
  run.add({.kind = Kind::wait});
  std::vector<std::string> alice;
  for (const auto& changes : tell_states(run).changes)
    for (const auto& [cell, text] : changes)
      if (cell == 1) alice.push_back(text);
  CHECK(alice == std::vector<std::string>{"not started, inside slot1 until 9",
                                          "not started, inside slot1 until 9, inside slot10",
                                          "not started, inside slot10",
                                          "waits until 0, inside slot10", "waits until 0"});
  CHECK(draw_timeline(run).find("█ waits until 0") != std::string::npos);
  const auto trace = trace_as_json(run);
  std::string slices;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "B" || event["ph"] == "E")
      slices += event["ph"].get<std::string>() + " " + event["name"].get<std::string>() + "; ";
  CHECK(slices ==
        "B inside slot1 until 9; B inside slot10; E inside slot10; E inside slot1 until 9; "
        "B inside slot10; E inside slot10; ");
  Verdict verdict;
  verdict.story = std::make_shared<Story>(Story{run, std::nullopt});
  // Of alice alone, then in both, then with bob's token alone.
  CHECK(count(verdict.html(), "class=\"bar t0\"") == 1);
  CHECK(count(verdict.html(), "class=\"bar t1\"") == 2);
}

TEST_CASE("markup and JSON escape every byte that could mean something") {
  CHECK(markup("a<b>&\"'\x01\x7f\xc3\xa9\xff\xc2\x85") ==
        "a&lt;b&gt;&amp;&quot;&#39;\\x01\\x7f\xc3\xa9\\xff\\xc2\\x85");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& text :
       {all, std::string{"\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\xe2\x82"}}) {
    const auto parsed = nlohmann::json::parse(json_text(text));
    CHECK(parsed.get<std::string>() == printable(text));
    CHECK(json_text(text).find_first_of("<>&") == std::string::npos);
  }
  CHECK(shorten("h\xc3\xa9llo", 5) == "h\xc3\xa9llo");
  CHECK(shorten("h\xc3\xa9llo", 3) == "h\xc3\xa9…");
  CHECK(shorten("", 3).empty());
}

TEST_CASE("the state after each step can be told: keys, messages, workers") {
  const Verdict verdict = search("get-then-del", 2);
  REQUIRE(verdict.story);
  const States states = tell_states(verdict.story->broken);
  CHECK(states.cells ==
        std::vector<std::string>{"redis", "alice", "bob", "alice ↔ redis", "bob ↔ redis"});
  REQUIRE(states.changes.size() == verdict.story->broken.events.size());
  std::vector<std::string> cells(states.cells.size());
  std::vector<std::string> keys;
  for (const auto& changes : states.changes) {
    for (const auto& [cell, text] : changes) {
      CHECK(text != cells[cell]);
      cells[cell] = text;
      if (cell == 0) keys.push_back(text);
    }
  }
  const auto says = [&keys](std::string_view text) {
    return std::any_of(keys.begin(), keys.end(),
                       [text](const std::string& key) { return key.starts_with(text); });
  };
  CHECK(says("lock = alice:1 of alice until "));
  CHECK(says("lock has expired at "));
  CHECK(says("lock = bob:1 of bob until "));
  CHECK(keys.back() == "lock is free");
}

TEST_CASE("what decides is one line, and the nearest schedule holds") {
  struct Case {
    std::string lock;
    std::string says;
  };
  for (const auto& [lock, says] :
       std::vector<Case>{{"del-without-check", "'s DEL lock reaches redis"},
                         {"get-then-del", "'s DEL lock reaches redis"},
                         {"setnx-then-expire", "alice crashes; without that it holds"},
                         {"set-nx-px", "alice is paused"}}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Verdict verdict = search(lock, seed);
      INFO(verdict);
      REQUIRE(verdict.story);
      REQUIRE(verdict.story->holds);
      const Recorder& holds = *verdict.story->holds;
      CHECK(std::none_of(holds.events.begin(), holds.events.end(),
                         [](const Event& event) { return event.kind == Event::Kind::finding; }));
      const std::size_t same = common_events(verdict.story->broken, holds);
      CHECK(same < verdict.story->broken.events.size());
      CHECK(!verdict.decides.empty());
      CHECK(verdict.decides.find('\n') == std::string::npos);
      if (seed == 1) CHECK(verdict.decides.find(says) != std::string::npos);
    }
  }
}

TEST_CASE("a search that shall not explain does not") {
  const GalleryLock& lock = *find_lock("del-without-check");
  ExploreOptions options = make_options(lock, {});
  options.explain = false;
  const Verdict verdict = explore(options, make_scenario(lock, {}));
  CHECK(verdict.decides.empty());
  CHECK(!verdict.story->holds);
  CHECK(verdict.html().find("nearest schedule") == std::string::npos);
}

TEST_CASE("PICKLOCK_REPORT_DIR gets a page of every failure, which the verdict names") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "picklock-report-test";
  std::filesystem::create_directories(folder);
  ::setenv("PICKLOCK_REPORT_DIR", folder.c_str(), 1);
  const Verdict broken = search("del-without-check");
  const Verdict limited = search("set-nx-px");
  ::setenv("PICKLOCK_REPORT_DIR", (folder / "missing").c_str(), 1);
  const Verdict nowhere = search("del-without-check");
  ::unsetenv("PICKLOCK_REPORT_DIR");
  CHECK(broken.report == (folder / "del-without-check.html").string());
  CHECK(broken.to_string().find("report: " + broken.report + "\n") != std::string::npos);
  CHECK(read(broken.report) == broken.html());
  CHECK(limited.report.empty());
  CHECK(nowhere.report.starts_with("cannot write "));
  std::filesystem::remove_all(folder);
}

TEST_CASE("events and traces are JSON that other programs can read") {
  const Verdict verdict = search("get-then-del");
  const Recorder& run = verdict.story->broken;
  const auto events = events_as_json(run);
  REQUIRE(events.size() == run.events.size());
  CHECK(events[0]["event"] == "send");
  CHECK(events[0]["worker"] == "alice");
  CHECK(events.back()["event"] == "finding");

  const auto trace = nlohmann::json::parse(trace_as_json(run).dump());
  double last = 0;
  std::map<int, int> depth;
  std::map<std::uint64_t, std::string> flows;
  std::size_t names = 0;
  for (const auto& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "M") ++names;
    if (phase == "M") continue;
    CHECK(event["ts"].get<double>() >= last);
    last = event["ts"];
    const int lane = event["tid"];
    if (phase == "B") ++depth[lane];
    if (phase == "E") CHECK(--depth[lane] >= 0);
    if (phase == "s" || phase == "t" || phase == "f") flows[event["id"]] += phase;
  }
  CHECK(names == run.servers.size() + run.workers.size());
  for (const auto& [lane, open] : depth) CHECK(open == 0);
  CHECK(!flows.empty());
  for (const auto& [message, phases] : flows) CHECK(std::string_view{"stf"}.starts_with(phases));
}

TEST_CASE("--html, --json and --perfetto leave files") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "picklock-output-test";
  std::filesystem::create_directories(folder);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const auto run = [](const std::vector<std::string>& words) {
    const CommandLine line = parse_command_line(words);
    REQUIRE(!line.finished);
    std::ostringstream out;
    std::ostringstream err;
    return execute(line, out, err);
  };
  CHECK(run({"run", "get-then-del", "--html", file("a.html"), "--json", file("a.json"),
             "--perfetto", file("a.trace")}) == Exit::violation);
  CHECK(run({"check", "../fuzz/examples/get-then-del.lua", "--html", file("b.html")}) ==
        Exit::violation);
  CHECK(run({"replay", search("get-then-del").replay, "--html", file("c.html")}) ==
        Exit::violation);
  CHECK(run({"run", "get-then-del", "--html", "/no/such/folder/a.html"}) == Exit::bad_usage);
  CHECK(run({"run", "set-nx-px", "--schedules", "1", "--perfetto", file("b.trace")}) == Exit::fine);
  CHECK(nlohmann::json::parse(read(file("b.trace")))["traceEvents"].empty());
  CHECK(read(file("a.html")) == read(file("c.html")));
  CHECK(read(file("b.html")).ends_with("</html>\n"));
  CHECK(nlohmann::json::parse(read(file("a.json")))["events"].size() > 5);
  CHECK(nlohmann::json::parse(read(file("a.trace")))["traceEvents"].size() > 5);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a report that cannot be written whole is a complaint, and exit 2") {
  const auto run = [](const std::vector<std::string>& words) {
    std::ostringstream out;
    std::ostringstream err;
    const Exit code = execute(parse_command_line(words), out, err);
    CHECK(code == Exit::bad_usage);
    return err.str();
  };
  const std::string full = "picklock-fuzz: cannot write all of /dev/full: is the disk full?\n";
  for (const char* option : {"--json", "--html", "--perfetto"}) {
    CHECK(run({"run", "get-then-del", option, "/dev/full"}) == full);
    CHECK(run({"check", "../fuzz/examples/get-then-del.lua", option, "/dev/full"}) == full);
    CHECK(run({"replay", search("get-then-del").replay, option, "/dev/full"}) == full);
  }
  for (const char* option : {"--markdown", "--html"})
    CHECK(run({"verdicts", "--locks", "set-nx-px", "--faults", "none", "--schedules", "1", option,
               "/dev/full"}) == full);
  // Only JSON goes to standard output.
  for (const char* option : {"--html", "--perfetto"})
    CHECK(run({"run", "get-then-del", option, "-"}) == "picklock-fuzz: cannot write -: give " +
                                                           std::string{option} +
                                                           " a file in a folder that exists\n");
}
