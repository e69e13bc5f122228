// DEBUG RELOAD: all keys as if they had been written to a file and read again.
#pragma once

#include "emulator/engine/engine.hpp"

namespace picklock {

/// Values get the encodings that reading gives them, expired keys go, watched keys are touched.
void reload_keyspace(Engine& engine, std::int64_t now_ms);

}  // namespace picklock
