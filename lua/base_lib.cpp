// The functions of Lua's own libraries that behave differently under Redis or under picklock.
//
// They see through read-only proxies, refuse bytecode, flatten errors as Redis's pcall does, and
// show neither addresses nor the state of the collector.
#include <cstdio>

#include "lua/long_brackets.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr char kNamesKey = 0;

int base_next(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  if (push_real(L, 1)) lua_replace(L, 1);
  if (next_in_order(L, 1) != 0) return 2;
  lua_pushnil(L);
  return 1;
}

int base_pairs(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

int base_rawget(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  if (push_real(L, 1)) lua_replace(L, 1);
  lua_rawget(L, 1);
  return 1;
}

int base_rawset(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  if (push_real(L, 1)) return raise_readonly(L);
  lua_rawset(L, 1);
  return 1;
}

int base_setmetatable(lua_State* L) {
  const int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argcheck(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
  if (push_real(L, 1)) return raise_readonly(L);
  if (luaL_getmetafield(L, 1, "__metatable") != 0)
    luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

int base_getmetatable(lua_State* L) {
  luaL_checkany(L, 1);
  if (lua_getmetatable(L, 1) == 0) {
    lua_pushnil(L);
    return 1;
  }
  if (push_visible_metatable(L)) return 1;
  luaL_getmetafield(L, 1, "__metatable");
  return 1;
}

int base_pcall(lua_State* L) {
  if (lua_gettop(L) == 0) {  // Redis's pcall calls its own first result then.
    lua_pushboolean(L, 0);
    lua_pushliteral(L, "attempt to call a boolean value");
    return 2;
  }
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  if (lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0) == 0) return lua_gettop(L);
  lua_remove(L, 1);
  // Scripts written for older servers expect a text, so Redis gives the one inside an error's
  // table.
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "err");
    if (lua_isstring(L, -1) != 0) lua_replace(L, -2);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/// Leaves two results as Lua's load does: a function, or nil and what is wrong.
int finish_load(lua_State* L, int status) {
  if (status == 0) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

// What the compiler costs, in instructions.
constexpr std::uint64_t kStepsPerByteOfCode = 3;

// Where load keeps what its reader has given it.
constexpr int kPieces = 3;

struct Pieces {
  int count = 0;
  bool ended = false;
  bool given = false;
};

/// Asks the function at index 1 for the next piece. A space comes first, which keeps bytecode from
/// being seen as such: it then fails in the parser, where Redis lets it fail.
const char* next_piece(lua_State* L, void* data, std::size_t* size) {
  auto& pieces = *static_cast<Pieces*>(data);
  luaL_checkstack(L, 2, "too many nested functions");
  if (pieces.count == 0) {
    lua_pushliteral(L, " ");
  } else {
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      pieces.ended = true;
      *size = 0;
      return nullptr;
    }
    if (lua_isstring(L, -1) == 0) luaL_error(L, "reader function must return a string");
  }
  const char* piece = lua_tolstring(L, -1, size);
  if (*size == 0) pieces.ended = true;  // To Lua an empty piece is the end.
  charge(L, *size * kStepsPerByteOfCode);
  lua_rawseti(L, kPieces, ++pieces.count);
  return piece;
}

/// Gives the pieces, and what the reader still has, as one text without brackets inside of
/// brackets. What the reader raises ends lua_load as it does the first time.
const char* next_text(lua_State* L, void* data, std::size_t* size) {
  auto& pieces = *static_cast<Pieces*>(data);
  if (pieces.given) return nullptr;
  pieces.given = true;
  while (!pieces.ended) next_piece(L, &pieces, size);
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (int i = 1; i <= pieces.count; ++i) {
    lua_rawgeti(L, kPieces, i);
    luaL_addvalue(&text);
  }
  luaL_pushresult(&text);
  if (push_without_nesting(L, string_at(L, -1))) lua_remove(L, -2);
  const char* whole = lua_tolstring(L, -1, size);
  lua_rawseti(L, kPieces, ++pieces.count);  // Keeps the text alive while it is read.
  return whole;
}

int base_load(lua_State* L) {
  const char* name = luaL_optstring(L, 2, "=(load)");
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_newtable(L);
  Pieces pieces;
  int status = lua_load(L, next_piece, &pieces, name);
  if (status == LUA_ERRSYNTAX && refuses_nesting(string_at(L, -1))) {
    lua_pop(L, 1);
    status = lua_load(L, next_text, &pieces, name);
  }
  return finish_load(L, status);
}

int base_loadstring(lua_State* L) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  const char* name = luaL_optstring(L, 2, text);
  charge(L, size * kStepsPerByteOfCode);
  return finish_load(L, load_text(L, {text, size}, name));
}

int base_tostring(lua_State* L) {
  luaL_checkany(L, 1);
  return text_of(L);
}

/// A fixed start and what this script has added: the past of the interpreter does not show.
std::size_t visible_memory(lua_State* L) {
  constexpr std::size_t kStart = 48 * 1024;
  const State& state = state_of(L);
  const std::size_t now = state.memory.used();
  return kStart + (now > state.memory_at_start ? now - state.memory_at_start : 0);
}

int base_gcinfo(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(visible_memory(L) / 1024));
  return 1;
}

