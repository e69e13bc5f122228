// Sets of edges: beside sets of numbers.
#include "fuzz/world/coverage.hpp"

#include <set>
#include <vector>

#include "emulator/base/random.hpp"
#include "fuzz/search/chooser.hpp"
#include "fuzz/world/simulation.hpp"
#include "tests/support/catch.hpp"

namespace picklock::race {
namespace {

std::vector<std::size_t> edges_of(const Coverage& coverage) {
  std::vector<std::size_t> edges;
  coverage.for_each([&edges](std::size_t edge) { edges.push_back(edge); });
  return edges;
}

void check_same(const Coverage& coverage, const std::set<std::size_t>& numbers) {
  REQUIRE(coverage.count() == numbers.size());
  REQUIRE(edges_of(coverage) == std::vector<std::size_t>(numbers.begin(), numbers.end()));
}

TEST_CASE("coverage holds the edges that were set, in their order") {
  Random random{3};
  Coverage all;
  Coverage repeated;
  std::set<std::size_t> every;
  std::set<std::size_t> twice;
  Coverage slice;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    std::set<std::size_t> numbers;
    for (std::uint64_t left = random.below(300); left > 0; --left) {
      // Some words of the set are full, and most are empty.
      const auto edge = static_cast<std::size_t>(
          random.below(2) == 0 ? random.below(200) + 60 : random.below(Coverage::kBits));
      REQUIRE(slice.set(edge) == numbers.insert(edge).second);
    }
    check_same(slice, numbers);
    all.join(slice, repeated);
    for (const std::size_t edge : numbers)
      if (!every.insert(edge).second) twice.insert(edge);
    check_same(all, every);
    check_same(repeated, twice);
    slice.clear();
    check_same(slice, {});
    REQUIRE(slice.words() == Coverage{}.words());
  }
  REQUIRE(twice.size() > 1000);
}

/// Those of one worker's run: it is inside of two things, leaves one, and a step later the other
/// one, or both at once.
std::vector<std::size_t> edges_of_stays(bool one_by_one) {
  using namespace std::chrono_literals;
  Simulation simulation{{}};
  Coverage coverage;
  simulation.cover(&coverage);
  RandomChooser chooser{1};
  const Simulation::Result result = simulation.run(
      [one_by_one](World& world) {
        Exclusive& door = world.exclusive("door");
        Exclusive& window = world.exclusive("window");
        world.spawn("alice", [=, &door, &window](Worker& worker) -> Task<> {
          Turn outer = door.enter(worker);
          Turn inner = window.enter(worker);
          co_await worker.sleep(1ms);
          inner.leave();
          if (!one_by_one) outer.leave();
          co_await worker.sleep(1ms);
          outer.leave();
          co_await worker.sleep(1ms);
        });
      },
      chooser);
  REQUIRE(result.new_edges == coverage.count());
  return edges_of(coverage);
}

TEST_CASE("who has left one of two things is still inside, and covers other edges") {
  const std::vector<std::size_t> edges = edges_of_stays(true);
  CHECK(edges_of_stays(true) == edges);
  CHECK(edges_of_stays(false) != edges);
}

TEST_CASE("the first and the last edge are edges like all others") {
  Coverage coverage;
  CHECK(coverage.set(0));
  CHECK(coverage.set(Coverage::kBits - 1));
  CHECK_FALSE(coverage.set(0));
  CHECK_FALSE(coverage.set(Coverage::kBits - 1));
  CHECK(edges_of(coverage) == std::vector<std::size_t>{0, Coverage::kBits - 1});
}

}  // namespace
}  // namespace picklock::race
