// The commands `bugs` and `verdicts`: whole tables of searches.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace picklock::race {

struct CommandLine;
enum class Exit : int;

/// What the command line says of a table.
struct SuiteWords {
  std::string only;  ///< One bug.
  std::uint64_t seeds = 5;
  std::uint64_t twin_schedules = 2'000;
  // Of verdicts.
  std::vector<std::string> locks;   ///< None: all.
  std::vector<std::string> faults;  ///< The same.
  std::uint64_t cell_schedules = 1'000;
  std::uint64_t exhaustive = 0;
  std::string markdown;  ///< A file to write the table to; empty for none.
  std::string html;
};

void declare_bugs(CLI::App& bugs, CommandLine& line);
/// Prints the table of the bug suite. Exit 1 if a bug is missed or a twin accused.
Exit show_bugs(const CommandLine& line, std::ostream& out, std::ostream& err);

void declare_verdicts(CLI::App& verdicts, CommandLine& line);
/// Prints and writes the matrix lock x condition. `note` hears of every cell; may be empty.
Exit show_verdicts(const CommandLine& line, std::ostream& out, std::ostream& err,
                   const std::function<void(std::string_view)>& note);

}  // namespace picklock::race
