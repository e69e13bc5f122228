// Generates sequences of commands that look for the edges: every command that the emulator knows,
// with options, wrong arguments, scripts and raw bytes, by several clients over a few keys.
//
// Deterministic: the same seed gives the same sequence anywhere. No deadline of a generated command
// comes within reach of the test's own duration, but for the short ones that are waited for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/differential/sequence.hpp"

namespace picklock::test {

/// What a sequence is mostly about.
struct Theme {
  std::string_view name;
  std::uint64_t weight;  // How often it is drawn, as against the others.
  unsigned percent;      // Of the commands, that come from its own templates.
  std::uint64_t turn;    // How many actions one client does in a row at most, mostly.
  std::span<const std::string_view> templates;
  std::span<const std::string_view> never;  // Names of commands that do not go with the theme.
  bool watches = false;                     // Whether clients monitor others, and pause them.
};

class Generator {
 public:
  /// A theme by its name, or one that is drawn if the name is empty; throws std::invalid_argument
  /// for an unknown one.
  explicit Generator(std::uint64_t seed, std::string_view theme = "");

  static std::vector<std::string_view> themes();
  /// About `steps` commands.
  Sequence sequence(std::size_t steps);

 private:
  static constexpr int kClients = 4;

  Action action();
  Action transaction();
  Action deadline_in_the_past();
  Action short_deadline();
  Action raw_bytes();
  Action short_wait();
  Action present_stream();
  Action monitoring();
  Action few_replies();
  Action short_pause();
  Sequence paused();
  Words queued_command();
  Words prompt_command();
  Words command();
  Words from_template(std::string_view text);
  std::string placeholder(char kind);
  std::string absolute_edge();
  void spoil(Words& words);
  std::string stream_placeholder(char kind);
  std::string new_id();
  std::string entry_id();
  std::string id_bound();

  Words script_command();
  std::string script();
  std::string lua_value(int depth);
  std::string lua_number();
  std::string lua_call(bool alone);

  template <class Container>
  const auto& pick(const Container& container) {
    return container[random_.below(std::size(container))];
  }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Random random_;
  const Theme& theme_;
  std::uint64_t last_ms_ = 0;  // Of the IDs of streams.
  int client_ = 0;
};

}  // namespace picklock::test
