// The command `check`: a lock by a check file, without C++.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "fuzz/search/search.hpp"

namespace CLI {
class App;
}

namespace picklock::race {

struct CommandLine;
enum class Exit : int;

/// What the command line says of a check, over what stands in its file.
struct CheckWords {
  std::string file;
  std::optional<int> clients;
  std::optional<int> rounds;
  std::optional<std::int64_t> ttl_ms;
  std::optional<std::string> faults;
};

void declare_check(CLI::App& check, CommandLine& line);

Exit check_lock(const CommandLine& line, std::ostream& out, std::ostream& err,
                const Explorer& explorer);

/// Replays line.replay with line.check.file.
Exit replay_check(const CommandLine& line, std::ostream& out, std::ostream& err);

}  // namespace picklock::race
