// A differential campaign: so many generated steps from a seed, in episodes that start from empty.
//
// Stops at the first difference and shrinks it. Writes what it does to a stream. One thread.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "tests/differential/side_by_side.hpp"

namespace picklock::test {

struct CampaignOptions {
  std::size_t steps = 200'000;
  std::uint64_t seed = 1;
  int resp = 0;            // 2, 3, or 0: the episodes alternate.
  std::string corruption;  // Empty: the emulator as it is.
  std::string theme;       // Of all episodes; empty: each draws its own.
  std::size_t episode_steps = 2'000;
};

struct Finding {
  Sequence sequence;  // Shrunk.
  Difference difference;
  int resp = 2;
};

/// An empty emulator whose clock stands at `now_ms`, with one rule spoilt on purpose unless
/// `corruption` is empty.
Candidate make_candidate(std::int64_t now_ms, const std::string& corruption);

/// nullopt when all steps agree. Throws TargetDied, with the input in its text, when the real
/// server dies.
std::optional<Finding> run_campaign(const CampaignOptions& options, Normalisers& normalisers,
                                    std::ostream& out);

}  // namespace picklock::test
