// DEBUG PROTOCOL: an example of each type of reply, for those who write clients.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock {

void debug_protocol(Context& c);

}  // namespace picklock
