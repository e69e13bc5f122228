// The commands `bugs` and `verdicts`: whole tables of searches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/race/verdict.hpp>

namespace CLI {
class App;
}

namespace picklock::race {

struct CommandLine;
enum class Exit : int;

/// What the command line says of a table.
struct SuiteWords {
  std::vector<std::string> only;  ///< Some bugs; none: all.
  std::uint64_t seeds = 5;
  std::uint64_t twin_schedules = 2'000;
  // Of verdicts.
  std::vector<std::string> locks;   ///< None: all.
  std::vector<std::string> faults;  ///< The same.
  std::uint64_t cell_schedules = 1'000;
  std::uint64_t exhaustive = 0;
  bool twice = false;
  std::string markdown;  ///< A file to write the table to; empty for none.
  std::string html;
};

/// What a person at a terminal sees meanwhile. Nothing of it reaches a report, but for the times in
/// the table of bugs. Each may be empty.
struct Watchers {
  std::function<void(std::string_view)> note;       ///< Hears how a table comes along.
  std::function<void(const Progress&)> progress;    ///< Of every search.
  std::function<std::chrono::nanoseconds()> clock;  ///< A steady one.
};

void declare_bugs(CLI::App& bugs, CommandLine& line);
/// Prints the table of the bug suite. Exit 1 if a bug is missed or a twin accused.
Exit show_bugs(const CommandLine& line, std::ostream& out, std::ostream& err,
               const Watchers& watchers);

void declare_verdicts(CLI::App& verdicts, CommandLine& line);
/// Prints and writes the matrix lock x condition.
Exit show_verdicts(const CommandLine& line, std::ostream& out, std::ostream& err,
                   const Watchers& watchers);

}  // namespace picklock::race
