// A number for everything that commands can find on a server: for searches that must not visit a
// state twice. Not DEBUG DIGEST, which leaves deadlines out and is slow.
#pragma once

#include <cstdint>

#include <picklock/clock.hpp>

namespace picklock {

class Engine;

/// Equal for equal contents, deadlines, known scripts and functions, whatever their order,
/// settings, users, and the same state of math.random; what has expired at `now` does not count.
/// Sessions, statistics, encodings and the server's own random generator do not count either. The
/// same on every machine. `relative`: of deadlines, how far they are from `now`.
std::uint64_t digest_of_state(const Engine& engine, Instant now, bool relative);

}  // namespace picklock
