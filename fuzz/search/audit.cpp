#include "fuzz/search/audit.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/search/chooser.hpp"
#include "fuzz/world/recorder.hpp"

namespace picklock::race {
namespace {

std::string describe(const Recorder& run, std::size_t step) {
  if (step >= run.events.size()) return "nothing more";
  const Event& event = run.events[step];
  const std::vector<std::string>& names = event.on_server ? run.servers : run.workers;
  const std::string who = event.actor < names.size() ? names[event.actor] : "the world";
  return "\"" + printable(who + ": " + event.text) + "\"";
}

/// The first step in which two more runs by the same choices differ; empty if these two agree.
std::string first_difference(Simulation& simulation, const Scenario& scenario,
                             const std::vector<Choice>& choices) {
  Recorder runs[2];
  for (Recorder& run : runs) {
    ReplayChooser chooser{choices};
    simulation.record_to(&run);
    simulation.run(scenario, chooser);
  }
  simulation.record_to(nullptr);
  const auto [one, other] = std::ranges::mismatch(runs[0].events, runs[1].events);
  if (one == runs[0].events.end() && other == runs[1].events.end()) return "";
  const auto step = static_cast<std::size_t>(one - runs[0].events.begin());
  return ", first in step " + to_text(static_cast<std::int64_t>(step + 1)) + ": " +
         describe(runs[0], step) + " the one time, " + describe(runs[1], step) + " the other";
}

}  // namespace

std::string audit(Simulation& simulation, const Scenario& scenario,
                  const Simulation::Result& result, std::vector<Choice>& choices) {
  choices.reserve(simulation.choices().capacity());  // Which grows seldom.
  choices = simulation.choices();
  ReplayChooser again{choices};
  const Simulation::Result second = simulation.run(scenario, again);
  std::string difference;
  if (!again.mismatch().empty())
    difference = again.mismatch();
  else if (!again.at_end())
    difference = "after choice " + to_text(static_cast<std::int64_t>(again.position())) +
                 " the second run had fewer steps";
  else if (second.state_hash != result.state_hash)
    difference = "the same choices gave other replies or times";
  if (difference.empty()) return "";
  return difference + first_difference(simulation, scenario, choices);
}

}  // namespace picklock::race
