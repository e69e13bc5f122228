// CLIENT NO-TOUCH and CLIENT SETINFO, which came with Redis 7.2.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock {

/// Lets this client's commands leave no trace in OBJECT IDLETIME and OBJECT FREQ, but for TOUCH.
void client_no_touch(Context& c);
/// Says which library the client is, for CLIENT LIST.
void client_setinfo(Context& c);

}  // namespace picklock
