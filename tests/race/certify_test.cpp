// Shrinking with a certificate: nothing shorter fails.
#include "fuzz/search/certify.hpp"

#include "fuzz/gallery/gallery.hpp"
#include "fuzz/gallery/suite.hpp"
#include "fuzz/search/search.hpp"
#include "fuzz/world/ids.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

/// A gallery lock with all that certifying wants.
struct Bench {
  explicit Bench(const char* name)
      : lock(*find_lock(name)),
        scenario(make_scenario(lock, settings)),
        options(make_options(lock, settings)),
        simulation({.faults = {.pauses = 1, .crashes = 1},
                    .max_delay = std::chrono::milliseconds{5},
                    .timeless = true}) {
    options.faults = {.pauses = 1, .crashes = 1};
  }

  /// The failure of one seed, as the search gives it.
  Failure find(std::uint64_t seed) {
    options.seed = seed;
    options.schedules = 2000;
    return search(options, scenario, simulation).worst;
  }

  LockSettings settings;
  const GalleryLock& lock;
  Scenario scenario;
  ExploreOptions options;
  Simulation simulation;
};

/// Every schedule of fewer steps, by brute force: no states, no bounds but the steps.
class EveryChooser final : public Chooser {
 public:
  EveryChooser(const Simulation& simulation, std::uint32_t steps)
      : simulation_(simulation), steps_(steps) {}

  std::size_t pick(Kind, std::span<const Option> options) override {
    if (simulation_.steps() >= steps_) return options.size();
    if (depth_ == taken_.size()) {
      taken_.push_back(0);
      sizes_.push_back(options.size());
    }
    return taken_[depth_++];
  }

  bool next() {
    depth_ = 0;
    while (!taken_.empty() && ++taken_.back() == sizes_.back()) {
      taken_.pop_back();
      sizes_.pop_back();
    }
    return !taken_.empty();
  }

 private:
  const Simulation& simulation_;
  std::uint32_t steps_;
  std::size_t depth_ = 0;
  std::vector<std::size_t> taken_;
  std::vector<std::size_t> sizes_;
};

bool some_schedule_fails(Bench& bench, const Failure& like, std::uint32_t fewer_steps_than) {
  EveryChooser chooser{bench.simulation, fewer_steps_than};
  do {
    const auto result = bench.simulation.run(bench.scenario, chooser, like.result.finding.verdict);
    if (!result.stopped && result.finding.same_kind(like.result.finding)) return true;
  } while (chooser.next());
  return false;
}

constexpr std::uint64_t kStates = 1'000'000;
constexpr std::uint64_t kFewStates = 8000;

}  // namespace

TEST_CASE("whatever schedule it comes from, the certificate ends at the same length") {
  std::size_t compared = 0;
  for (const char* name : {"del-without-check", "get-then-del", "setnx-then-expire", "set-nx-px"}) {
    CAPTURE(name);
    Bench bench{name};
    std::vector<Simulation::Result> ends;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Failure found = bench.find(seed);
      REQUIRE(found.result.finding.verdict != Class::holds);
      const Failure shrunk = shrink(bench.simulation, bench.scenario, found);
      // From the shrunk one as from the long one, for which the certificate does all of the work.
      for (const Failure& start : {shrunk, found}) {
        const Certificate certificate =
            certify(bench.simulation, bench.scenario, start, {.most_states = kStates});
        REQUIRE(certificate.complete);
        const Simulation::Result& end = certificate.shortest.result;
        CHECK(end.steps <= start.result.steps);
        for (const Simulation::Result& other : ends) {
          if (!other.finding.same_kind(end.finding) || other.faults != end.faults ||
              other.workers != end.workers)
            continue;
          CHECK(other.steps == end.steps);
          ++compared;
        }
        ends.push_back(end);
      }
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("what is certified, brute force cannot shorten, and what is not, it can") {
  Bench bench{"setnx-then-expire"};
  const Failure found = bench.find(3);
  const Certificate certificate =
      certify(bench.simulation, bench.scenario, found, {.most_states = kStates});
  REQUIRE(certificate.complete);
  const std::uint32_t steps = certificate.shortest.result.steps;
  CHECK(!some_schedule_fails(bench, found, steps));
  CHECK(some_schedule_fails(bench, found, steps + 1));
}

TEST_CASE("what a worker has not read off a clock makes no shorter schedule", "[.all]") {
  std::size_t compared = 0;
  std::size_t cheaper = 0;
  for (const Bug& bug : all_bugs()) {
    CAPTURE(bug.id);
    ExploreOptions options = make_options(bug, false);
    options.schedules = 300;
    const Scenario scenario = make_scenario(bug, false);
    // The told times in full are compared with those that were read, of differences only.
    Simulation whole{{.faults = options.faults, .max_delay = options.max_delay}};
    Simulation less{
        {.faults = options.faults, .max_delay = options.max_delay, .timeless = options.timeless}};
    const Failure found = search(options, scenario, whole).worst;
    if (found.result.finding.verdict == Class::holds) continue;
    // As it was found: the certificate's search must find the shorter ones itself.
    const Certificate told = certify(whole, scenario, found,
                                     {.most_states = kFewStates, .times = Simulation::Times::told});
    if (!told.complete) continue;
    // What workers share is told each time that they run: more states, for a few.
    const Certificate read = certify(less, scenario, found, {.most_states = 4 * kFewStates});
    CHECK(read.complete);
    CHECK(read.shortest.result.steps == told.shortest.result.steps);
    CHECK(read.shortest.result.faults == told.shortest.result.faults);
    cheaper += read.states < told.states ? 1 : 0;
    ++compared;
  }
  CAPTURE(compared, cheaper);
  CHECK(compared > 20);
  CHECK(cheaper > 5);
}

TEST_CASE("a time that a worker has read is part of what it knows") {
  using namespace std::chrono_literals;
  // Late the first time or the second time: afterwards the clock and the replies are the same.
  const Scenario scenario = [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      const picklock::Instant begun = worker.now();
      co_await worker.call(redis, "PING");
      const bool late = worker.now() - begun > 4ms;
      co_await worker.call(redis, "PING");
      co_await worker.call(redis, "PING");
      worker.expect(!late, "the first answer comes at once");
    });
  };
  ExploreOptions options;
  options.scenario = "late";
  options.faults = Faults::none();
  options.schedules = 2000;
  Simulation simulation{{.faults = options.faults, .max_delay = 5ms, .timeless = true}};
  std::size_t shortened = 0;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    const Failure found = search(options, scenario, simulation).worst;
    REQUIRE(found.result.finding.verdict == Class::violation);
    const Certificate told = certify(simulation, scenario, found,
                                     {.most_states = kStates, .times = Simulation::Times::told});
    const Certificate read = certify(simulation, scenario, found, {.most_states = kStates});
    REQUIRE(told.complete);
    REQUIRE(read.complete);
    CHECK(read.shortest.result.steps == told.shortest.result.steps);
    shortened += told.shortest.result.steps < found.result.steps ? 1 : 0;
  }
  CHECK(shortened > 0);
}

