// The first line of a script that starts with "#!": which engine it is for, and with which flags.
//
// Without such a line a script may do everything. A pure function, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lua/interpreter.hpp"

namespace picklock {

struct Shebang {
  bool present = false;
  bool no_writes = false;
  bool allow_oom = false;
  bool allow_stale = false;
  bool no_cluster = false;
  bool allow_cross_slots = false;
};

/// What a function was registered with.
Shebang shebang_of(const lua::RegisteredFunction& function);

/// Whether the script has such a line; most have none.
inline bool has_shebang(std::string_view script) {
  return script.size() >= 2 && script[0] == '#' && script[1] == '!';
}

/// Reads the flags of Redis 7.0; nullopt and Redis's error text for a line that does not fit.
std::optional<Shebang> read_shebang(std::string_view script, std::string& error);

}  // namespace picklock
