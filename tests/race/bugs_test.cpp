// The bug suite: every bug is found by the property it breaks, no mended twin is accused.
#include <fstream>
#include <iterator>
#include <set>

#include "fuzz/gallery/suite.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

/// The bugs of one group of the catalogue.
std::vector<const Bug*> group(char letter) {
  std::vector<const Bug*> bugs;
  for (const Bug& bug : all_bugs()) {
    if (bug.id[0] == letter) bugs.push_back(&bug);
  }
  return bugs;
}

void check_group(char letter, const SuiteBounds& bounds) {
  for (const Bug* bug : group(letter)) {
    const BugResult result = judge(*bug, bounds);
    INFO(bug->id << ": " << bug->summary << "\n" << result.first << "\ntwin: " << result.twin);
    CHECK(result.missed == 0);
    CHECK(result.twin_holds());
  }
}

}  // namespace

TEST_CASE("the suite has at least 60 bugs, each with a name of its own and a twin or a reason") {
  std::set<std::string_view> ids;
  std::size_t built = 0;
  for (const Bug& bug : all_bugs()) {
    CHECK(ids.insert(bug.id).second);
    CHECK_FALSE(bug.summary.empty());
    if (!bug.has_twin) CHECK(bug.expected == Class::documented_limit);
    built += bug.furnish != nullptr ? 1 : 0;
  }
  CHECK(built >= 60);
  std::ifstream page{"../docs/races.md"};
  const std::string text{std::istreambuf_iterator<char>{page}, {}};
  CHECK(text.find(std::to_string(ids.size()) + " lock-race bugs") != std::string::npos);
}

#ifdef __SANITIZE_ADDRESS__
const SuiteBounds kEffort{.seeds = 1, .twin_schedules = 300};  // Ten times slower.
#else
const SuiteBounds kEffort{.seeds = 2};
#endif

TEST_CASE("every bug is found by its property and every twin holds") {
  for (const char letter : std::string_view{"ABCDEFGHIJ"}) {
    DYNAMIC_SECTION("group " << letter) { check_group(letter, kEffort); }
  }
}

TEST_CASE("a bug's replay string finds the bug again, and its twin's is another's") {
  const Bug& bug = *find_bug("A3");
  ExploreOptions options = make_options(bug, false);
  const Verdict found = explore(options, make_scenario(bug, false));
  REQUIRE(found.verdict == Class::violation);
  bool mended = true;
  CHECK(find_bug(options.scenario, options.parameters, mended) == &bug);
  CHECK_FALSE(mended);
  CHECK(replay(found.replay, make_scenario(bug, false), options).message == found.message);
  CHECK(replay(found.replay, make_scenario(bug, true), make_options(bug, true)).oracle ==
        Oracle::replay);
}

TEST_CASE("a mutant that is none is missed, and a twin that is none is accused") {
  Bug bug = *find_bug("A3");
  bug.furnish = [](World& world, bool mended) { find_bug("A3")->furnish(world, !mended); };
  const BugResult result = judge(bug, {.seeds = 1, .schedules = 500, .twin_schedules = 500});
  CHECK(result.missed == 1);
  CHECK_FALSE(result.twin_holds());
  CHECK_FALSE(result.is_right());
}
