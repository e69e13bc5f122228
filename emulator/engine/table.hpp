// The one command table: the data groups and the engine's own, joined.
#pragma once

#include <string_view>
#include <vector>

#include "emulator/commands/command.hpp"

namespace picklock {

/// The row of `name` in any case of letters; null if `profile` has none.
const Command* find_command(std::string_view name, const Profile& profile);
/// The row of `container`'s subcommand `name`; null if `profile` has none.
const Command* find_subcommand(const Command& container, std::string_view name,
                               const Profile& profile);
/// All rows of `profile` but hidden ones, in alphabetical order; subcommands hang below their
/// container, where those of other profiles are to be passed over.
std::vector<const Command*> all_commands(const Profile& profile);

}  // namespace picklock
