// CLIENT KILL, whose row stands with the other subcommands of CLIENT.
//
// A killed session ends at once: it watches, subscribes and waits for nothing any more, and its
// driver closes the connection when it is told of output. Belongs to the engine's thread.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock {

void client_kill(Context& c);

}  // namespace picklock
