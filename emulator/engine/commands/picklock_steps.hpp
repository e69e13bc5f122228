// The handlers of PICKLOCK's subcommands that stand in files of their own.
#pragma once

#include "emulator/commands/context.hpp"

namespace picklock::commands {

// picklock_faults.cpp
void picklock_fault(Context& c);
void picklock_trace(Context& c);

// picklock_states.cpp
void picklock_seed(Context& c);
void picklock_snapshot(Context& c);
void picklock_restore(Context& c);
void picklock_reset(Context& c);
void picklock_load(Context& c);

// picklock_servers.cpp
void picklock_blocked(Context& c);
void picklock_new(Context& c);
void picklock_use(Context& c);

// picklock_node.cpp
void picklock_node(Context& c);

/// Whether `name` can name a snapshot or a server; answers an error that says so if not.
bool is_picklock_name(Context& c, std::string_view name);

}  // namespace picklock::commands
