// The files that a command leaves: --json, --html, --perfetto.
#pragma once

#include <fstream>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <picklock/race/verdict.hpp>

namespace CLI {
class App;
}

namespace picklock::race {

struct CommandLine;

/// Opens a file to write; none if `path` is empty. On failure says so and what to do.
[[nodiscard]] bool open_file(std::ofstream& file, const std::string& path, const char* option,
                             std::ostream& err);
/// Writes all of it, if the file is open, and closes it. On failure, of a full disk, says so.
[[nodiscard]] bool fill_file(std::ofstream& file, const std::string& path,
                             const std::string& content, std::ostream& err);

void declare_outputs(CLI::App& command, CommandLine& line);

/// --shard, whose outcome is in the report for `merge`.
void declare_shard(CLI::App& command, CommandLine& line);

/// --certify.
void declare_certify(CLI::App& command, CommandLine& line);

/// --progress.
void declare_progress(CLI::App& command, CommandLine& line);

/// --twice.
void declare_twice(CLI::App& command, bool& twice);

class Outputs {
 public:
  explicit Outputs(const CommandLine& line) : line_(line) {}

  /// Before the search: one of hours must not end with a report that cannot be written. On failure
  /// says so and returns false.
  [[nodiscard]] bool open(std::ostream& err);
  /// False if standard output is for JSON.
  bool is_for_people() const;
  /// `json` is what the command knows; the recorded run joins it. On failure says so and returns
  /// false.
  [[nodiscard]] bool write(nlohmann::ordered_json json, const Verdict& verdict, std::ostream& out,
                           std::ostream& err);

 private:
  const CommandLine& line_;
  std::ofstream json_;
  std::ofstream html_;
  std::ofstream perfetto_;
};

}  // namespace picklock::race
