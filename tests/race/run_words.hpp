// Runs command lines of picklock-fuzz without a process, for the tests of its commands.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "fuzz/program/commands.hpp"

namespace picklock::race {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

inline Outcome run(const std::vector<std::string>& words) {
  const CommandLine line = parse_command_line(words);
  if (line.finished) {
    const bool fine = line.exit_code == Exit::fine;
    return {static_cast<int>(line.exit_code), fine ? line.message : "", fine ? "" : line.message};
  }
  std::ostringstream out;
  std::ostringstream err;
  const Exit code = execute(line, out, err);
  return {static_cast<int>(code), out.str(), err.str()};
}

}  // namespace picklock::race
