#include "fuzz/gallery/suite.hpp"

#include <algorithm>

#include "fuzz/search/certify.hpp"
#include "fuzz/search/search.hpp"
#include "fuzz/search/trace.hpp"

namespace picklock::race {
namespace {

using namespace std::chrono_literals;

/// A search goes on after a documented limit: it is given few schedules, and more if it needs them.
constexpr std::uint64_t kFirstSchedules = 256;

Findings find(const Bug& bug, ExploreOptions options, const Scenario& scenario,
              Simulation& simulation) {
  const std::uint64_t most = options.schedules;
  if (bug.expected == Class::documented_limit) options.schedules = std::min(most, kFirstSchedules);
  while (true) {
    Findings findings = search(options, scenario, simulation);
    if (findings.worst.result.finding.verdict != Class::holds || options.schedules == most)
      return findings;
    options.schedules = std::min(most, options.schedules * 4);
  }
}

void tally(Simulation& simulation, const Scenario& scenario, Failure failure,
           const SuiteBounds& bounds, Minima& minima, ShrinkTally& tally) {
  failure = shrink(simulation, scenario, std::move(failure), bounds.stop);
  const Certificate certificate = certify(simulation, scenario, failure,
                                          {.most_states = bounds.certify,
                                           .minima = &minima,
                                           .stop = bounds.stop,
                                           .progress = bounds.progress});
  const std::uint32_t steps = certificate.shortest.result.steps;
  ShrinkTally one{.least = steps};
  (!certificate.complete           ? one.open
   : steps == failure.result.steps ? one.exact
                                   : one.shortened) = 1;
  tally.add(one);
}

}  // namespace

void ShrinkTally::add(const ShrinkTally& other) {
  exact += other.exact;
  shortened += other.shortened;
  open += other.open;
  if (other.least != 0) least = least == 0 ? other.least : std::min(least, other.least);
}

std::uint64_t BugResult::found_for(std::uint64_t percent) const {
  const std::size_t place = (found.size() * percent + 99) / 100;
  return found.empty() ? 0 : found[std::max<std::size_t>(place, 1) - 1];
}

Strategy BugResult::best_strategy() const {
  const auto most = std::max_element(found_by.begin(), found_by.end());
  return static_cast<Strategy>(most - found_by.begin());
}

BugResult judge(const Bug& bug, const SuiteBounds& bounds) {
  BugResult result;
  result.bug = &bug;
  const Scenario broken = make_scenario(bug, false);
  ExploreOptions options = make_options(bug, false);
  options.schedules = bounds.schedules;
  options.stop = bounds.stop;
  options.progress = bounds.progress;
  Simulation simulation{
      {.faults = options.faults, .max_delay = options.max_delay, .timeless = options.timeless}};
  Minima minima;
  for (std::uint64_t i = 0; i < bounds.seeds; ++i) {
    options.seed = bounds.first_seed + i;
    const std::chrono::nanoseconds begun = bounds.clock ? bounds.clock() : 0ns;
    const Findings findings = find(bug, options, broken, simulation);
    if (bounds.clock) result.spent.push_back(bounds.clock() - begun);
    const Finding& finding = findings.worst.result.finding;
    const bool right = finding.verdict == bug.expected && finding.oracle == bug.oracle;
    result.missed += right ? 0 : 1;
    if (right) ++result.found_by[static_cast<std::size_t>(findings.found_by)];
    result.found.push_back(right ? findings.found_at : options.schedules + 1);
    if (right && bounds.certify > 0)
      tally(simulation, broken, findings.worst, bounds, minima, result.tally);
  }
  std::sort(result.found.begin(), result.found.end());
  std::sort(result.spent.begin(), result.spent.end());
  options.seed = bounds.first_seed;
  if (bug.expected == Class::documented_limit)
    options.schedules = std::min(bounds.schedules, result.found.back());
  result.first = explore(options, broken);
  Trace trace;
  std::string error;
  if (parse_replay_string(result.first.replay, trace, error)) result.shrunk = trace.choices.size();
  result.interrupted = bounds.stop != nullptr && *bounds.stop;
  if (!bug.has_twin) return result;
  ExploreOptions twin = make_options(bug, true);
  twin.seed = bounds.first_seed;
  twin.schedules = bounds.twin_schedules;
  twin.stop = bounds.stop;
  twin.progress = bounds.progress;
  result.twin = explore(twin, make_scenario(bug, true));
  result.interrupted = bounds.stop != nullptr && *bounds.stop;
  return result;
}

}  // namespace picklock::race
