// The end of a server and its return with what it has kept.
#pragma once

#include "emulator/engine/control/control.hpp"

namespace picklock {

/// Emulator::restart(). Throws std::logic_error.
void restart(Engine& engine, Restart kept);
/// Emulator::sync_every_second().
void sync_every_second(Engine& engine, bool on);
/// Takes the copy that is due, before anything changes.
void sync(SyncedData& disk, const Engine& engine);

}  // namespace picklock
