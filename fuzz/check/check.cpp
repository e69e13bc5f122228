#include "fuzz/check/check.hpp"

#include <algorithm>

#include "fuzz/check/clients.hpp"
#include "fuzz/check/trial.hpp"
#include "fuzz/search/trace.hpp"

namespace picklock::race {
namespace {

Verdict unusable(std::string why) {
  Verdict verdict;
  verdict.verdict = Class::unusable;
  verdict.oracle = Oracle::threw;
  verdict.message = std::move(why);
  return verdict;
}

/// `text` as a shell takes it for one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string{letter};
  return word + "'";
}

/// Takes clients, rounds and ttl from a replay string of this check; false if it has none.
bool take_parameters(LockCheck& check, const std::vector<std::uint64_t>& parameters) {
  if (parameters.size() != 3) return false;
  if (parameters[0] < 2 || parameters[0] > kMostClients || parameters[1] < 1 ||
      parameters[1] > kMostRounds || parameters[2] < 1 || parameters[2] > kLongestTtlMs)
    return false;
  check.clients = static_cast<int>(parameters[0]);
  check.rounds = static_cast<int>(parameters[1]);
  check.ttl_ms = static_cast<std::int64_t>(parameters[2]);
  return true;
}

}  // namespace

Class CheckResult::worst() const {
  return findings.empty() ? verdict.verdict : std::max(verdict.verdict, Class::violation);
}

ExploreOptions make_options(const LockCheck& check) {
  ExploreOptions options;
  options.scenario = check.name;
  options.faults = check.faults;
  options.max_delay = check.max_delay;
  options.parameters = {static_cast<std::uint64_t>(check.clients),
                        static_cast<std::uint64_t>(check.rounds),
                        static_cast<std::uint64_t>(check.ttl_ms)};
  options.configuration = check.digest;
  options.replay_command = "picklock-fuzz replay --check " + shell_word(check.file) + " ";
  return options;
}

CheckResult run_check(const LockCheck& check, ExploreOptions options, const Explorer& explorer) {
  const ExploreOptions own = make_options(check);
  options.scenario = own.scenario;
  options.parameters = own.parameters;
  options.configuration = own.configuration;
  options.replay_command = own.replay_command;
  CheckResult result;
  Trial trial = try_lock(check);
  if (!trial.unusable.empty()) {
    result.verdict = unusable(std::move(trial.unusable));
    return result;
  }
  result.verdict = explorer(options, make_scenario(check, trial.footprint));
  result.findings = std::move(trial.findings);
  if (check.arguments) {
    for (std::string& finding : try_arguments(check, trial.footprint))
      result.findings.push_back(std::move(finding));
  }
  return result;
}

Verdict replay_check(LockCheck check, const std::string& replay_string) {
  Trace trace;
  std::string problem;
  if (parse_replay_string(replay_string, trace, problem) && trace.scenario == check.name)
    static_cast<void>(take_parameters(check, trace.parameters));
  const Trial trial = try_lock(check);
  if (!trial.unusable.empty()) return unusable(trial.unusable);
  return replay(replay_string, make_scenario(check, trial.footprint), make_options(check));
}

}  // namespace picklock::race
