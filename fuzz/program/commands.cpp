#include "fuzz/program/commands.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "fuzz/gallery/bugs.hpp"
#include "fuzz/program/merge_command.hpp"
#include "fuzz/program/outputs.hpp"
#include "fuzz/search/trace.hpp"

namespace picklock::race {
namespace {

Exit exit_of(const Verdict& verdict) {
  if (verdict.verdict == Class::unusable) return Exit::unusable;
  if (!verdict) return Exit::violation;
  return verdict.interrupted ? Exit::interrupted : Exit::fine;
}

Exit list(std::ostream& out) {
  for (const GalleryLock& lock : gallery()) {
    out << lock.name << "\n    " << lock.summary << "\n";
    if (!lock.weakness.empty()) out << "    weakness: " << lock.weakness << "\n";
    if (!lock.twin.empty()) out << "    without it: " << lock.twin << "\n";
  }
  return Exit::fine;
}

nlohmann::ordered_json coverage_of(const ScriptReport& report) {
  auto scripts = nlohmann::ordered_json::object();
  for (const ScriptReport::Coverage& script : report.coverage)
    for (const ScriptReport::Line& line : script.lines)
      scripts[script.script][std::to_string(line.number)] = line.runs;
  return scripts;
}

nlohmann::ordered_json to_json(const CommandLine& line, const Verdict& verdict) {
  nlohmann::ordered_json json;
  json["lock"] = line.lock;
  json["workers"] = line.settings.workers;
  json["rounds"] = line.settings.rounds;
  json["ttl_ms"] = line.settings.ttl_ms;
  json["max_delay_ms"] = line.max_delay_ms;
  for (const FaultKind& kind : kFaultKinds)
    json["faults"][std::string{kind.name}] = line.faults.*kind.budget;
  json["seed"] = verdict.seed;
  json["schedules"] = verdict.schedules;
  json["strategy"] = to_string(verdict.strategy);
  json["coverage"] = verdict.coverage;
  json["states"] = verdict.states;
  json["complete"] = verdict.complete;
  json["interrupted"] = verdict.interrupted;
  json["verdict"] = to_string(verdict.verdict);
  json["oracle"] = to_string(verdict.oracle);
  json["message"] = verdict.message;
  json["found_at"] = verdict.found_at;
  json["found_by"] = verdict.found_at > 0 ? to_string(verdict.found_by) : "";
  json["documented_limits"] = verdict.limits;
  if (line.twice) json["run_twice"] = verdict.repeated;
  if (line.certify > 0) {
    json["certified"] = verdict.certified;
    json["certified_over"] = verdict.certified_over;
  }
  json["replay"] = verdict.replay;
  json["timeline"] = verdict.timeline;
  if (line.coverage) json["script_lines"] = coverage_of(verdict.scripts);
  return json;
}

nlohmann::ordered_json replay_json(const Verdict& verdict) {
  nlohmann::ordered_json json;
  json["lock"] = verdict.scenario;
  json["verdict"] = to_string(verdict.verdict);
  json["oracle"] = to_string(verdict.oracle);
  json["message"] = verdict.message;
  json["replay"] = verdict.replay;
  json["timeline"] = verdict.timeline;
  return json;
}

Exit run(const CommandLine& line, std::ostream& out, std::ostream& err, const Explorer& explorer) {
  Outputs outputs{line};
  if (!outputs.open(err)) return Exit::bad_usage;
  const GalleryLock& lock = *find_lock(line.lock);
  ExploreOptions options = make_options(lock, line.settings);
  options.schedules = line.schedules;
  options.seed = line.seed;
  options.faults = line.faults;
  while (to_string(options.strategy) != line.strategy)
    options.strategy = static_cast<Strategy>(static_cast<int>(options.strategy) + 1);
  options.max_delay = std::chrono::milliseconds{line.max_delay_ms};
  options.time_steps = line.time_steps;
  options.prompt = line.prompt;
  options.strict = line.strict;
  options.certify = line.certify;
  options.twice = line.twice;
  options.cover_scripts = line.coverage;
  options.stop = line.stop;
  options.shard = line.shard;
  const Verdict verdict = explorer(options, make_scenario(lock, line.settings));
  if (outputs.is_for_people()) {
    if (line.coverage) out << verdict.scripts.to_string() << "\n";
    out << line.lock << ": " << verdict;
  }
  const bool written = outputs.write(to_json(line, verdict), verdict, out, err);
  return written ? exit_of(verdict) : Exit::bad_usage;
}

Exit show_replay(const CommandLine& line, const Scenario& scenario, const ExploreOptions& options,
                 std::ostream& out, std::ostream& err) {
  Outputs outputs{line};
  if (!outputs.open(err)) return Exit::bad_usage;
  const Verdict verdict = replay(line.replay, scenario, options);
  if (verdict.oracle == Oracle::replay) {
    err << "picklock-fuzz: " << verdict.message << "\n";
    return Exit::bad_usage;
  }
  if (outputs.is_for_people()) out << options.scenario << ": " << verdict;
  const bool written = outputs.write(replay_json(verdict), verdict, out, err);
  return written ? exit_of(verdict) : Exit::bad_usage;
}

Exit replay_string(const CommandLine& line, std::ostream& out, std::ostream& err) {
  Trace trace;
  std::string problem;
  if (!parse_replay_string(line.replay, trace, problem)) {
    err << "picklock-fuzz: " << problem << "\n";
    return Exit::bad_usage;
  }
  bool mended = false;
  if (const Bug* bug = find_bug(trace.scenario, trace.parameters, mended); bug != nullptr)
    return show_replay(line, make_scenario(*bug, mended), make_options(*bug, mended), out, err);
  const GalleryLock* lock = find_lock(trace.scenario);
  LockSettings settings;
  if (lock == nullptr || !read_settings(trace.parameters, settings)) {
    err << "picklock-fuzz: this replay string is of '" << trace.scenario
        << "', which is no lock of the gallery: replay it in the test that printed it, by "
           "PICKLOCK_REPLAY\n";
    return Exit::bad_usage;
  }
  return show_replay(line, make_scenario(*lock, settings), make_options(*lock, settings), out, err);
}

}  // namespace

Exit execute(const CommandLine& line, std::ostream& out, std::ostream& err,
             const Explorer& explorer, const Watchers& watchers) {
  switch (line.command) {
    case CommandLine::Command::list:
      return list(out);
    case CommandLine::Command::run:
    case CommandLine::Command::explore:
      return run(line, out, err, explorer);
    case CommandLine::Command::replay:
      return line.check.file.empty() ? replay_string(line, out, err) : replay_check(line, out, err);
    case CommandLine::Command::check:
      return check_lock(line, out, err, explorer);
    case CommandLine::Command::bugs:
      return show_bugs(line, out, err, watchers);
    case CommandLine::Command::verdicts:
      return show_verdicts(line, out, err, watchers);
    case CommandLine::Command::merge:
      return merge_parts(line, out, err);
    case CommandLine::Command::none:
      break;
  }
  return Exit::bad_usage;
}

}  // namespace picklock::race
