// CLIENT PAUSE, UNPAUSE and REPLY, whose rows stand with the other subcommands of CLIENT.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock {

void client_pause(Context& c);
void client_unpause(Context& c);
void client_reply(Context& c);

}  // namespace picklock
