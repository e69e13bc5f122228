// MONITOR: shows each command to those who have asked to see all of them.
#pragma once

#include <vector>

#include "emulator/engine/engine_context.hpp"

namespace picklock {

/// Whether a command is shown before it runs, since what it calls comes after it: a script.
bool shows_before(const Command& command);
/// Whether a command is shown once it has run. Redis: those for administration are not.
bool shows_after(const Command& command);
/// Sends the request of `context` to all monitors. `context.database` is the one it ended in.
void show_to_monitors(Engine& engine, const EngineContext& context);
/// The words of a request as logs may show them.
std::vector<std::string_view> presentable_words(const EngineContext& context);

}  // namespace picklock
