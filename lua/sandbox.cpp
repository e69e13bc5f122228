// What a script can see, and that it can change none of it.
//
// Redis patches the core of Lua for read-only tables; stock Lua has none. So a script sees empty
// proxies:
// __index is the real table (a table and not a function, which keeps the VM on its quick path),
// __newindex raises, and the functions that go round metamethods see through. Measured (x86-64,
// best of nine): a global costs 20 ns instead of 10, redis.x two of these steps, 37 ns instead of
// 18. Scripts that by their code only read (CodeFacts) go by a copy of the globals without proxies.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lua/cmsgpack.hpp"
#include "lua/state.hpp"

extern "C" {
int luaopen_bit(lua_State* L);
}

namespace picklock::lua {

namespace {

// Addresses that scripts cannot forge, as keys inside metatables.
constexpr char kRealKey = 0;
constexpr char kVisibleKey = 0;

void* key_of(const char& key) { return const_cast<char*>(&key); }

int on_assignment(lua_State* L) { return luaL_error(L, "Attempt to modify a readonly table"); }

int on_unknown_global(lua_State* L) {
  if (lua_gettop(L) != 2)
    return luaL_error(L, "Wrong number of arguments to luaProtectedTableError");
  if (lua_isstring(L, 2) == 0)
    return luaL_error(L, "Second argument to luaProtectedTableError must be a string or number");
  return luaL_error(L, "Script attempted to access nonexistent global variable '%s'",
                    lua_tostring(L, 2));
}

/// Sets what getmetatable shows for the object whose metatable is below the top; pops the top.
void set_visible(lua_State* L) {
  lua_pushlightuserdata(L, key_of(kVisibleKey));
  lua_insert(L, -2);
  lua_rawset(L, -3);
}

struct Library {
  const char* name;
  lua_CFunction open;
};
constexpr Library kLibraries[] = {{"", luaopen_base},
                                  {LUA_TABLIBNAME, luaopen_table},
                                  {LUA_STRLIBNAME, luaopen_string},
                                  {LUA_MATHLIBNAME, luaopen_math},
                                  {"bit", luaopen_bit}};

// The globals in the order in which Redis adds them, which decides the order of pairs(_G). A '-'
// marks one that Redis refuses; its key takes up a place all the same. Redis needs `debug` itself
// and takes it away at the end.
constexpr const char* kGlobals[] = {
    "_G",        "assert",    "collectgarbage", "-dofile",
    "error",     "gcinfo",    "-getfenv",       "getmetatable",
    "-loadfile", "load",      "loadstring",     "next",
    "pcall",     "-print",    "rawequal",       "rawget",
    "rawset",    "select",    "-setfenv",       "setmetatable",
    "tonumber",  "tostring",  "type",           "unpack",
    "xpcall",    "_VERSION",  "ipairs",         "pairs",
    "-newproxy", "coroutine", "table",          "string",
    "math",      "debug",     "cjson",          "struct",
    "cmsgpack",  "bit",       "redis",          "__redis__err__handler"};

bool is_library(const char* name) {
  static constexpr std::string_view kNames[] = {"coroutine", "math",   "string",   "table", "bit",
                                                "cjson",     "struct", "cmsgpack", "redis"};
  for (const std::string_view library : kNames)
    if (library == name) return true;
  return false;
}

/// Word `index` as the bit library reads numbers: the lowest 32 bits of a sum.
std::uint32_t check_bits(lua_State* L, int index) {
  const double sum = lua_tonumber(L, index) + 6755399441055744.0;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  if (static_cast<std::uint32_t>(bits) == 0 && !lua_isnumber(L, index))
    luaL_typerror(L, index, "number");
  return static_cast<std::uint32_t>(bits);
}

/// bit.tohex(number, digits). The library's own negates the least number of digits, which stays
/// negative and sends it out of its buffer; Redis has that repaired.
int tohex(lua_State* L) {
  std::uint32_t bits = check_bits(L, 1);
  const std::int64_t digits = lua_isnone(L, 2) ? 8 : static_cast<std::int32_t>(check_bits(L, 2));
  const char* const letters = digits < 0 ? "0123456789ABCDEF" : "0123456789abcdef";
  const std::int64_t length = std::min<std::int64_t>(digits < 0 ? -digits : digits, 8);
  char text[8];
  for (std::int64_t at = length; at-- > 0; bits >>= 4) text[at] = letters[bits & 15];
  lua_pushlstring(L, text, static_cast<std::size_t>(length));
  return 1;
}

// A clock that counts instructions, at about the speed of a real one: the same in every run.
constexpr double kInstructionsPerSecond = 1e8;

int os_clock(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(state_of(L).executed) / kInstructionsPerSecond);
  return 1;
}

/// os, of which Redis 7.4 and Valkey offer the clock alone.
void open_os(lua_State* L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, os_clock);
  lua_setfield(L, -2, "clock");
  lua_setglobal(L, "os");
}

void guard_bit_library(lua_State* L) {
  lua_getglobal(L, "bit");
  lua_pushcfunction(L, tohex);
  lua_setfield(L, -2, "tohex");
  lua_pop(L, 1);
}

void open_libraries(lua_State* L) {
  for (const Library& library : kLibraries) {
    lua_pushcfunction(L, library.open);
    lua_pushstring(L, library.name);
    lua_call(L, 1, 0);
  }
  guard_bit_library(L);
  open_cjson(L);
  open_struct(L);
  lua_setglobal(L, "struct");
  open_cmsgpack(L);
  lua_setglobal(L, "cmsgpack");
  lua_getglobal(L, "string");
  open_string_search(L);
  lua_pop(L, 1);
  lua_getglobal(L, "math");
  open_random(L);
  lua_pop(L, 1);
  lua_getglobal(L, "table");
  guard_table_library(L);
  lua_pop(L, 1);
  open_base_library(L);
  if (state_of(L).options.profile->has(kNewer)) open_os(L);
  open_redis_library(L);
  lua_setglobal(L, "redis");
  lua_pushcfunction(L, error_handler);
  lua_setglobal(L, "__redis__err__handler");
  lua_settop(L, 0);
}

