// From the words of a request to the row that answers it.
#pragma once

#include <string>

#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// The row for `words`, a subcommand's where the command has some; null if `profile` has none.
const Command* resolve(Args words, const Profile& profile);

/// The error for words that resolve() knows no row for. Redis: commandCheckExistence.
std::string unknown_command(Args words, const Profile& profile);

}  // namespace picklock
