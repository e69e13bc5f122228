#include "tests/bench/bare_lua.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

namespace picklock::bench {

namespace {

/// GET gives the owner, SET takes the lock if nobody has it, DEL says what a server would: enough
/// for the lock scripts to take their way.
int redis_call(lua_State* lua) {
  const auto* owner = static_cast<const std::string*>(lua_touserdata(lua, lua_upvalueindex(1)));
  const char* command = lua_tostring(lua, 1);
  if (std::strcmp(command, "get") == 0 || std::strcmp(command, "GET") == 0) {
    if (owner->empty())
      lua_pushboolean(lua, 0);
    else
      lua_pushlstring(lua, owner->data(), owner->size());
  } else if (std::strcmp(command, "del") == 0 || std::strcmp(command, "DEL") == 0) {
    lua_pushinteger(lua, 1);
  } else if (owner->empty()) {
    lua_newtable(lua);
    lua_pushliteral(lua, "OK");
    lua_setfield(lua, -2, "ok");
  } else {
    lua_pushboolean(lua, 0);
  }
  return 1;
}

}  // namespace

BareLua::BareLua(std::string_view script) : lua_(luaL_newstate()) {
  luaL_openlibs(lua_);
  lua_newtable(lua_);
  lua_pushlightuserdata(lua_, &owner_);
  lua_pushcclosure(lua_, redis_call, 1);
  lua_setfield(lua_, -2, "call");
  lua_setglobal(lua_, "redis");
  if (luaL_loadbuffer(lua_, script.data(), script.size(), "@user_script") != 0)
    throw std::runtime_error(lua_tostring(lua_, -1));
  script_ = luaL_ref(lua_, LUA_REGISTRYINDEX);
}

BareLua::~BareLua() { lua_close(lua_); }

void BareLua::run(std::string_view key, std::string_view first, std::string_view second) {
  lua_newtable(lua_);
  lua_pushlstring(lua_, key.data(), key.size());
  lua_rawseti(lua_, -2, 1);
  lua_setglobal(lua_, "KEYS");
  lua_newtable(lua_);
  lua_pushlstring(lua_, first.data(), first.size());
  lua_rawseti(lua_, -2, 1);
  lua_pushlstring(lua_, second.data(), second.size());
  lua_rawseti(lua_, -2, 2);
  lua_setglobal(lua_, "ARGV");
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, script_);
  if (lua_pcall(lua_, 0, 1, 0) != 0) throw std::runtime_error(lua_tostring(lua_, -1));
  lua_pop(lua_, 1);
}

}  // namespace picklock::bench
