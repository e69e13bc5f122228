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

TEST_CASE("what was done, where and by whom can be said afterwards") {
  KeyEffects effects;
  CHECK_FALSE(effects.is_one());
  effects.add({Kind::changed, 0, 0, "a"});
  CHECK(effects.is_one());
  effects.attribute(3, 7);
  KeyEffects others;
  others.add({Kind::deleted, 1, 2, "b"});
  others.add({Kind::deleted, 1, 2, "c"});
  CHECK_FALSE(others.is_one());
  effects.swap(others);
  CHECK(others.is_one());
  CHECK(all(others) == std::vector<TraceEffect>{{Kind::changed, 3, "a", 7}});
  effects.attribute(4, 8);
  CHECK(all(effects) ==
        std::vector<TraceEffect>{{Kind::deleted, 1, "b", 2}, {Kind::deleted, 4, "c", 8}});
  effects.clear();
  CHECK_FALSE(effects.is_one());
  effects.add({Kind::deleted, 0, 1, "d"});
  CHECK(effects.is_one());
}

}  // namespace
}  // namespace picklock
