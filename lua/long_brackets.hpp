// Long strings and comments with "[[" inside, which Redis's Lua takes and stock Lua refuses.
//
// Internal to lua/. Pure but for the Lua stack.
#pragma once

#include <string_view>

#include "lua/lua_api.hpp"

namespace picklock::lua {

/// If `text` has "[[" inside of [[...]], pushes the same code with longer brackets around it, and
/// returns true; lines stay lines.
bool push_without_nesting(lua_State* L, std::string_view text);

/// Whether a message of the parser says that it stopped at such brackets.
bool refuses_nesting(std::string_view message);

}  // namespace picklock::lua
