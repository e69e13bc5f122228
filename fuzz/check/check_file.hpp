// Reads check files: Lua tables that describe a lock (see fuzz/examples).
#pragma once

#include <string>

#include "fuzz/check/lock_check.hpp"

namespace picklock::race {

/// Reads the check file at `path`; files that it names stand beside it. On failure returns false,
/// and one line in `error` that says what is wrong and what to do.
[[nodiscard]] bool read_check_file(const std::string& path, LockCheck& check, std::string& error);

}  // namespace picklock::race
