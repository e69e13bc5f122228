// Moving an engine's clock, so that what falls due on the way happens in order and at its own
// instant.
#pragma once

#include <chrono>

#include <picklock/clock.hpp>

namespace picklock {

class Engine;

/// The longest step: a thousand years, far from overflowing microseconds in 64 bits.
inline constexpr std::chrono::milliseconds kMaxAdvance{1000LL * 366 * 24 * 3600 * 1000};

/// Moves the engine's clock by `duration` (not negative). False if its clock is of a kind that
/// cannot be moved.
bool advance_clock(Engine& engine, Duration duration);

}  // namespace picklock
