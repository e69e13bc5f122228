#include "fuzz/program/check_command.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fuzz/check/check.hpp"
#include "fuzz/check/check_file.hpp"
#include "fuzz/program/command_line.hpp"
#include "fuzz/program/fault_words.hpp"
#include "fuzz/program/outputs.hpp"

namespace picklock::race {
namespace {

using Json = nlohmann::ordered_json;

Exit exit_of(const CheckResult& result) {
  if (result.worst() == Class::unusable) return Exit::unusable;
  if (!result.findings.empty() || !result.verdict) return Exit::violation;
  return result.verdict.interrupted ? Exit::interrupted : Exit::fine;
}

/// Reads the file and lays the command line over it. Returns a complaint, or nothing.
std::string read_check(const CheckWords& words, LockCheck& check) {
  std::string problem;
  if (!read_check_file(words.file, check, problem)) return problem;
  check.clients = words.clients.value_or(check.clients);
  check.rounds = words.rounds.value_or(check.rounds);
  check.ttl_ms = words.ttl_ms.value_or(check.ttl_ms);
  if (!words.faults) return "";
  bool delay = false;
  problem = read_fault_words(*words.faults, check.faults, delay);
  check.max_delay = std::chrono::milliseconds{delay ? 5 : 0};
  return problem.empty() ? "" : "--faults: " + problem;
}

Json to_json(const CommandLine& line, const LockCheck& check, const CheckResult& result) {
  Json json;
  json["check"] = check.file;
  json["clients"] = check.clients;
  json["rounds"] = check.rounds;
  json["ttl_ms"] = check.ttl_ms;
  json["max_delay_ms"] = check.max_delay.count();
  for (const FaultKind& kind : kFaultKinds)
    json["faults"][std::string{kind.name}] = check.faults.*kind.budget;
  const Verdict& verdict = result.verdict;
  json["seed"] = verdict.seed;
  json["schedules"] = verdict.schedules;
  json["interrupted"] = verdict.interrupted;
  json["verdict"] = to_string(result.worst());
  json["oracle"] = to_string(verdict.oracle);
  json["message"] = verdict.message;
  json["findings"] = result.findings;
  json["found_at"] = verdict.found_at;
  json["documented_limits"] = verdict.limits;
  if (line.certify > 0) {
    json["certified"] = verdict.certified;
    json["certified_over"] = verdict.certified_over;
  }
  json["replay"] = verdict.replay;
  json["timeline"] = verdict.timeline;
  return json;
}

/// The findings first: they are whole, and what follows is a screen long.
void print(const LockCheck& check, const CheckResult& result, std::ostream& out) {
  for (const std::string& finding : result.findings)
    out << check.file << ": " << to_string(Class::violation) << ": " << finding << "\n";
  if (result.verdict.verdict == Class::unusable && result.verdict.timeline.empty())
    out << check.file << ": unusable: " << result.verdict.message << "\n";
  else
    out << check.file << ": " << result.verdict;
}

}  // namespace

void declare_check(CLI::App& check, CommandLine& line) {
  CheckWords& words = line.check;
  check.add_option("FILE", words.file, "A Lua table that describes the lock, see fuzz/examples")
      ->required();
  check.add_option("--schedules", line.schedules, "How many schedules to run (default 10000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  check.add_option("--seed", line.seed, "Where the randomness starts (default 1)")
      ->check(check_whole_number);
  check
      .add_option("--clients", words.clients,
                  "Clients that want the lock (default: the file's, or 2)")
      ->check(CLI::Range(2, kMostClients));
  check
      .add_option("--rounds", words.rounds,
                  "How often each of them wants it (default: the file's, or 1)")
      ->check(CLI::Range(1, kMostRounds));
  check
      .add_option("--ttl-ms", words.ttl_ms,
                  "The lock's ttl in milliseconds (default: the file's, or 1000)")
      ->check(CLI::Range(std::int64_t{1}, kLongestTtlMs));
  check.add_option("--faults", words.faults,
                   "A list of " + fault_words() +
                       ", or all, or none (default: the file's, or pause,crash,delay)");
  declare_progress(check, line);
  declare_shard(check, line);
  declare_certify(check, line);
  declare_twice(check, line.twice);
  check.add_flag("--strict", line.strict, "Let documented limits count as violations");
  check.add_flag("--coverage", line.coverage,
                 "Say which lines of the scripts ran in all the schedules, and which never");
  declare_outputs(check, line);
}

Exit check_lock(const CommandLine& line, std::ostream& out, std::ostream& err,
                const Explorer& explorer) {
  LockCheck check;
  if (const std::string problem = read_check(line.check, check); !problem.empty()) {
    err << "picklock-fuzz: " << problem << "\n";
    return Exit::bad_usage;
  }
  Outputs outputs{line};
  if (!outputs.open(err)) return Exit::bad_usage;
  ExploreOptions options = make_options(check);
  options.schedules = line.schedules;
  options.seed = line.seed;
  options.strict = line.strict;
  options.certify = line.certify;
  options.twice = line.twice;
  options.cover_scripts = line.coverage;
  options.stop = line.stop;
  options.shard = line.shard;
  const CheckResult result = run_check(check, options, explorer);
  if (outputs.is_for_people()) {
    if (line.coverage) out << result.verdict.scripts.to_string() << "\n";
    print(check, result, out);
  }
  const bool written = outputs.write(to_json(line, check, result), result.verdict, out, err);
  return written ? exit_of(result) : Exit::bad_usage;
}

Exit replay_check(const CommandLine& line, std::ostream& out, std::ostream& err) {
  LockCheck check;
  if (const std::string problem = read_check(line.check, check); !problem.empty()) {
    err << "picklock-fuzz: " << problem << "\n";
    return Exit::bad_usage;
  }
  Outputs outputs{line};
  if (!outputs.open(err)) return Exit::bad_usage;
  const CheckResult result{replay_check(check, line.replay), {}};
  if (result.verdict.oracle == Oracle::replay) {
    err << "picklock-fuzz: " << result.verdict.message << "\n";
    return Exit::bad_usage;
  }
  if (outputs.is_for_people()) print(check, result, out);
  const bool written = outputs.write(to_json(line, check, result), result.verdict, out, err);
  return written ? exit_of(result) : Exit::bad_usage;
}

}  // namespace picklock::race
