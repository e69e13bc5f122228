// Makes a failing sequence small: removes what is not needed for it to fail.
#pragma once

#include <functional>

#include "tests/differential/sequence.hpp"

namespace picklock::test {

using StillFails = std::function<bool(const Sequence&)>;

/// Removes actions in ever smaller runs until no single one can go (delta debugging), then moves
/// what is left to as few clients as possible. `sequence` must fail.
Sequence shrink(Sequence sequence, const StillFails& still_fails);

}  // namespace picklock::test
