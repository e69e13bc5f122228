#include "fuzz/search/chooser.hpp"

#include "fuzz/world/ids.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

const std::vector<Option> kThree{{.id = step_id(Step::resume, 0)},
                                 {.id = step_id(Step::request, 1)},
                                 {.id = step_id(Step::time, 0)}};

std::vector<std::size_t> picks(Chooser& chooser, std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(chooser.pick(Kind::step, kThree));
  return result;
}

}  // namespace

TEST_CASE("a random chooser of the same seed picks the same") {
  RandomChooser first{7};
  RandomChooser second{7};
  RandomChooser other{8};
  const auto expected = picks(first, 100);
  CHECK(picks(second, 100) == expected);
  CHECK(picks(other, 100) != expected);
}

TEST_CASE("a random chooser takes options as often as their weights say") {
  const std::vector<Option> options{{.id = 0, .weight = 16}, {.id = 1, .weight = 1}};
  RandomChooser chooser{1};
  int rare = 0;
  for (int i = 0; i < 17'000; ++i) rare += chooser.pick(Kind::step, options) == 1 ? 1 : 0;
  CHECK(rare > 850);
  CHECK(rare < 1150);
}

TEST_CASE("a replay finds its options by their ids, wherever they stand") {
  const std::vector<Choice> choices{{Kind::step, step_id(Step::time, 0)},
                                    {Kind::step, step_id(Step::resume, 0)}};
  ReplayChooser chooser{choices};
  CHECK(chooser.pick(Kind::step, kThree) == 2);
  CHECK_FALSE(chooser.at_end());
  CHECK(chooser.pick(Kind::step, kThree) == 0);
  CHECK(chooser.at_end());
  CHECK(chooser.mismatch().empty());
}

TEST_CASE(
    "a replay that does not fit stops and says which choice, what was expected and what is there") {
  const std::vector<Choice> choices{{Kind::step, step_id(Step::time, 0)},
                                    {Kind::step, step_id(Step::crash, 1)}};
  ReplayChooser chooser{choices};
  REQUIRE(chooser.pick(Kind::step, kThree) == 2);
  CHECK(chooser.pick(Kind::step, kThree) == kThree.size());
  CHECK(
      chooser.mismatch() ==
      "choice 2 of 2: expected \"worker 2 crashes\", but the run can go on with \"worker 1 runs\", "
      "\"worker 2's request reaches server 1\", \"time goes on\"");
}

TEST_CASE("a replay stops when it is asked for another kind of choice, or for more than it holds") {
  const std::vector<Choice> choices{{Kind::duration, 0}};
  ReplayChooser other_kind{choices};
  CHECK(other_kind.pick(Kind::step, kThree) == kThree.size());
  CHECK(other_kind.mismatch().starts_with("choice 1 of 1: expected \"pause for the least time\""));

  ReplayChooser empty{{}};
  CHECK(empty.pick(Kind::step, kThree) == kThree.size());
  CHECK(empty.mismatch().starts_with("choice 1 of 0: expected the end of the run"));
}

TEST_CASE("a tolerant replay drops what is not on offer and ends with first options") {
  const std::vector<Choice> choices{{Kind::step, step_id(Step::crash, 5)},
                                    {Kind::duration, 1},
                                    {Kind::step, step_id(Step::time, 0)}};
  TolerantChooser chooser;
  chooser.follow(choices);
  CHECK(picks(chooser, 3) == std::vector<std::size_t>{2, 0, 0});
}
