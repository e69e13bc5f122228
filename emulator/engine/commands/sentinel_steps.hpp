// The handlers of SENTINEL's subcommands that stand in files of their own.
#pragma once

#include "emulator/commands/context.hpp"
#include "emulator/engine/sentinel/sentinel.hpp"

namespace picklock::commands {

// sentinel_views.cpp
void sentinel_master(Context& c);
void sentinel_masters(Context& c);
void sentinel_replicas(Context& c);
void sentinel_sentinels(Context& c);
void sentinel_info_cache(Context& c);
void sentinel_address(Context& c);
void sentinel_is_down(Context& c);
void sentinel_ckquorum(Context& c);

// sentinel_settings.cpp
void sentinel_set(Context& c);
void sentinel_monitor(Context& c);
void sentinel_config(Context& c);
void sentinel_debug(Context& c);

/// The sentinel whose client asks; null if it watches nothing, for no server has made it.
Sentinel* sentinel_of(Context& c);
/// The master of that name; null with the error answered.
Sentinel::Master* find_master(Context& c, std::string_view name);

}  // namespace picklock::commands
