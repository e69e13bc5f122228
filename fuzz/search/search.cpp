#include "fuzz/search/search.hpp"

#include <algorithm>
#include <bit>

#include "fuzz/search/audit.hpp"
#include "fuzz/search/exhaustive.hpp"
#include "fuzz/search/part.hpp"

namespace picklock::race {
namespace {

constexpr std::uint64_t kProgressEvery = 1024;  // Whole slices.
static_assert(kProgressEvery % kSlice == 0);
/// The first, second, fourth... schedule and every 256th are run once more by their choices, and
/// must give the same.
constexpr std::uint64_t kEvery = 256;
bool is_audited(std::uint64_t number) {
  return number % kEvery == 0 || (number < kEvery && (number & (number - 1)) == 0);
}

class Search {
 public:
  Search(const ExploreOptions& options, const Scenario& scenario, Simulation& simulation)
      : options_(options), scenario_(scenario), simulation_(simulation) {
    const bool is_part = options.shard.count > 1 || options.shard.is_named;
    if (is_part && options.strategy != Strategy::exhaustive)
      findings_.part = std::make_shared<Part>();
  }

  Findings run() {
    if (options_.strategy == Strategy::exhaustive)
      run_exhaustively();
    else
      run_portfolio();
    simulation_.cover(nullptr);
    findings_.interrupted = !is_over() && is_stopped();
    // Only whole parts can be joined.
    if (findings_.interrupted || !findings_.unresponsive.empty()) findings_.part.reset();
    report(findings_.complete ? 1 : 0, true);
    return std::move(findings_);
  }

 private:
  bool is_over() const {
    return findings_.complete || number_ >= options_.schedules ||
           !findings_.nondeterminism.empty() || !findings_.wrong_digest.empty() ||
           !findings_.unresponsive.empty() ||
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
      if (number_ % kSlice == 0) end_slice(slice);
      ++number_;
      if (!is_mine(options_.shard, number_)) {
        number_ += kSlice - 1;
        continue;
      }
      Chooser& chooser = portfolio.begin(number_);
      const Simulation::Result result = simulation_.run(scenario_, chooser);
      portfolio.learn(simulation_.choices(), result.new_edges > 0);
      note(result);
      if (findings_.found_at == number_) findings_.found_by = portfolio.picked_by();
      if (options_.twice || is_audited(number_)) run_again(result);
      if (findings_.schedules % kProgressEvery == 0) report();
    }
    end_slice(slice);
    if (findings_.part) end_part();
  }

  /// The slice that ends with schedule number_.
  void end_slice(Coverage& slice) {
    if (findings_.part) {
      slice.for_each([&](std::size_t edge) {
        if (kept_.set(edge))
          findings_.part->edges[(number_ - 1) / kSlice].push_back(static_cast<std::uint32_t>(edge));
      });
    }
    findings_.coverage.join(slice, repeated_);
    slice.clear();
  }

  void end_part() {
    Part& part = *findings_.part;
    part.shard = options_.shard;
    part.program = program_of(options_);
    part.seed = options_.seed;
    part.schedules = options_.schedules;
    part.nondeterminism = findings_.nondeterminism;
    part.verdict = findings_.worst.result.finding.verdict;
    part.found_at = findings_.found_at;
    part.found_by = findings_.found_by;
    part.choices = findings_.worst.choices;
    if (!part.nondeterminism.empty() || part.verdict >= Class::violation) part.stopped_at = number_;
  }

  void run_exhaustively() {
    ExhaustiveChooser chooser{simulation_};
    if (options_.symmetric) chooser.assume_symmetry();
    simulation_.cover(&findings_.coverage);
    bool more = true;
    while (more && goes_on()) {
      ++number_;
      const Simulation::Result result = chooser.run(scenario_);
      if (chooser.has_diverged()) {
        findings_.nondeterminism = "a choice that was possible is not any more";
        return;
      }
      note(result);
      if (findings_.found_at == number_) findings_.found_by = Strategy::exhaustive;
      const bool again = options_.twice || is_audited(findings_.schedules);
      if (again && !result.stopped) run_again(result);
      if (!chooser.is_outdated()) audit_digests(chooser.digests());
      if (chooser.is_outdated()) findings_.wrong_digest.clear();
      more = chooser.next();
      findings_.states = chooser.states();
      if (findings_.schedules % kProgressEvery == 0) report(chooser.done());
    }
    findings_.complete = !more && findings_.wrong_digest.empty();
  }

  void note(const Simulation::Result& result) {
    ++findings_.schedules;
    findings_.unresponsive = simulation_.gave_up();
    if (result.finding.verdict == Class::documented_limit) {
      ++findings_.limits;
      if (findings_.part) ++findings_.part->limits[(number_ - 1) / kSlice];
    }
    if (result.finding.verdict <= findings_.worst.result.finding.verdict) return;
    findings_.worst = {simulation_.choices(), result};
    findings_.found_at = number_;
  }

  /// A program whose runs differ cannot be searched.
  void run_again(const Simulation::Result& result) {
    if (!findings_.unresponsive.empty()) return;
    findings_.nondeterminism = audit(simulation_, scenario_, result, audited_);
    ++findings_.repeated;
  }

  /// It covers nothing that the search has not.
  void audit_digests(DigestAudit& digests) {
    if (is_over()) return;
    simulation_.cover(nullptr);
    findings_.wrong_digest = digests.run(simulation_, scenario_);
    simulation_.cover(&findings_.coverage);
  }

  void report(double done = 0, bool over = false) {
    if (!options_.progress) return;
    options_.progress({.schedules_done = findings_.schedules,
                       .schedules = options_.schedules / options_.shard.count,
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
  Coverage repeated_;         ///< Edges that more than one slice has shown.
  std::uint64_t number_ = 0;  ///< Of the last schedule.
  Coverage kept_;             ///< The edges that the part has.
  std::vector<Choice> audited_;
};

}  // namespace

std::uint64_t count_audited(std::uint64_t schedules) {
  const auto powers = static_cast<std::uint64_t>(std::bit_width(std::min(schedules, kEvery - 1)));
  return powers + schedules / kEvery;
}

Findings search(const ExploreOptions& options, const Scenario& scenario, Simulation& simulation) {
  return Search{options, scenario, simulation}.run();
}

}  // namespace picklock::race
