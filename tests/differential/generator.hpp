// Generates sequences of commands that look for the edges: every command that the emulator knows,
// with options, wrong arguments, scripts and raw bytes, by several clients over a few keys.
//
// Deterministic: the same seed gives the same sequence anywhere. No deadline of a generated command
// comes within reach of the test's own duration, but for the short ones that are waited for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/differential/sequence.hpp"

namespace picklock::test {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  /// About `steps` commands.
  Sequence sequence(std::size_t steps);

 private:
  Action action();
  Action transaction();
  Action deadline_in_the_past();
  Action short_deadline();
  Action raw_bytes();
  Words command();
  Words from_template(std::string_view text);
  std::string placeholder(char kind);
  std::string absolute_edge();
  void spoil(Words& words);

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
  int client_ = 0;
};

}  // namespace picklock::test
