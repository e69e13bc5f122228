// The table library: its functions are charged for what they go through, and refuse to change
// tables that are read-only.
#include <bit>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

/// The elements of the table at index 1, if it is one.
std::uint64_t length(lua_State* L) { return lua_istable(L, 1) ? lua_objlen(L, 1) : 0; }

/// How many elements table.insert(t, position, value) moves: many, if the position is far below 1.
std::uint64_t moved_by_insert(lua_State* L) {
  const auto end = static_cast<std::int64_t>(length(L)) + 1;
  const std::int64_t position = static_cast<int>(lua_tointeger(L, 2));
  return position < end ? static_cast<std::uint64_t>(end - position) : 0;
}

int table_insert(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int count = lua_gettop(L);
  if (count == 3) charge(L, moved_by_insert(L) / 4);
  if (push_real(L, 1)) {
    if (count == 3) luaL_checkinteger(L, 2);
    if (count == 2 || count == 3) return raise_readonly(L);
    lua_pop(L, 1);
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

int table_remove(lua_State* L) {
  if (lua_gettop(L) > 1) charge(L, length(L) / 4);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

int table_sort(lua_State* L) {
  const std::uint64_t size = length(L);
  charge(L, size * static_cast<std::uint64_t>(std::bit_width(size)));
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

int table_concat(lua_State* L) {
  charge(L, length(L));
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/// foreach and maxn read with next, so they may work on the real table.
int table_reader(lua_State* L) {
  if (lua_istable(L, 1) && push_real(L, 1)) lua_replace(L, 1);
  charge(L, length(L));
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

}  // namespace

void guard_table_library(lua_State* L) {
  wrap_function(L, "insert", table_insert);
  wrap_function(L, "remove", table_remove);
  wrap_function(L, "sort", table_sort);
  wrap_function(L, "concat", table_concat);
  wrap_function(L, "foreach", table_reader);
  wrap_function(L, "maxn", table_reader);
}

}  // namespace picklock::lua
