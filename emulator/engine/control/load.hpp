// Fixtures: keys from a list of commands, or from an RDB file that Redis has written.
//
// Takes texts and bytes, not files: those are the affair of the program around it. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/engine/engine.hpp"

namespace picklock {

/// What was loaded, or why it was not.
struct LoadResult {
  std::size_t count = 0;  ///< Commands, or keys.
  std::optional<std::string> error;
};

/// Carries out one command a line, quoted as redis-cli wants it; empty lines and those that begin
/// with '#' are skipped. Stops at the first that is answered with an error, one within EXEC too;
/// those before it stand. PICKLOCK LOAD, NODE, USE and RESTORE are refused, and CLIENT REPLY.
LoadResult load_commands(Engine& engine, std::string_view text);

/// Adds the keys and functions of an RDB file of version 10 or older, over those that there are.
/// Keys whose deadline has passed on the server's clock are left out, as Redis does. All or
/// nothing.
LoadResult load_rdb(Engine& engine, std::string_view bytes);

/// All that is there becomes what is in the file, with the keys whose deadline has passed: those
/// are the primary's affair. Sets `database` to the one that the primary's stream has selected. All
/// or nothing.
LoadResult replace_by_rdb(Engine& engine, std::string_view bytes, int& database);

/// Either, by its first bytes.
LoadResult load_any(Engine& engine, std::string_view bytes);

}  // namespace picklock
