// The command line of picklock-fuzz as a value. Reads no file, prints nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/gallery/gallery.hpp"
#include "fuzz/program/check_command.hpp"
#include "fuzz/program/suite_commands.hpp"

namespace picklock::race {

/// Exit codes of picklock-fuzz.
enum class Exit : int { fine = 0, violation = 1, bad_usage = 2, unusable = 3, interrupted = 4 };

struct CommandLine {
  enum class Command : std::uint8_t {
    none,
    list,
    run,
    explore,
    replay,
    check,
    bugs,
    verdicts,
    merge
  };
  Command command = Command::none;
  std::string lock;
  LockSettings settings;
  std::uint64_t schedules = 10'000;
  std::uint64_t seed = 1;
  std::string strategy = "portfolio";
  Faults faults;
  std::int64_t max_delay_ms = 5;
  std::uint32_t time_steps = 0;
  bool prompt = false;
  bool twice = false;
  bool strict = false;
  bool coverage = false;
  std::string json;  ///< Where the report goes: a file, "-" for standard output, empty for nowhere.
  std::string html;  ///< A file for the HTML report; empty: nowhere.
  std::string perfetto;   ///< A file for the trace viewer; empty: nowhere.
  bool progress = false;  ///< Show progress though standard error is no terminal.
  /// Not of the words: what ends searches early, see ExploreOptions::stop.
  const std::atomic<bool>* stop = nullptr;
  std::string replay;
  CheckWords check;
  SuiteWords suite;
  Shard shard;
  std::uint64_t certify = 0;
  std::vector<std::string> reports;  ///< Of `merge`.
  /// As given, without the shard and where reports go.
  std::vector<std::string> words;

  /// Set when there is nothing to do but to print `message` and end with `exit_code`.
  bool finished = false;
  std::string message;
  Exit exit_code = Exit::fine;
};

/// CLI11 would take "-1", and what is too large, for the largest number, and "010" for 8. Returns a
/// complaint, or nothing.
std::string check_whole_number(const std::string& text);

/// Reads the words after the program's name. A bad one gives one line that says what to do, and
/// exit 2.
CommandLine parse_command_line(std::span<const std::string> words);

}  // namespace picklock::race
