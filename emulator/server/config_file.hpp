// redis.conf: its directives read and checked as Redis 7.0 does, with its words for what is wrong.
//
// What an emulator has no use for is remembered for CONFIG GET; what would mislead (modules,
// renamed commands) is refused. Reads files that are included; `dir` moves the process there, as in
// Redis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/engine/engine.hpp"

namespace picklock {

/// Whether Redis 7.0 reads this directive, of an older server, and goes on as if it were not there.
bool is_forgotten(std::string_view directive);

/// What the configuration asks for, in order.
struct StartSettings {
  struct UserLine {
    std::string name;
    std::vector<std::string> rules;
  };

  std::vector<std::pair<const Setting*, std::string>>
      values;  ///< In the form in which they are kept.
  std::vector<UserLine> users;

  /// The last value of a setting; null if there is none.
  const std::string* find(std::string_view name) const;
};

/// Reads `text` into `settings`; returns Redis's report of the first mistake, which has several
/// lines.
std::optional<std::string> read_config(std::string_view text, StartSettings& settings);

/// Puts settings and users into a new engine, the users of `aclfile` too; returns what is wrong
/// with them in one line, if something is.
std::optional<std::string> apply_start_settings(Engine& engine, const StartSettings& settings);

}  // namespace picklock
