#include "fuzz/program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "fuzz/program/fault_words.hpp"
#include "fuzz/program/merge_command.hpp"
#include "fuzz/program/outputs.hpp"

namespace picklock::race {
namespace {

constexpr const char* kExample =
    "Example: picklock-fuzz run get-then-del --seed 1. Each command has a --help of its own.\n\n";
constexpr const char* kFooter =
    "Exit codes: 0 the lock holds or only documented limits were met (--strict makes them 1),\n"
    "1 a violation, 2 bad usage or a report that could not be written, 3 the program under test "
    "is\n"
    "unusable, 4 interrupted (Ctrl-C or SIGTERM; the report so far is printed) before a violation\n"
    "was found. A second Ctrl-C ends at once.\n\n"
    "Progress goes to standard error if that is a terminal, or with --progress. Its \"unseen\" is\n"
    "Good and Turing's estimate: edges between abstract states that only one group of 256 "
    "schedules\n"
    "has shown, divided by the schedules: about the chance that the next one shows something new.";

std::vector<std::string> all_strategies() {
  std::vector<std::string> names;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Strategy::exhaustive); ++i)
    names.emplace_back(to_string(static_cast<Strategy>(i)));
  return names;
}

std::string strategy_names() {
  std::string names;
  for (const std::string& name : all_strategies()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::string check_lock(const std::string& name) {
  if (find_lock(name) == nullptr)
    return "there is no lock '" + name + "': picklock-fuzz list names them";
  return {};
}

/// Returns a complaint, or nothing.
std::string read_faults(const std::string& text, CommandLine& line) {
  bool delay = false;
  const std::string complaint = read_fault_words(text, line.faults, delay);
  if (!delay) line.max_delay_ms = 0;
  return complaint.empty() ? "" : "--faults: " + complaint;
}

/// What `run` and `explore` have in common: the lock, and in what world.
void declare_world(CLI::App& run, CommandLine& line, std::string& faults) {
  run.add_option("LOCK", line.lock, "A name that `picklock-fuzz list` gives")->required();
  run.add_option("--workers", line.settings.workers, "Workers that want the lock (default 2)")
      ->check(CLI::Range(2, 8));
  run.add_option("--rounds", line.settings.rounds, "How often each of them wants it (default 1)")
      ->check(CLI::Range(1, 100));
  run.add_option("--ttl-ms", line.settings.ttl_ms, "The lock's ttl in milliseconds (default 1000)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  run.add_option("--faults", faults,
                 "A list of " + fault_words() +
                     ", each with :N for up to N, or all, or none; most:N for N of any kind in all "
                     "(default pause,crash,delay)");
  run.add_option("--max-delay-ms", line.max_delay_ms,
                 "How many milliseconds late a message may be, 0 for none (default 5)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  run.add_option("--time-steps", line.time_steps,
                 "Follow a schedule until time has gone on so often (default: to its end)")
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1'000'000}));
  run.add_flag("--prompt", line.prompt,
               "Nobody is slow but by a fault: replies arrive and workers go on at once. Far fewer "
               "states for --strategy exhaustive");
  declare_progress(run, line);
  declare_certify(run, line);
  declare_twice(run, line.twice);
  run.add_flag("--strict", line.strict, "Let documented limits count as violations");
  run.add_flag("--coverage", line.coverage,
               "Say which lines of the lock's scripts ran in all the schedules, and which never");
  declare_outputs(run, line);
}