int base_collectgarbage(lua_State* L) {
  static const char* const kOptions[] = {"stop", "restart",  "collect",    "count",
                                         "step", "setpause", "setstepmul", nullptr};
  const std::string_view option = kOptions[luaL_checkoption(L, 1, "collect", kOptions)];
  luaL_optinteger(L, 2, 0);
  if (option == "count") {
    lua_pushnumber(L, static_cast<lua_Number>(visible_memory(L)) / 1024);
    return 1;
  }
  if (option == "setpause" || option == "setstepmul") {
    lua_pushinteger(L, 200);  // Lua's defaults; the collector's pace is not a script's to change.
    return 1;
  }
  if (option == "collect" || option == "step") {
    lua_gc(L, LUA_GCCOLLECT, 0);
    state_of(L).collecting = true;
  }
  if (option == "step")
    lua_pushboolean(L, 0);
  else
    lua_pushinteger(L, 0);
  return 1;
}

// What a switch to another coroutine and back costs, in instructions.
constexpr std::uint64_t kSwitchCost = 20;

int counted_create(lua_State* L) {
  charge_coroutine(L);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

int counted_resume(lua_State* L) {
  charge(L, kSwitchCost);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/// Upvalues: the coroutine, where liblua's own function expects it, and that function.
int resume_wrapped(lua_State* L) {
  charge(L, kSwitchCost);
  return lua_tocfunction(L, lua_upvalueindex(2))(L);
}

int counted_wrap(lua_State* L) {
  charge_coroutine(L);
  lua_tocfunction(L, lua_upvalueindex(1))(L);
  lua_getupvalue(L, -1, 1);
  lua_insert(L, -2);
  lua_pushcclosure(L, resume_wrapped, 2);
  return 1;
}

/// Lua's own counts in an int, which a range of nearly 2^32 overflows.
int base_unpack(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const lua_Integer first = luaL_optinteger(L, 2, 1);
  const lua_Integer last =
      lua_isnoneornil(L, 3) ? static_cast<lua_Integer>(lua_objlen(L, 1)) : luaL_checkinteger(L, 3);
  const auto as_int = [](lua_Integer value) {
    return static_cast<int>(static_cast<unsigned>(value));
  };
  const std::int64_t count = std::int64_t{as_int(last)} - as_int(first) + 1;
  if (count <= 0) return 0;
  if (count > LUAI_MAXCSTACK || !lua_checkstack(L, static_cast<int>(count)))
    return luaL_error(L, "too many results to unpack");
  for (std::int64_t i = 0; i < count; ++i) lua_rawgeti(L, 1, static_cast<int>(as_int(first) + i));
  return static_cast<int>(count);
}

constexpr luaL_Reg kFunctions[] = {{"next", base_next},
                                   {"rawget", base_rawget},
                                   {"rawset", base_rawset},
                                   {"setmetatable", base_setmetatable},
                                   {"getmetatable", base_getmetatable},
                                   {"pcall", base_pcall},
                                   {"load", base_load},
                                   {"loadstring", base_loadstring},
                                   {"tostring", base_tostring},
                                   {"gcinfo", base_gcinfo},
                                   {"collectgarbage", base_collectgarbage}};

/// Pushes this run's number of the object at index 1: the first one shown is 1.
void push_number_of_object(lua_State* L) {
  State& state = state_of(L);
  lua_pushlightuserdata(L, const_cast<char*>(&kNamesKey));
  if (state.names_given == 0) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
    lua_replace(L, -2);
  } else {
    lua_rawget(L, LUA_REGISTRYINDEX);
  }
  lua_pushvalue(L, 1);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(++state.names_given));
  lua_pushvalue(L, -1);
  lua_insert(L, -4);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

}  // namespace

