#include "emulator/keyspace/key_effects.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using Kind = KeyEffects::Kind;

std::vector<TraceEffect> all(const KeyEffects& effects) {
  std::vector<TraceEffect> found;
  effects.for_each([&](const KeyEffects::Effect& effect) {
    found.push_back({effect.kind, effect.database, std::string{effect.key}, effect.client});
  });
  return found;
}

TEST_CASE("effects come back in order, whatever bytes their keys have") {
  KeyEffects effects;
  CHECK(effects.empty());
  const std::string zeros(300, '\0');
  effects.add({Kind::changed, 0, 7, zeros});
  effects.add({Kind::flushed, 15, 0, ""});
  effects.add({Kind::deleted, 1, ~std::uint64_t{0}, "key"});
  CHECK_FALSE(effects.empty());
  CHECK(all(effects) == std::vector<TraceEffect>{{Kind::changed, 0, zeros, 7},
                                                 {Kind::flushed, 15, "", 0},
                                                 {Kind::deleted, 1, "key", ~std::uint64_t{0}}});
}

TEST_CASE("the last effect alone can be corrected") {
  KeyEffects effects;
  effects.add({Kind::deleted, 0, 1, "a"});
  effects.add({Kind::deleted, 0, 1, "b"});
  effects.correct(Kind::expired);
  CHECK(all(effects) ==
        std::vector<TraceEffect>{{Kind::deleted, 0, "a", 1}, {Kind::expired, 0, "b", 1}});
  effects.clear();
  effects.add({Kind::deleted, 0, 1, "c"});
  effects.correct(Kind::changed);
  CHECK(all(effects) == std::vector<TraceEffect>{{Kind::changed, 0, "c", 1}});
}

}  // namespace
}  // namespace picklock
