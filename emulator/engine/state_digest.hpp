// A number for everything that commands can find on a server: for searches that must not visit a
// state twice. Not DEBUG DIGEST, which leaves deadlines out and is slow.
#pragma once

#include <cstdint>

namespace picklock {

class Engine;

/// Equal for equal contents, deadlines, known scripts and functions, whatever their order, and the
/// same state of math.random; what has expired does not count. Sessions, settings, statistics,
/// encodings and the server's own random generator do not count either. The same on every machine.
/// `relative`: of deadlines, how far away they are.
std::uint64_t digest_of_state(const Engine& engine, bool relative);

}  // namespace picklock
