// A schedule as a value, and as the replay string that people pass on.
//
// The string is `pl2.<scenario>.<base64url>`: settings, choices, the hash of the states that the
// run went through, its verdict, and a checksum over all of it. Plain values, no input or output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/race/choice.hpp>
#include <picklock/race/verdict.hpp>

namespace picklock::race {

struct Trace {
  // The header: which program under which settings.
  std::string scenario;
  Faults faults;
  std::uint64_t max_delay_ms = 0;
  std::uint64_t time_steps = 0;
  bool prompt = false;
  std::vector<std::uint64_t> parameters;
  std::uint32_t configuration = 0;  ///< The digest of ExploreOptions::configuration.
  // The run.
  std::vector<Choice> choices;
  // The footer: what must come out.
  std::uint32_t state_hash = 0;
  Class verdict = Class::holds;

  bool operator==(const Trace&) const = default;
};

/// Whether `name` may stand in a replay string.
bool is_scenario_name(std::string_view name);

std::string to_replay_string(const Trace& trace);

/// Reads a replay string. On failure returns false and puts one line into `error` that says what is
/// wrong and what to do.
[[nodiscard]] bool parse_replay_string(std::string_view text, Trace& trace, std::string& error);

}  // namespace picklock::race
