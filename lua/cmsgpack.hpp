// The functions of the library cmsgpack. Internal to lua/.
#pragma once

struct lua_State;

namespace picklock::lua {

int cmsgpack_pack(lua_State* L);
/// Pushes the library.
int open_cmsgpack(lua_State* L);

}  // namespace picklock::lua
