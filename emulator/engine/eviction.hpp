// maxmemory: how much is used, and which keys go when it is too much.
#pragma once

#include <cstdint>

namespace picklock {

class Engine;

/// What a server without keys counts for, about as much as Redis 7.0.15 takes when it has started.
inline constexpr std::uint64_t kStartupBytes = 862'848;

std::uint64_t used_memory(const Engine& engine);

/// Evicts keys by maxmemory-policy until maxmemory holds; false if it still does not. Redis 7.0:
/// performEvictions.
bool evict(Engine& engine);

}  // namespace picklock
