// math.random and math.randomseed over Redis's own 48-bit generator, the same on every machine.
#include <cmath>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kMultiplier = 0x5DEECE66D;
constexpr std::uint64_t kIncrement = 0xB;
constexpr std::uint64_t kLowStart = 0x330E;
constexpr std::uint32_t kRange = 0x7fffffff;

/// In [0, 1).
double next_fraction(LastingState& lasting) {
  lasting.random = (lasting.random * kMultiplier + kIncrement) & kMask;
  const auto value = static_cast<std::uint32_t>(lasting.random >> 17);
  return static_cast<double>(value % kRange) / static_cast<double>(kRange);
}

/// An int as C makes it from a number on x86-64, without the undefined part.
int int_argument(lua_State* L, int index) {
  const double value = luaL_checknumber(L, index);
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) return 0;
  return static_cast<int>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
}

int random(lua_State* L) {
  const double r = next_fraction(state_of(L).lasting);
  switch (lua_gettop(L)) {
    case 0:
      lua_pushnumber(L, r);
      return 1;
    case 1: {
      const int high = int_argument(L, 1);
      luaL_argcheck(L, 1 <= high, 1, "interval is empty");
      lua_pushnumber(L, std::floor(r * high) + 1);
      return 1;
    }
    case 2: {
      const int low = int_argument(L, 1);
      const int high = int_argument(L, 2);
      luaL_argcheck(L, low <= high, 2, "interval is empty");
      const auto width = static_cast<std::int32_t>(static_cast<std::uint32_t>(high) -
                                                   static_cast<std::uint32_t>(low) + 1);
      lua_pushnumber(L, std::floor(r * width) + low);
      return 1;
    }
    default:
      return luaL_error(L, "wrong number of arguments");
  }
}

int randomseed(lua_State* L) {
  const auto seed = static_cast<std::uint32_t>(int_argument(L, 1));
  state_of(L).lasting.random = (std::uint64_t{seed} << 16) | kLowStart;
  return 0;
}

}  // namespace

void open_random(lua_State* L) {
  lua_pushcfunction(L, random);
  lua_setfield(L, -2, "random");
  lua_pushcfunction(L, randomseed);
  lua_setfield(L, -2, "randomseed");
}

}  // namespace picklock::lua
