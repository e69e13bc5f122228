#include <cstdlib>
#include <stdexcept>

#include <picklock/race.hpp>
#include <picklock/race/bytes.hpp>

#include "emulator/base/numbers.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/report/timeline.hpp"
#include "fuzz/search/certify.hpp"
#include "fuzz/search/chooser.hpp"
#include "fuzz/search/explain.hpp"
#include "fuzz/search/part.hpp"
#include "fuzz/search/search.hpp"
#include "fuzz/search/shrink.hpp"
#include "fuzz/search/spin_guard.hpp"
#include "fuzz/search/trace.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

std::uint32_t fold(std::uint64_t value) { return static_cast<std::uint32_t>(value ^ value >> 32); }

std::string number(std::uint64_t value) { return to_text(static_cast<std::int64_t>(value)); }

std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  return number(count) + " " + std::string{count == 1 ? noun : plural};
}

std::string describe_bound(const Trace& trace) {
  const Faults& faults = trace.faults;
  std::string kinds;
  for (const FaultKind& kind : kFaultKinds) {
    if (faults.*kind.budget == 0) continue;
    kinds += (kinds.empty() ? "at most " : ", ") +
             counted(static_cast<std::uint64_t>(faults.*kind.budget), kind.name, kind.plural);
  }
  if (kinds.empty()) kinds = "no faults";
  if (faults.most > 0) kinds += ", " + number(static_cast<std::uint64_t>(faults.most)) + " in all";
  return kinds + ", messages up to " + number(trace.max_delay_ms) + " ms late" +
         (trace.prompt ? ", nobody slow" : "") +
         (trace.time_steps > 0 ? ", " + number(trace.time_steps) + " steps of time" : "");
}

Verdict refuse(std::string message) {
  Verdict verdict;
  verdict.verdict = Class::unusable;
  verdict.oracle = Oracle::replay;
  verdict.message = std::move(message);
  return verdict;
}

Verdict give_up(const std::string& why) {
  Verdict verdict;
  verdict.verdict = Class::unusable;
  verdict.oracle = Oracle::threw;
  verdict.message = why;
  return verdict;
}

Rules rules_of(const Trace& trace) {
  return {trace.faults, std::chrono::milliseconds{static_cast<std::int64_t>(trace.max_delay_ms)},
          static_cast<std::uint32_t>(trace.time_steps), false, trace.prompt};
}

/// Whether the run that has just followed `trace` is the one that was written down; if not, one
/// line why.
std::string difference(const Trace& trace, const ReplayChooser& chooser,
                       const Simulation::Result& result) {
  if (!chooser.mismatch().empty()) return chooser.mismatch();
  if (!chooser.at_end())
    return "choice " + number(chooser.position() + 1) + " of " + number(trace.choices.size()) +
           ": expected \"" + describe(trace.choices[chooser.position()]) +
           "\", but the run has ended";
  if (fold(result.state_hash) != trace.state_hash)
    return "all " + number(trace.choices.size()) + " choices fit, but the replies or times differ";
  if (result.finding.verdict != trace.verdict)
    return "expected \"" + std::string{to_string(trace.verdict)} + "\", actual \"" +
           std::string{to_string(result.finding.verdict)} + "\"";
  return "";
}

/// Finds the run that holds beside the one that broke.
void tell(const Trace& trace, const Scenario& scenario, Simulation& simulation, Story& story,
          Verdict& verdict) {
  std::optional<Explanation> found = explain(simulation, scenario, trace, story.broken);
  if (!found) return;
  verdict.decides = printable(found->decides);
  story.holds = std::move(found->holds);
}

/// Leaves the report of a failure where the environment says.
Verdict file_report(Verdict verdict) {
  const char* folder = std::getenv("PICKLOCK_REPORT_DIR");
  if (folder == nullptr || verdict || !verdict.story) return verdict;
  verdict.report = std::string{folder} + "/" + verdict.scenario + ".html";
  if (!verdict.write_report(verdict.report)) verdict.report = "cannot write " + verdict.report;
  return verdict;
}

