// Makes values of every type and encoding, as the commands that build them. Deterministic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/base/random.hpp"

namespace picklock::test {

using Words = std::vector<std::string>;

class GeneratedValues {
 public:
  /// `timed`: with values that know when they were made, and so are never built twice alike.
  explicit GeneratedValues(std::uint64_t seed, bool timed = true) : random_(seed), timed_(timed) {}

  /// Commands that put one value at `key`, which must be free.
  std::vector<Words> commands(const std::string& key);

 private:
  std::string text();
  std::string number();
  std::string word();
  std::string score();
  /// Mostly a few, sometimes more than the compact encodings hold.
  std::size_t count();
  template <class Container>
  const auto& pick(const Container& container) {
    return container[random_.below(std::size(container))];
  }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  std::vector<Words> string(const std::string& key);
  std::vector<Words> list(const std::string& key);
  std::vector<Words> hash(const std::string& key);
  std::vector<Words> set(const std::string& key);
  std::vector<Words> sorted_set(const std::string& key);

  std::vector<Words> stream(const std::string& key);

  Random random_;
  bool timed_;
};

}  // namespace picklock::test