void declare_run(CLI::App& run, CommandLine& line, std::string& faults) {
  declare_world(run, line, faults);
  run.add_option("--schedules", line.schedules, "How many random schedules to run (default 10000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  run.add_option("--seed", line.seed, "Where the randomness starts (default 1)")
      ->check(check_whole_number);
  run.add_option("--strategy", line.strategy,
                 "How schedules are picked (default portfolio): one of " + strategy_names())
      ->check(CLI::IsMember(all_strategies()));
  declare_shard(run, line);
}

void declare_explore(CLI::App& explore, CommandLine& line, std::string& faults,
                     std::uint64_t& most_runs) {
  declare_world(explore, line, faults);
  explore
      .add_option(
          "--schedules", most_runs,
          "Give up after so many runs, each to a state that was met before (default 1000000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
}

void declare_replay(CLI::App& replay, CommandLine& line) {
  replay.add_option("STRING", line.replay, "As printed under a failure: pl2.<lock>.<letters>")
      ->required();
  replay.add_option("--check", line.check.file,
                    "The check file that it is of (default: none, a lock of the gallery)");
  declare_outputs(replay, line);
}

CommandLine finish(CommandLine line, std::string message, Exit exit_code) {
  line.finished = true;
  line.message = std::move(message);
  line.exit_code = exit_code;
  return line;
}

CommandLine refuse(CommandLine line, std::string why) {
  std::replace(why.begin(), why.end(), '\n', ' ');
  return finish(std::move(line), "picklock-fuzz: " + why + "; see picklock-fuzz --help\n",
                Exit::bad_usage);
}

/// The words that say what is searched.
std::vector<std::string> without_outputs(std::span<const std::string> words) {
  constexpr std::array<std::string_view, 4> kOutputs{"--shard", "--json", "--html", "--perfetto"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = std::string_view{words[i]}.substr(0, words[i].find('='));
    if (name == "--progress") continue;  // It has no word behind it.
    if (std::find(kOutputs.begin(), kOutputs.end(), name) == kOutputs.end())
      kept.push_back(words[i]);
    else if (name.size() == words[i].size())
      ++i;
  }
  return kept;
}

/// A shard is of use to `merge` alone. Returns a complaint, or nothing.
std::string check_shard(const CommandLine& line) {
  if (!line.shard.is_named) return "";
  if (line.json.empty()) return "--shard wants --json FILE, which merge reads";
  if (line.coverage) return "--coverage does not go with --shard: merge cannot join it";
  if (line.strategy == to_string(Strategy::exhaustive))
    return "--shard does not go with --strategy exhaustive, which must know all states it has met";
  return "";
}

/// What CLI11 cannot check by itself.
CommandLine settle(CommandLine line, const CLI::App& run, const std::string& faults) {
  if (const std::string complaint = check_shard(line); !complaint.empty())
    return refuse(std::move(line), complaint);
  if (line.command != CommandLine::Command::run && line.command != CommandLine::Command::explore)
    return line;
  if (const std::string complaint = check_lock(line.lock); !complaint.empty())
    return refuse(line, complaint);
  if (run.count("--faults") == 0) return line;
  const bool delay_given = run.count("--max-delay-ms") > 0;
  const std::int64_t delay = line.max_delay_ms;
  if (const std::string complaint = read_faults(faults, line); !complaint.empty())
    return refuse(line, complaint);
  if (delay_given && delay != line.max_delay_ms)
    return refuse(line, "--max-delay-ms wants delay among the --faults");
  return line;
}

/// CLI11 would take "010" for 8.
std::string check_decimal(const std::string& text) {
  const bool octal = text.size() > 1 && text[0] == '0';
  return octal ? "'" + text + "' begins with a 0" : "";
}

using Commands = std::array<std::pair<CLI::App*, CommandLine::Command>, 8>;

/// What the options are read into, beside the line.
struct Given {
  std::string faults;
  std::uint64_t most_runs = 1'000'000;
};

Commands declare(CLI::App& app, CommandLine& line, Given& given) {
  using Command = CommandLine::Command;
  const auto add = [&](const char* name, const char* what, Command command, const char* example) {
    CLI::App* const added = app.add_subcommand(name, what);
    added->footer(std::string{"Example: picklock-fuzz "} + name + example + "\n\n" + kFooter);
    return std::pair{added, command};
  };
  const Commands commands{
      {add("list", "List the locks of the gallery", Command::list, ""),
       add("run", "Search a lock for races", Command::run,
           " get-then-del --schedules 5000 --faults pause,lost-reply"),
       add("explore", "Go through every schedule of a lock", Command::explore,
           " get-then-del --faults pause"),
       add("replay", "Show the schedule of a replay string again", Command::replay,
           " pl2.get-then-del.JgMBAQAFAAMCAegHbToXqhEAAgQACwYABgIGBAAGCAYKAqWxBOkCu3ADFA"),
       add("check", "Check the lock that a Lua table describes", Command::check,
           " fuzz/examples/del-without-check.lua --clients 3"),
       add("bugs", "Search all bugs of the suite, and their twins", Command::bugs,
           " A4 --schedules 2000"),
       add("verdicts", "Search every lock under every kind of fault: the matrix", Command::verdicts,
           " --locks set-nx-px,get-then-del --faults none,pause --schedules 200"),
       add("merge", "Join the reports of a campaign's shards", Command::merge,
           " part-1.json part-2.json --html failure.html")}};
  for (const auto& [app_of, command] : commands) {
    switch (command) {
      case Command::run:
        declare_run(*app_of, line, given.faults);
        break;
      case Command::explore:
        declare_explore(*app_of, line, given.faults, given.most_runs);
        break;
      case Command::replay:
        declare_replay(*app_of, line);
        break;
      case Command::check:
        declare_check(*app_of, line);
        break;
      case Command::bugs:
        declare_bugs(*app_of, line);
        break;
      case Command::verdicts:
        declare_verdicts(*app_of, line);
        break;
      case Command::merge:
        declare_merge(*app_of, line);
        break;
      case Command::list:
      case Command::none:
        break;
    }
    for (CLI::Option* const option : app_of->get_options())
      if (option->get_type_name().find("INT") != std::string::npos) option->check(check_decimal);
  }
  return commands;
}

/// Returns a complaint, or nothing.
std::string check_command(const Commands& commands, std::span<const std::string> words) {
  if (words.empty() || words[0].starts_with("-")) return "";
  std::string names;
  for (const auto& [app, command] : commands) {
    if (app->get_name() == words[0]) return "";
    names += (names.empty() ? "" : ", ") + app->get_name();
  }
  return "there is no command '" + words[0] + "': take one of " + names;
}

}  // namespace

std::string check_whole_number(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos && !text.empty();
  if (!digits) return "'" + text + "' is no whole number from 0 on";
  return parse_uint64(text) ? "" : "'" + text + "' is too large, or begins with a 0";
}

CommandLine parse_command_line(std::span<const std::string> words) {
  CommandLine line;
  Given given;
  CLI::App app{"Searches for the schedule that breaks a lock.", "picklock-fuzz"};
  app.footer(std::string{kExample} + kFooter);
  app.set_version_flag("--version", "picklock-fuzz " PICKLOCK_VERSION, "Print the version");
  app.require_subcommand(1);
  const Commands commands = declare(app, line, given);
  if (const std::string complaint = check_command(commands, words); !complaint.empty())
    return refuse(line, complaint);
  line.words = without_outputs(words);
  const CLI::App* asked = &app;
  const auto find_asked = [&] {
    for (const auto& [one, command] : commands) {
      if (!one->parsed()) continue;
      asked = one;
      line.command = command;
    }
  };
  try {
    std::vector<std::string> reversed{words.rbegin(), words.rend()};
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    find_asked();
    return finish(line, asked->help(), Exit::fine);
  } catch (const CLI::CallForVersion& version) {
    return finish(line, version.what() + std::string{"\n"}, Exit::fine);
  } catch (const CLI::ParseError& error) {
    return refuse(line, error.what());
  }
  find_asked();
  if (line.command == CommandLine::Command::explore) {
    line.strategy = to_string(Strategy::exhaustive);
    line.schedules = given.most_runs;
  }
  return settle(std::move(line), *asked, given.faults);
}

}  // namespace picklock::race
