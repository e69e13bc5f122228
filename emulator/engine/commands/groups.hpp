// The command groups that need the engine or the session.
#pragma once

#include <span>
#include <string_view>

#include "emulator/commands/command.hpp"

namespace picklock::commands {

std::span<const Command> acl();
std::span<const Command> connection();
std::span<const Command> client();
std::span<const Command> blocking_lists();
std::span<const Command> blocking_sorted_sets();
std::span<const Command> stream_reads();
std::span<const Command> stream_groups();
std::span<const Command> stream_info();
std::span<const Command> command();
std::span<const Command> config();
std::span<const Command> server();
std::span<const Command> persistence();
std::span<const Command> replication();
std::span<const Command> cluster();
std::span<const Command> modules();
std::span<const Command> wait_aof();
std::span<const Command> dump();
std::span<const Command> migrate();
std::span<const Command> debug();
std::span<const Command> memory();
std::span<const Command> slowlog();
std::span<const Command> latency();
std::span<const Command> object();
std::span<const Command> scripting();
std::span<const Command> sort();
std::span<const Command> functions();
std::span<const Command> transactions();
std::span<const Command> pubsub();
/// Those that a sentinel has instead of a server's, and the names of those that it has in common
/// with one.
std::span<const Command> sentinel();
std::span<const std::string_view> shared_with_sentinel();
/// PICKLOCK, which steers the emulator itself; not listed by COMMAND.
std::span<const Command> picklock();

}  // namespace picklock::commands
