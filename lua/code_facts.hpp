// What the instructions of a compiled script tell of it: which lines hold code, and what it can do
// with the globals that change from run to run. Internal to lua/.
#pragma once

#include <vector>

#include "lua/lua_api.hpp"

namespace picklock::lua {

struct CodeFacts {
  /// In ascending order, each once.
  std::vector<int> lines;
  /// Whether it sets no global, and does nothing with KEYS, ARGV and `redis` but read their fields
  /// and lengths on the spot: then it can neither keep, change nor show them, nor tell others that
  /// read the same from them.
  bool reads_in_place = true;
};

/// Of the Lua function at the top of the stack and of all functions in it.
CodeFacts facts_of_function(lua_State* L);

}  // namespace picklock::lua
