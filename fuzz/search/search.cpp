#include "fuzz/search/search.hpp"

#include "fuzz/search/audit.hpp"
#include "fuzz/search/exhaustive.hpp"

namespace picklock::race {
namespace {

constexpr std::uint64_t kProgressEvery = 1024;  // Whole slices.
static_assert(kProgressEvery % kSlice == 0);
/// The first, second, fourth... schedule and every 256th are run once more by their choices, and
/// must give the same.
bool is_audited(std::uint64_t number) {
  constexpr std::uint64_t kEvery = 256;
  return number % kEvery == 0 || (number < kEvery && (number & (number - 1)) == 0);
}

class Search {
 public:
  Search(const ExploreOptions& options, const Scenario& scenario, Simulation& simulation)
      : options_(options), scenario_(scenario), simulation_(simulation) {}

  Findings run() {
    if (options_.strategy == Strategy::exhaustive)
      run_exhaustively();
    else
      run_portfolio();
    simulation_.cover(nullptr);
    findings_.interrupted = !is_over() && is_stopped();
    report(findings_.complete ? 1 : 0, true);
    return std::move(findings_);
  }

 private:
  bool is_over() const {
    return findings_.complete || findings_.schedules >= options_.schedules ||
           !findings_.nondeterminism.empty() || !findings_.unresponsive.empty() ||
           findings_.worst.result.finding.verdict >= Class::violation;
  }
  bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  bool goes_on() const { return !is_over() && !is_stopped(); }

  void run_portfolio() {
    Portfolio portfolio{options_.faults, options_.strategy, options_.seed};
    Coverage slice;
    simulation_.cover(&slice);
    while (goes_on()) {
      const std::uint64_t number = findings_.schedules + 1;
      Chooser& chooser = portfolio.begin(number);
      const Simulation::Result result = simulation_.run(scenario_, chooser);
      portfolio.learn(simulation_.choices(), result.new_edges > 0);
      note(result);
      if (findings_.unresponsive.empty() && is_audited(number)) findings_.nondeterminism = audit(simulation_, scenario_, result);
      if (number % kSlice == 0) end_slice(slice);
      if (number % kProgressEvery == 0) report();
    }
    end_slice(slice);
  }

  void end_slice(Coverage& slice) {
    findings_.coverage.join(slice, repeated_);
    slice.clear();
  }

  void run_exhaustively() {
    ExhaustiveChooser chooser{simulation_};
    if (options_.symmetric) chooser.assume_symmetry();
    simulation_.cover(&findings_.coverage);
    bool more = true;
    while (more && goes_on()) {
      const Simulation::Result result = simulation_.run(scenario_, chooser);
      if (chooser.has_diverged()) {
        findings_.nondeterminism = "a choice that was possible is not any more";
        return;
      }
      note(result);
      if (findings_.unresponsive.empty() && is_audited(findings_.schedules) && !result.stopped) findings_.nondeterminism = audit(simulation_, scenario_, result);
      more = chooser.next();
      findings_.states = chooser.states();
      if (findings_.schedules % kProgressEvery == 0) report(chooser.done());
    }
    findings_.complete = !more;
  }

  void note(const Simulation::Result& result) {
    ++findings_.schedules;
    findings_.unresponsive = simulation_.gave_up();
    if (result.finding.verdict == Class::documented_limit) ++findings_.limits;
    if (result.finding.verdict <= findings_.worst.result.finding.verdict) return;
    findings_.worst = {simulation_.choices(), result};
    findings_.found_at = findings_.schedules;
  }

  void report(double done = 0, bool over = false) {
    if (!options_.progress) return;
    options_.progress({.schedules_done = findings_.schedules,
                       .schedules = options_.schedules,
                       .coverage = findings_.coverage.count(),
                       .singletons = findings_.coverage.count() - repeated_.count(),
                       .states = findings_.states,
                       .done = done,
                       .over = over});
  }

  const ExploreOptions& options_;
  const Scenario& scenario_;
  Simulation& simulation_;
  Findings findings_;
  Coverage repeated_;  ///< Edges that more than one slice has shown.
};

}  // namespace

Findings search(const ExploreOptions& options, const Scenario& scenario, Simulation& simulation) {
  return Search{options, scenario, simulation}.run();
}

}  // namespace picklock::race