/// The metatable of strings keeps the real table for speed, and shows scripts one with the proxy.
void guard_string_metatable(lua_State* L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_newtable(L);
  lua_getfield(L, kSlotGlobals, "string");
  lua_setfield(L, -2, "__index");
  make_proxy(L);
  set_visible(L);
  lua_pop(L, 2);
}

/// What later servers have added. Valkey calls its table `server`, and `redis` too.
void add_newer_globals(lua_State* L) {
  const Profile& profile = *state_of(L).options.profile;
  if (profile.has(kNewer)) {
    lua_getglobal(L, "os");
    make_proxy(L);
    lua_setfield(L, kSlotGlobals, "os");
  }
  if (profile.is_valkey()) {
    lua_getfield(L, kSlotGlobals, "redis");
    lua_setfield(L, kSlotGlobals, "server");
  }
}

/// Makes the table of globals, and its proxy the environment of all scripts.
void install_globals(lua_State* L) {
  lua_pushcfunction(L, error_handler);
  lua_createtable(L, 0, 2);
  for (const char* name : kGlobals) {
    if (*name == '-') {
      lua_pushnil(L);
      lua_setfield(L, kSlotGlobals, name + 1);
      continue;
    }
    const bool is_handler = std::string_view{name} == "__redis__err__handler";
    if (is_handler && state_of(L).options.kind == Interpreter::Kind::functions) continue;
    lua_getglobal(L, name);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      lua_pushboolean(L, 1);
    }
    if (is_library(name)) make_proxy(L);
    lua_setfield(L, kSlotGlobals, name);
  }
  lua_pushnil(L);
  lua_setfield(L, kSlotGlobals, "debug");
  add_newer_globals(L);
  lua_pushvalue(L, kSlotGlobals);
  guard_unknown_names(L);
  lua_getmetatable(L, -1);
  lua_remove(L, -2);
  make_proxy(L);
  lua_pushvalue(L, kSlotGlobals);
  make_proxy(L);  // visible metatable, _G
  lua_getmetatable(L, -1);
  lua_pushvalue(L, -3);
  set_visible(L);
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, kSlotGlobals, "_G");
  lua_replace(L, LUA_GLOBALSINDEX);
  lua_settop(L, kSlotGlobals);
}

/// A copy of the globals, without the proxies that scripts need not see which only read through
/// them. What it lacks is unknown as it is in the original, and that never changes.
void push_globals_in_place(lua_State* L) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, kSlotGlobals) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  lua_getfield(L, kSlotGlobals, "redis");
  push_real(L, -1);
  lua_setfield(L, -3, "redis");
  lua_pop(L, 1);
  guard_unknown_names(L);
}

/// Fills kSlotInPlace, kSlotOwnKeys and kSlotOwnArgv.
void open_globals_in_place(lua_State* L) {
  push_globals_in_place(L);
  for (const Slot name : {kSlotKeys, kSlotArgv}) {
    lua_createtable(L, static_cast<int>(kOwnWords), 0);
    lua_pushvalue(L, name);
    lua_pushvalue(L, -2);
    lua_rawset(L, kSlotInPlace);
  }
}

}  // namespace

void make_proxy(lua_State* L) {
  lua_newtable(L);           // real, proxy
  lua_createtable(L, 0, 4);  // real, proxy, metatable
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, on_assignment);
  lua_setfield(L, -2, "__newindex");
  lua_pushlightuserdata(L, key_of(kRealKey));
  lua_pushvalue(L, -4);
  lua_rawset(L, -3);
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

void guard_unknown_names(lua_State* L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, on_unknown_global);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

bool push_real(lua_State* L, int index) {
  if (lua_getmetatable(L, index) == 0) return false;
  lua_pushlightuserdata(L, key_of(kRealKey));
  lua_rawget(L, -2);
  lua_remove(L, -2);
  if (lua_istable(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

int raise_readonly(lua_State* L) {
  lua_pushliteral(L, "Attempt to modify a readonly table");
  return lua_error(L);
}

bool push_visible_metatable(lua_State* L) {
  lua_pushlightuserdata(L, key_of(kVisibleKey));
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  lua_pushlightuserdata(L, key_of(kRealKey));
  lua_rawget(L, -2);
  const bool is_proxy = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (is_proxy) lua_pushnil(L);
  return is_proxy;
}

void open_sandbox(State& state) {
  lua_State* L = state.main;
  open_libraries(L);
  install_globals(L);
  guard_string_metatable(L);
  lua_pushliteral(L, "KEYS");
  lua_pushliteral(L, "ARGV");
  push_reply_conversion(L);
  if (state.options.kind == Interpreter::Kind::functions) {
    push_library_globals(L);
    lua_getmetatable(L, LUA_GLOBALSINDEX);
    lua_settop(L, kSlotLast);
    return keep_texts(state);
  }
  lua_pushnil(L);
  lua_pushnil(L);
  // The places that every run fills, so that the first one costs no more memory than the others.
  for (const Slot name : {kSlotKeys, kSlotArgv}) {
    lua_pushvalue(L, name);
    lua_newtable(L);
    lua_rawset(L, kSlotGlobals);
  }
  open_globals_in_place(L);
  keep_texts(state);
}

}  // namespace picklock::lua