/// Follows `trace` once more and writes down what happens: the way from a trace to everything that
/// is shown, after a search and in a replay alike, so that both give the same bytes.
Verdict show(const Trace& trace, const Scenario& scenario, const ExploreOptions& options) {
  Simulation simulation{rules_of(trace)};
  const auto story = std::make_shared<Story>();
  simulation.record_to(&story->broken);
  ReplayChooser chooser{trace.choices};
  const Simulation::Result result = simulation.run(scenario, chooser, trace.verdict);
  if (!simulation.gave_up().empty()) return give_up(simulation.gave_up());
  if (const std::string problem = difference(trace, chooser, result); !problem.empty()) {
    return refuse(
        "the replay string does not fit this program (" + problem +
        "): it has changed since, or depends on something beside its world; search again");
  }
  Verdict verdict;
  verdict.verdict = result.finding.verdict;
  verdict.oracle = result.finding.oracle;
  verdict.message = simulation.describe_finding(result.finding);
  verdict.timeline = draw_timeline(story->broken);
  verdict.replay = to_replay_string(trace);
  verdict.replay_line = "replay: " + options.replay_command + verdict.replay;
  verdict.bound = describe_bound(trace);
  verdict.strict = options.strict;
  verdict.scenario = trace.scenario;
  if (options.explain && result.finding.deed != Deed::undecided)
    tell(trace, scenario, simulation, *story, verdict);
  verdict.story = story;
  return verdict;
}

Trace header_of(const ExploreOptions& options) {
  Trace trace;
  trace.scenario = options.scenario;
  trace.faults = options.faults;
  trace.max_delay_ms = static_cast<std::uint64_t>(options.max_delay.count());
  trace.time_steps = options.time_steps;
  trace.prompt = options.prompt;
  trace.parameters = options.parameters;
  trace.configuration = fold(options.configuration);
  return trace;
}

void validate(const ExploreOptions& options) {
  if (!is_scenario_name(options.scenario))
    throw std::invalid_argument{"the scenario's name must be 1 to 64 letters, digits, '-' or '_'"};
  for (const FaultKind& kind : kFaultKinds) {
    if (options.faults.*kind.budget < 0 || options.faults.*kind.budget > 1000)
      throw std::invalid_argument{"a fault budget must be between 0 and 1000"};
  }
  if (options.schedules == 0)
    throw std::invalid_argument{"schedules must be at least 1: a search of none says nothing"};
  if (options.faults.most < 0 || options.faults.most > 1000)
    throw std::invalid_argument{"Faults::most must be between 0 and 1000"};
  if (options.max_delay.count() < 0 || options.max_delay > std::chrono::hours{24 * 365})
    throw std::invalid_argument{"max_delay must be between 0 and a year"};
  if (options.shard.index < 1 || options.shard.index > options.shard.count ||
      options.shard.count > kMostShards)
    throw std::invalid_argument{"a shard must be between 1/1 and n/n, where n is at most 1000000"};
  if (options.shard.count > 1 && options.strategy == Strategy::exhaustive)
    throw std::invalid_argument{
        "an exhaustive search knows which states it has met, so it has no shards"};
  if (options.patience.count() < 0)
    throw std::invalid_argument{"patience must be 0 (for ever) or more seconds"};
  if (options.parameters.size() > 32) throw std::invalid_argument{"at most 32 parameters"};
}

