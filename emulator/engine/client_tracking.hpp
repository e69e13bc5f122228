// CLIENT TRACKING and its kin, whose rows stand with the other subcommands of CLIENT.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock {

void client_tracking(Context& c);
void client_caching(Context& c);
void client_trackinginfo(Context& c);
void client_getredir(Context& c);

}  // namespace picklock
