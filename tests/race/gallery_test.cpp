// The gallery's verdicts: every broken lock is caught, no good one is accused, and replays are
// exact.
#include "fuzz/gallery/gallery.hpp"

#include "fuzz/search/trace.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

struct Campaign {
  std::uint64_t seed = 1;
  Faults faults{};
  int max_delay_ms = 5;
  LockSettings settings{};
  std::uint64_t schedules = 10'000;
};

Verdict search(std::string_view name, const Campaign& campaign = {}) {
  const GalleryLock& lock = *find_lock(name);
  ExploreOptions options = make_options(lock, campaign.settings);
  options.seed = campaign.seed;
  options.faults = campaign.faults;
  options.max_delay = std::chrono::milliseconds{campaign.max_delay_ms};
  options.schedules = campaign.schedules;
  return explore(options, make_scenario(lock, campaign.settings));
}

Verdict replay_again(std::string_view name, const Verdict& verdict,
                     const LockSettings& settings = {}) {
  const GalleryLock& lock = *find_lock(name);
  return replay(verdict.replay, make_scenario(lock, settings), make_options(lock, settings));
}

constexpr std::array<std::string_view, 3> kBroken{"del-without-check", "get-then-del",
                                                  "setnx-then-expire"};
constexpr std::array<std::string_view, 3> kGood{"simple-setnx", "reentrant-hash", "set-nx-px"};

}  // namespace

TEST_CASE("every broken lock is caught within 10,000 schedules for 20 of 20 seeds") {
  for (const std::string_view name : kBroken) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Verdict verdict = search(name, {.seed = seed});
      INFO(name << ", seed " << seed << ": " << verdict);
      CHECK(verdict.verdict == Class::violation);
      CHECK(verdict.oracle == (name == "setnx-then-expire" ? Oracle::no_ttl : Oracle::ownership));
      CHECK(verdict.replay.size() <= 120);
    }
  }
}

TEST_CASE("no good lock is accused in 10,000 schedules without pauses") {
  for (const std::string_view name : kGood) {
    const Verdict verdict = search(name, {.faults = {.pauses = 0, .crashes = 1}});
    INFO(name << ": " << verdict);
    CHECK(verdict.verdict == Class::holds);
    CHECK(verdict.limits == 0);
    CHECK(verdict.schedules == 10'000);
  }
}

TEST_CASE("a good lock under pauses meets the documented limit and nothing worse") {
  for (const std::string_view name : kGood) {
    const Verdict verdict = search(name, {.seed = 3, .faults = {.pauses = 2, .crashes = 1}});
    INFO(name << ": " << verdict);
    CHECK(verdict.verdict == Class::documented_limit);
    CHECK(verdict.oracle == Oracle::mutual_exclusion);
    CHECK(verdict.limits > 0);
    CHECK(static_cast<bool>(verdict));
  }
}

TEST_CASE("more workers and rounds accuse no good lock either") {
  for (const std::string_view name : kGood) {
    const Verdict verdict =
        search(name, {.settings = {.workers = 4, .rounds = 3}, .schedules = 1'000});
    INFO(name << ": " << verdict);
    CHECK(static_cast<bool>(verdict));
  }
}

TEST_CASE("a ttl of 0 and a crash block everybody for ever") {
  for (const std::string_view name : {"simple-setnx", "reentrant-hash"}) {
    const Verdict verdict = search(name, {.settings = {.ttl_ms = 0}});
    INFO(name << ": " << verdict);
    CHECK(verdict.verdict == Class::violation);
    CHECK(verdict.oracle == Oracle::no_ttl);
  }
}

TEST_CASE("a ttl that the server refuses makes a lock unusable, not racy") {
  const Verdict verdict = search("set-nx-px", {.settings = {.ttl_ms = 0}});
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.message == "alice: ERR invalid expire time in 'set' command");
}

TEST_CASE("without faults and delays even the broken locks hold") {
  for (const std::string_view name : kBroken) {
    const Verdict verdict = search(name, {.faults = {0, 0}, .max_delay_ms = 0, .schedules = 3'000});
    INFO(name << ": " << verdict);
    CHECK(verdict.verdict == Class::holds);
  }
}

TEST_CASE("a replay gives the same bytes 100 times of 100") {
  for (const std::string_view name : kBroken) {
    const Verdict found = search(name, {.seed = 5});
    REQUIRE(found.verdict == Class::violation);
    int same = 0;
    for (int i = 0; i < 100; ++i) {
      const Verdict again = replay_again(name, found);
      same += again.timeline == found.timeline && again.message == found.message &&
                      again.replay_line == found.replay_line
                  ? 1
                  : 0;
    }
    CHECK(same == 100);
  }
}

TEST_CASE("a documented limit is replayed as well") {
  const Verdict found = search("set-nx-px");
  const Verdict again = replay_again("set-nx-px", found);
  CHECK(again.verdict == Class::documented_limit);
  CHECK(again.timeline == found.timeline);
}

TEST_CASE("a search of the same seed finds the same, another one something else") {
  const Verdict first = search("get-then-del", {.seed = 9});
  const Verdict second = search("get-then-del", {.seed = 9});
  CHECK(first.to_string() == second.to_string());
}

TEST_CASE("a replay string of another configuration says so") {
  const Verdict found = search("del-without-check");
  const GalleryLock& lock = *find_lock("del-without-check");
  ExploreOptions other = make_options(lock, {.workers = 3});
  const Verdict verdict = replay(found.replay, make_scenario(lock, {.workers = 3}), other);
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.message ==
        "the replay string is of another configuration of 'del-without-check' (its scripts or "
        "settings were "
        "different): replay it with those, or search again");
}

TEST_CASE("a replay string of another program stops where it does not fit") {
  const Verdict found = search("get-then-del");
  const GalleryLock& fixed = *find_lock("set-nx-px");
  ExploreOptions any;
  any.scenario = "";
  const Verdict verdict = replay(found.replay, make_scenario(fixed, {}), any);
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::replay);
  CHECK(verdict.message.starts_with("the replay string does not fit this program ("));
}

TEST_CASE("a failure fits on the first screen and ends with its replay line") {
  for (const std::string_view name : kBroken) {
    const Verdict verdict = search(name, {.settings = {.workers = 5, .rounds = 2}});
    REQUIRE(verdict.verdict == Class::violation);
    std::size_t lines = 0;
    std::size_t width = 0;
    for (const char byte : verdict.timeline) {
      if (byte == '\n') {
        ++lines;
        CHECK(width <= 100);
        width = 0;
      } else if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) {
        ++width;
      }
    }
    CHECK(lines <= 40);
    CHECK(verdict.to_string().ends_with("replay: picklock-fuzz replay " + verdict.replay + "\n"));
  }
}
