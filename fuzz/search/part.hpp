// A shard's part of a campaign, and how the parts of all shards become the campaign again.
//
// Shards take slices of schedules in turn. A shard does not know when another one has found what
// ends the campaign, so that it keeps by slices what it has met. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/race/choice.hpp>
#include <picklock/race/verdict.hpp>

#include "fuzz/search/search.hpp"

namespace picklock::race {

inline constexpr std::uint64_t kMostShards = 1'000'000;

struct Part {
  Shard shard;
  std::string program;  ///< What program_of() says of the shard's options.
  std::uint64_t seed = 0;
  /// Of the whole campaign, at most.
  std::uint64_t schedules = 0;
  /// The schedule that ended it; 0: it ran to its end.
  std::uint64_t stopped_at = 0;
  std::string nondeterminism;
  Class verdict = Class::holds;
  std::uint64_t found_at = 0;
  Strategy found_by = Strategy::portfolio;
  std::vector<Choice> choices;  ///< Of the failure, as it was found.
  /// Documented limits met in each slice that met any; slices count from 0.
  std::map<std::uint64_t, std::uint64_t> limits;
  /// The edges that each slice met and no earlier one of this shard.
  std::map<std::uint64_t, std::vector<std::uint32_t>> edges;
};

/// Names the program under test, its settings and its bounds.
std::string program_of(const ExploreOptions& options);

/// Reads "2/8". False if that is no shard.
[[nodiscard]] bool parse_shard(std::string_view text, Shard& shard);

/// Whether the slice of schedule `number` (from 1) is the shard's.
bool is_mine(const Shard& shard, std::uint64_t number);

/// What the whole campaign has found. Returns false if these are not the parts of one campaign,
/// each once, and puts one line into `error` that says what is wrong.
[[nodiscard]] bool join(std::span<const Part> parts, Findings& findings, std::string& error);

/// The verdict on findings: the failure shrunk, drawn and explained, as explore() does.
Verdict conclude(const ExploreOptions& options, const Scenario& scenario, Findings findings);

}  // namespace picklock::race
