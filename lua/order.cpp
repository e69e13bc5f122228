// The order in which tables show their keys.
//
// Strings and numbers are hashed by their bytes, the same in every process; objects are hashed by
// their addresses.
#include <cstdint>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

bool is_object(lua_State* L, int index) {
  const int type = lua_type(L, index);
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TTHREAD;
}

std::uint32_t serial_of(lua_State* L, int index) {
  return Allocator::serial_of(lua_topointer(L, index));
}

/// Pushes the first object among the keys that was made after number `last`, and its value.
int push_next_object(lua_State* L, int table, std::uint32_t last) {
  std::uint64_t steps = 0;
  std::uint32_t best = 0;
  lua_pushnil(L);  // The best key.
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    ++steps;
    if (!is_object(L, -2)) continue;
    const std::uint32_t serial = serial_of(L, -2);
    if (serial <= last || (best != 0 && serial > best)) continue;
    best = serial;
    lua_pushvalue(L, -2);
    lua_replace(L, -4);
  }
  if (best == 0) {
    lua_pop(L, 1);
    return 0;
  }
  charge(L, steps);
  lua_pushvalue(L, -1);
  lua_rawget(L, table);
  return 1;
}

}  // namespace

int next_in_order(lua_State* L, int index) {
  const int table = index > 0 ? index : lua_gettop(L) + 1 + index;
  if (is_object(L, -1)) {
    const std::uint32_t last = serial_of(L, -1);
    lua_pushvalue(L, -1);
    lua_pop(L, lua_next(L, table) != 0 ? 3 : 1);  // Raises for a key that the table never had.
    return push_next_object(L, table, last);
  }
  while (lua_next(L, table) != 0) {
    if (!is_object(L, -2)) return 1;
    lua_pop(L, 1);
  }
  return push_next_object(L, table, 0);
}

}  // namespace picklock::lua
