// Every schedule that was kept for libFuzzer, in the ordinary build; and that a finding is one.
#include <algorithm>
#include <vector>

#include <picklock/race/bytes.hpp>

#include "fuzz/gallery/gallery.hpp"
#include "fuzz/targets/schedule_target.hpp"
#include "tests/fuzz_targets/corpus.hpp"

namespace picklock::fuzzing {

TEST_CASE("no schedule of the corpus breaks a sound lock") {
  run_corpus("schedule", [](std::string_view input) { run_schedule_input(input); });
}

TEST_CASE("bytes find a broken lock, whose replay string needs no bytes") {
  const race::GalleryLock& lock = *race::find_lock("get-then-del");
  race::ExploreOptions options = race::make_options(lock, {});
  std::vector<std::uint8_t> counters(1024, 0);
  race::ByteRunner runner{options, race::make_scenario(lock, {}), counters};
  std::uint64_t state = 1;
  race::Verdict verdict;
  int tries = 0;
  for (; verdict && tries < 50'000; ++tries) {
    std::vector<std::uint8_t> bytes(64);
    for (std::uint8_t& byte : bytes) {
      state = state * 6364136223846793005 + 1442695040888963407;
      byte = static_cast<std::uint8_t>(state >> 56);
    }
    verdict = runner.run(bytes);
  }
  INFO(tries << " tries");
  REQUIRE(verdict.verdict == race::Class::violation);
  CHECK(std::ranges::count(counters, 1) > 10);
  const race::Verdict again = race::replay(verdict.replay, race::make_scenario(lock, {}), options);
  CHECK(again.timeline == verdict.timeline);
}

}  // namespace picklock::fuzzing
