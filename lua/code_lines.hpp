// Which lines of a compiled script hold code: for the coverage of scripts. Internal to lua/.
#pragma once

#include <vector>

#include "lua/lua_api.hpp"

namespace picklock::lua {

/// The lines of the Lua function at the top of the stack and of all functions in it, in ascending
/// order, each once.
std::vector<int> lines_of_function(lua_State* L);

}  // namespace picklock::lua