TEST_CASE("what is known of one failure is not searched for again") {
  Bench bench{"get-then-del"};
  Minima minima;
  std::uint64_t searched = 0;
  std::uint64_t known = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Failure found = bench.find(seed);
    const Certificate plain =
        certify(bench.simulation, bench.scenario, found, {.most_states = kStates});
    const Certificate quick = certify(bench.simulation, bench.scenario, found,
                                      {.most_states = kStates, .minima = &minima});
    CHECK(quick.complete);
    CHECK(quick.shortest.result.steps == plain.shortest.result.steps);
    CHECK(quick.shortest.result.finding.same_kind(found.result.finding));
    searched += quick.states > 0 ? 1 : 0;
    known += quick.states == 0 ? 1 : 0;
  }
  CHECK(searched > 0);
  CHECK(known > 0);
}

TEST_CASE("a certificate can be interrupted") {
  Bench bench{"set-nx-px"};
  const std::atomic<bool> stop = true;
  CHECK(!certify(bench.simulation, bench.scenario, bench.find(1),
                 {.most_states = kStates, .stop = &stop})
             .complete);
}

TEST_CASE("shrinking can be interrupted, and what was found is kept") {
  Bench bench{"set-nx-px"};
  const Failure found = bench.find(1);
  const std::atomic<bool> stop = true;
  CHECK(shrink(bench.simulation, bench.scenario, found, &stop).choices == found.choices);
  CHECK(shrink(bench.simulation, bench.scenario, found).choices.size() < found.choices.size());
}

TEST_CASE("shrinking stops when scripts have executed as much as it may cost") {
  int runs = 0;
  const Scenario scenario = [&runs](World& world) {
    ++runs;
    Node& redis = world.redis("redis");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [&redis](Worker& worker) -> Task<> {
        for (int i = 0; i < 5; ++i) co_await worker.call(redis, "PING");
        co_await worker.call(redis, "EVAL", "for i = 1, 2000000 do end", "0");
        throw std::runtime_error{"found"};
      });
    }
  };
  ExploreOptions options;
  options.faults = Faults::none();
  options.schedules = 1;
  Simulation simulation{{}};
  const Failure found = search(options, scenario, simulation).worst;
  REQUIRE(found.result.finding.oracle == Oracle::threw);
  constexpr int kRuns = 4;
  runs = 0;
  shrink(simulation, scenario, found, nullptr, std::size_t{kRuns} * found.result.work);
  CHECK(runs <= kRuns + 1);
  CHECK(runs >= 1);
}

TEST_CASE("too many states leave it open, and what was found is kept") {
  Bench bench{"set-nx-px"};
  const Failure found = bench.find(1);
  const Certificate certificate =
      certify(bench.simulation, bench.scenario, found, {.most_states = 10});
  CHECK(!certificate.complete);
  CHECK(certificate.states == 11);
  CHECK(certificate.shortest.result.finding.same_kind(found.result.finding));
  CHECK(certificate.shortest.result.steps <= found.result.steps);
}

TEST_CASE("a verdict says that it is certified, and over how many states") {
  Bench bench{"del-without-check"};
  bench.options.certify = kStates;
  bench.options.seed = 1;
  const Verdict verdict = explore(bench.options, bench.scenario);
  CHECK(verdict.certified);
  CHECK(verdict.certified_over > 100);
  CHECK(verdict.to_string().find("no shorter schedule fails: ") != std::string::npos);
  bench.options.certify = 5;
  const Verdict open = explore(bench.options, bench.scenario);
  CHECK(!open.certified);
  CHECK(open.to_string().find("not certified: ") != std::string::npos);
  bench.options.certify = 0;
  CHECK(explore(bench.options, bench.scenario).to_string().find("certified") == std::string::npos);
}

TEST_CASE("most bugs of the suite shrink to the least steps, over few states") {
  std::size_t bugs = 0;
  ShrinkTally tally;
  for (const Bug& bug : all_bugs()) {
    if (bug.furnish == nullptr || bug.expected != Class::violation || bugs == 12) continue;
    ++bugs;
    tally.add(judge(bug, {.seeds = 1, .twin_schedules = 1, .certify = 20'000}).tally);
  }
  CAPTURE(tally.exact, tally.shortened, tally.open);
  CHECK(tally.exact + tally.shortened + tally.open == bugs);
  CHECK(tally.exact + tally.shortened >= 9);
}
