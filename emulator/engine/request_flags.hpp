// What a request may do, as far as that can be told before it runs.
//
// Its command's flags, but for scripts and functions that say themselves what they do; for EXEC
// those of all that is queued. Asked by guards, pauses and queues.
#pragma once

#include <cstdint>

#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Engine;

/// The flags of `command`, replaced by those that the script or function named in `words` declares.
/// Redis 7.0: evalGetCommandFlags, fcallGetCommandFlags.
std::uint32_t request_flags(Engine& engine, const Command& command, Args words);

}  // namespace picklock
