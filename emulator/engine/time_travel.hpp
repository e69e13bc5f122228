// Moving an engine's clock, so that what falls due on the way happens in order and at its own
// instant.
#pragma once

#include <chrono>
#include <optional>

#include <picklock/clock.hpp>

namespace picklock {

class Engine;

/// The longest step: a thousand years, far from overflowing microseconds in 64 bits.
inline constexpr std::chrono::milliseconds kMaxAdvance{1000LL * 366 * 24 * 3600 * 1000};

/// Whether time passes without anybody moving it.
bool clock_flows(Clock& clock);
/// Engine::next_event() by the clock beneath a NodeClock, on which all nodes meet; nullopt if that
/// never comes.
std::optional<Instant> next_event_beneath(const Engine& engine);

/// Moves the engine's clock, or the one beneath a NodeClock, by `duration` (not negative). False if
/// it is of a kind that cannot be moved.
bool advance_clock(Engine& engine, Duration duration);

}  // namespace picklock