/// What is shown of a failure: its smallest form, replayed.
Verdict show_smallest(const ExploreOptions& options, const Scenario& scenario,
                      Simulation& simulation, Failure worst) {
  const Class found = worst.result.finding.verdict;
  if (found == Class::holds) return Verdict{};
  // The search goes on after a documented limit; what is shown ends with it.
  TolerantChooser chooser;
  chooser.follow(worst.choices);
  worst.result = simulation.run(scenario, chooser, found);
  worst.choices = simulation.choices();
  // What could not be judged takes long to judge, and is no less so for being shorter.
  const bool undecided = worst.result.finding.deed == Deed::undecided;
  if (!undecided) worst = shrink(simulation, scenario, std::move(worst), options.stop);
  Certificate certificate;
  if (options.certify > 0 && !undecided) {
    certificate = certify(
        simulation, scenario, std::move(worst),
        {.most_states = options.certify, .stop = options.stop, .progress = options.progress});
    worst = std::move(certificate.shortest);
  }
  Trace trace = header_of(options);
  trace.choices = worst.choices;
  trace.state_hash = fold(worst.result.state_hash);
  trace.verdict = found;
  Verdict verdict = show(trace, scenario, options);
  verdict.certified = certificate.complete;
  verdict.certified_over = certificate.states;
  return verdict;
}

Verdict conclude_with(const ExploreOptions& options, const Scenario& scenario,
                      Simulation& simulation, Findings findings) {
  Verdict verdict;
  if (!findings.unresponsive.empty()) {
    verdict = give_up(findings.unresponsive);
  } else if (!findings.wrong_digest.empty()) {
    verdict.verdict = Class::unusable;
    verdict.oracle = Oracle::nondeterminism;
    verdict.message =
        "two ways to a state that is the same by the workers' digests go on "
        "differently (" +
        findings.wrong_digest +
        "): some digest leaves out what its worker goes by, or a worker goes by "
        "something beside its world";
  } else if (findings.nondeterminism.empty()) {
    verdict = show_smallest(options, scenario, simulation, std::move(findings.worst));
  } else {
    verdict.verdict = Class::unusable;
    verdict.oracle = Oracle::nondeterminism;
    verdict.message = "the program under test is not deterministic (" + findings.nondeterminism +
                      "): it must take time, randomness and order from its world alone (code that "
                      "blocks takes its time from there if picklock::simtime is linked)";
  }
  verdict.seed = options.seed;
  verdict.strategy = options.strategy;
  verdict.schedules = findings.schedules;
  verdict.limits = findings.limits;
  verdict.repeated = findings.repeated;
  verdict.found_at = findings.found_at;
  verdict.found_by = findings.found_by;
  verdict.coverage = findings.coverage.count();
  verdict.states = findings.states;
  verdict.complete = findings.complete;
  verdict.interrupted = findings.interrupted;
  verdict.strict = options.strict;
  verdict.bound = describe_bound(header_of(options));
  verdict.part = std::move(findings.part);
  return verdict;
}

Verdict search_and_conclude(const ExploreOptions& options, const Scenario& scenario) {
  Rules rules = rules_of(header_of(options));
  rules.timeless = options.timeless;
  Simulation simulation{rules};
  if (options.cover_scripts) simulation.cover_scripts();
  const SpinGuard guard{simulation, options.patience};
  Findings findings = search(options, scenario, simulation);
  ScriptReport scripts = simulation.script_report();  // Before the shrinking.
  Verdict verdict = conclude_with(options, scenario, simulation, std::move(findings));
  verdict.scripts = std::move(scripts);
  return verdict;
}

void read_environment(const char* name, std::uint64_t least, std::uint64_t& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return;
  const std::optional<std::uint64_t> parsed = parse_uint64(text);
  if (!parsed || *parsed < least)
    throw std::invalid_argument{std::string{name} + " must be a number from " + number(least) +
                                " on, not '" + text + "'"};
  value = *parsed;
}

void read_shard(ExploreOptions& options) {
  const char* text = std::getenv("PICKLOCK_SHARD");
  // An exhaustive search has no parts: it runs whole on every shard.
  if (text == nullptr || options.strategy == Strategy::exhaustive) return;
  if (!parse_shard(text, options.shard))
    throw std::invalid_argument{"PICKLOCK_SHARD must be like 2/8, not '" + std::string{text} + "'"};
}

