// The one command table: the data groups and the engine's own, joined.
#pragma once

#include <span>
#include <string_view>

#include "emulator/commands/command.hpp"

namespace picklock {

/// The row of `name` in any case of letters; null if there is none.
const Command* find_command(std::string_view name);
/// The row of `container`'s subcommand `name`; null if there is none.
const Command* find_subcommand(const Command& container, std::string_view name);
/// All rows but hidden ones, in alphabetical order; subcommands hang below their container.
std::span<const Command* const> all_commands();

}  // namespace picklock
