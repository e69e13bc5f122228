#include "fuzz/report/timeline.hpp"

#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using Kind = Event::Kind;

namespace {

Recorder story() {
  Recorder recorder;
  recorder.workers = {"alice", "bob"};
  recorder.servers = {"redis"};
  recorder.start = picklock::kDefaultStart;
  return recorder;
}

picklock::Instant at(std::chrono::microseconds time) { return picklock::kDefaultStart + time; }

}  // namespace

TEST_CASE("a timeline shows who did what, who was inside, paused or gone, and when") {
  Recorder recorder = story();
  recorder.add({.kind = Kind::send, .at = at(0ms), .actor = 0, .text = "SET lock a"});
  recorder.add({.kind = Kind::execute,
                .at = at(0ms),
                .on_server = true,
                .actor = 0,
                .text = "alice: SET → OK",
                .more = "lock: alice until 10"});
  recorder.add({.kind = Kind::reply, .at = at(2ms), .actor = 0, .text = "OK"});
  recorder.add({.kind = Kind::enter, .at = at(2ms), .actor = 0, .text = "section"});
  recorder.add({.kind = Kind::pause, .at = at(2ms), .actor = 0, .until = at(11ms)});
  recorder.add({.kind = Kind::crash, .at = at(5500us), .actor = 1});
  recorder.add({.kind = Kind::resume, .at = at(11ms), .actor = 0});
  recorder.add({.kind = Kind::leave, .at = at(11ms), .actor = 0, .text = "section"});
  recorder.add({.kind = Kind::finish, .at = at(11ms), .actor = 0});
  recorder.add({.kind = Kind::finding, .at = at(11ms), .text = "something broke"});
  CHECK(draw_timeline(recorder) ==
        "    ms alice                bob       redis\n"
        "     0 │ → SET lock a       │         │\n"
        "       │                    │         │ alice: SET → OK\n"
        "       │                    │         │   lock: alice until 10\n"
        "     2 │ ← OK               │         │\n"
        "       █ enters section     │         │\n"
        "       ▒ is paused until 11 │         │\n"
        " 5.500 ▒                    × crashes │\n"
        "    11 █ goes on                      │\n"
        "       █ leaves section               │\n"
        "       │ is done                      │\n"
        "       ✗ something broke\n");
}

TEST_CASE("the middle of a long timeline is left out, and it says how much") {
  Recorder recorder = story();
  for (int i = 0; i < 100; ++i)
    recorder.add({.kind = Kind::send, .at = at(1ms * i), .actor = 0, .text = std::to_string(i)});
  const std::string text = draw_timeline(recorder);
  CHECK(std::count(text.begin(), text.end(), '\n') == 40);
  CHECK(text.find("… 62 lines left out …") != std::string::npos);
  CHECK(text.find("→ 0 ") != std::string::npos);
  CHECK(text.find("→ 99 ") != std::string::npos);
}

TEST_CASE("texts that do not fit are cut with an ellipsis, and a finding is wrapped") {
  Recorder recorder = story();
  recorder.add({.kind = Kind::send, .at = at(0ms), .actor = 0, .text = std::string(200, 'x')});
  std::string sentence = "it broke";
  for (int i = 0; i < 30; ++i) sentence += " again";
  recorder.add({.kind = Kind::finding, .at = at(0ms), .text = sentence});
  const std::string text = draw_timeline(recorder);
  CHECK(text.find("xxx… │") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
}

TEST_CASE("a finding without a space loses nothing where it is wrapped") {
  Recorder recorder = story();
  std::string name = "x";
  for (int i = 0; i < 120; ++i) name += "é";
  recorder.add({.kind = Kind::finding, .at = at(0ms), .text = name});
  std::string text = draw_timeline(recorder);
  text.erase(0, text.find("✗ ") + std::string_view{"✗ "}.size());
  std::erase_if(text, [](char byte) { return byte == ' ' || byte == '\n'; });
  CHECK(text == name);
}

TEST_CASE("more lanes than there is room for are drawn all the same") {
  Recorder recorder = story();
  for (std::size_t i = 2; i < 16; ++i) recorder.workers.push_back("worker" + std::to_string(i));
  for (std::size_t i = 1; i < 20; ++i) recorder.servers.push_back("redis" + std::to_string(i));
  for (std::size_t i = 0; i < 20; ++i) {
    if (i < 16) recorder.add({.kind = Kind::send, .at = at(0ms), .actor = i, .text = "PING"});
    recorder.add(
        {.kind = Kind::execute, .at = at(0ms), .on_server = true, .actor = i, .text = "PING"});
  }
  const std::string text = draw_timeline(recorder);
  CHECK(std::count(text.begin(), text.end(), '\n') == 37);
}

TEST_CASE("among many lanes the silent ones are left out") {
  Recorder recorder = story();
  recorder.workers = {"alice", "bob", "carol", "dave"};
  recorder.add({.kind = Kind::send, .at = at(0ms), .actor = 2, .text = "PING"});
  const std::string text = draw_timeline(recorder);
  CHECK(text ==
        "    ms carol\n"
        "     0 │ → PING\n");
}
