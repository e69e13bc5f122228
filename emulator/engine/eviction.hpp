// maxmemory: how much is used, and which keys go when it is too much.
#pragma once

#include <cstdint>

namespace picklock {

class Engine;
struct Session;

/// What a server without keys counts for, about as much as Redis 7.0.15 takes when it has started.
inline constexpr std::uint64_t kStartupBytes = 862'848;

std::uint64_t used_memory(const Engine& engine);

/// Evicts keys by maxmemory-policy until maxmemory holds; false if it still does not. Who caches
/// them hears of it before the reply to `next`, whose request has yet to run, or with all else that
/// this one changes. Redis 7.0: performEvictions.
bool evict(Engine& engine, Session* next = nullptr);

}  // namespace picklock