Verdict replay_trace(const Trace& trace, const Scenario& scenario, const ExploreOptions& options) {
  const Trace own = header_of(options);
  if (!options.scenario.empty()) {
    if (trace.scenario != own.scenario)
      return refuse("the replay string is of the scenario '" + trace.scenario + "', not of '" +
                    own.scenario + "': replay it there");
    if (trace.configuration != own.configuration || trace.parameters != own.parameters)
      return refuse(
          "the replay string is of another configuration of '" + trace.scenario +
          "' (its scripts or settings were different): replay it with those, or search again");
  }
  return show(trace, scenario, options);
}

}  // namespace

Verdict explore(const ExploreOptions& given, const Scenario& scenario) {
  ExploreOptions options = given;
  read_environment("PICKLOCK_SEED", 0, options.seed);
  read_environment("PICKLOCK_SCHEDULES", 1, options.schedules);
  read_shard(options);
  validate(options);
  if (const char* text = std::getenv("PICKLOCK_REPLAY")) {
    Trace trace;
    std::string error;
    if (!parse_replay_string(text, trace, error)) return refuse("PICKLOCK_REPLAY: " + error);
    if (trace.scenario == options.scenario)
      return file_report(replay_trace(trace, scenario, options));
  }
  return file_report(search_and_conclude(options, scenario));
}

std::string program_of(const ExploreOptions& options) {
  return to_replay_string(header_of(options));
}

Verdict conclude(const ExploreOptions& options, const Scenario& scenario, Findings findings) {
  validate(options);
  Rules rules = rules_of(header_of(options));
  rules.timeless = options.timeless;
  Simulation simulation{rules};
  // Every shard has run all of its own twice.
  if (options.twice) findings.repeated = findings.schedules;
  return file_report(conclude_with(options, scenario, simulation, std::move(findings)));
}

struct ByteRunner::Impl {
  Impl(ExploreOptions search_options, Scenario search_scenario, std::span<std::uint8_t> edges)
      : options(std::move(search_options)),
        scenario(std::move(search_scenario)),
        counters(edges),
        simulation(rules_of(header_of(options))) {}
  ExploreOptions options;
  Scenario scenario;
  std::span<std::uint8_t> counters;
  Simulation simulation;
  ByteChooser chooser;
  Coverage coverage;
};

ByteRunner::ByteRunner(ExploreOptions options, Scenario scenario,
                       std::span<std::uint8_t> counters) {
  validate(options);
  impl_ = std::make_unique<Impl>(std::move(options), std::move(scenario), counters);
}
ByteRunner::ByteRunner(ByteRunner&&) noexcept = default;
ByteRunner::~ByteRunner() = default;

Verdict ByteRunner::run(std::span<const std::uint8_t> bytes) {
  Impl& impl = *impl_;
  impl.chooser.follow(bytes);
  if (!impl.counters.empty()) {
    impl.coverage.clear();
    impl.simulation.cover(&impl.coverage);
  }
  const Simulation::Result result = impl.simulation.run(impl.scenario, impl.chooser);
  impl.simulation.cover(nullptr);
  if (!impl.simulation.gave_up().empty()) return give_up(impl.simulation.gave_up());
  impl.coverage.for_each([&](std::size_t edge) {
    if (!impl.counters.empty()) impl.counters[edge % impl.counters.size()] = 1;
  });
  return show_smallest(impl.options, impl.scenario, impl.simulation,
                       {impl.simulation.choices(), result});
}

Verdict replay(std::string_view replay_string, const Scenario& scenario,
               const ExploreOptions& options) {
  Trace trace;
  std::string error;
  if (!parse_replay_string(replay_string, trace, error)) return refuse(error);
  return replay_trace(trace, scenario, options);
}

}  // namespace picklock::race
