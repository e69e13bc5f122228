// Which words of a request are keys, and what is done with them: by the command table alone.
//
// For COMMAND GETKEYS; dispatch does not need it. Pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

struct FoundKey {
  std::string_view key;
  std::string_view flags;  ///< As in a KeySpec: "RW access update".
};

/// Whether any words of `command` can be keys; channels are none.
bool takes_keys(const Command& command);

/// The keys of a request, or nullopt if its words are not what the specifications expect.
std::optional<std::vector<FoundKey>> find_keys(const Command& command, Args words);

}  // namespace picklock