int text_of(lua_State* L) {
  if (luaL_callmeta(L, 1, "__tostring") != 0) return 1;
  switch (lua_type(L, 1)) {
    case LUA_TNUMBER:
      lua_pushstring(L, lua_tostring(L, 1));
      return 1;
    case LUA_TSTRING:
      lua_pushvalue(L, 1);
      return 1;
    case LUA_TBOOLEAN:
      lua_pushstring(L, lua_toboolean(L, 1) != 0 ? "true" : "false");
      return 1;
    case LUA_TNIL:
    case LUA_TNONE:
      lua_pushliteral(L, "nil");
      return 1;
    case LUA_TLIGHTUSERDATA:
      lua_pushliteral(L, "userdata: (nil)");  // cjson.null, the only one that scripts can have.
      return 1;
    default: {
      push_number_of_object(L);
      char digits[24];
      std::snprintf(digits, sizeof digits, "0x%012x", static_cast<unsigned>(lua_tointeger(L, -1)));
      lua_pushfstring(L, "%s: %s", luaL_typename(L, 1), digits);
      return 1;
    }
  }
}

int load_text(lua_State* L, std::string_view text, const char* name) {
  if (push_without_nesting(L, text)) {
    const std::string_view longer = string_at(L, -1);
    const int status = luaL_loadbuffer(L, longer.data(), longer.size(), name);
    lua_remove(L, -2);
    return status;
  }
  if (text.empty() || text.front() != LUA_SIGNATURE[0])
    return luaL_loadbuffer(L, text.data(), text.size(), name);
  // Redis has no loader of bytecode: it goes to the parser, which the space in front makes Lua do
  // too.
  lua_pushliteral(L, " ");
  push_string(L, text);
  lua_concat(L, 2);
  const std::string_view source = string_at(L, -1);
  const int status = luaL_loadbuffer(L, source.data(), source.size(), name);
  lua_remove(L, -2);
  return status;
}

void wrap_function(lua_State* L, const char* name, lua_CFunction code) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, code, 1);
  lua_setfield(L, -2, name);
}

void open_base_library(lua_State* L) {
  lua_pushvalue(L, LUA_GLOBALSINDEX);
  luaL_register(L, nullptr, kFunctions);
  lua_pushcfunction(L, base_next);  // Not the same function object as the global `next`.
  lua_pushcclosure(L, base_pairs, 1);
  lua_setfield(L, -2, "pairs");
  wrap_function(L, "unpack", base_unpack);
  lua_getfield(L, -1, "coroutine");
  wrap_function(L, "create", counted_create);
  wrap_function(L, "wrap", counted_wrap);
  wrap_function(L, "resume", counted_resume);
  lua_pop(L, 2);
}

}  // namespace picklock::lua
