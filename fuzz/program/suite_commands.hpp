// The commands `bugs` and `verdicts`: whole tables of searches.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace picklock::race {

struct CommandLine;
enum class Exit : int;

/// What the command line says of a table.
struct SuiteWords {
  std::string only;  ///< One bug, or one lock.
  std::uint64_t seeds = 5;
  std::uint64_t twin_schedules = 2'000;
  std::string markdown;  ///< A file to write the table to; empty for none.
  std::string html;
};

void declare_bugs(CLI::App& bugs, CommandLine& line);
/// Prints the table of the bug suite. Exit 1 if a bug is missed or a twin accused.
Exit show_bugs(const CommandLine& line, std::ostream& out, std::ostream& err);

}  // namespace picklock::race
