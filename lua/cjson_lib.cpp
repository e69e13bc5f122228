// lua-cjson, with its settings kept outside and its work counted.
//
// The library builds a text in memory of its own, of which Lua's limit does not know, and walks a
// small table that holds the same table twice, and so on inwards, for ever. So a walk over the
// value comes first, which counts what the library will do.
#include <algorithm>
#include <cstdint>

#include "lua/state.hpp"

extern "C" {
int luaopen_cjson(lua_State* L);
}

namespace picklock::lua {

namespace {

// The library makes room for six letters for each byte of a string, before it writes any.
constexpr std::size_t kLettersPerByte = 6;
constexpr std::size_t kLettersPerValue = 8;
constexpr std::uint64_t kStepsPerValue = 4;
constexpr std::size_t kBytesPerStep = 64;
// A text buffer beyond this does not stay behind a call.
constexpr std::size_t kKeptBytes = 1 << 20;

constexpr char kModuleKey = 0;

/// What encode will take, summed up over a value.
class Walk {
 public:
  Walk(lua_State* L, int max_depth) : L_(L), max_depth_(max_depth) {}

  /// The value at the top, which stays.
  void value(int depth) {
    ++values_;
    charge(L_, kStepsPerValue);
    if (lua_type(L_, -1) == LUA_TSTRING) {
      const std::size_t size = lua_objlen(L_, -1);
      bytes_ += size;
      charge(L_, size / kBytesPerStep);
    } else if (lua_istable(L_, -1)) {
      if (depth > 0 && push_real(L_, -1)) refuse_library();
      table(depth + 1);
    }
    refuse_too_much();
  }
  std::size_t letters() const { return bytes_ * kLettersPerByte + values_ * kLettersPerValue; }

 private:
  void table(int depth) {
    // Here the library says that the value is too deep.
    if (depth > max_depth_ || lua_checkstack(L_, 4) == 0) return;
    for (lua_pushnil(L_); lua_next(L_, -2) != 0; lua_pop(L_, 1)) {
      if (lua_type(L_, -2) == LUA_TSTRING) bytes_ += lua_objlen(L_, -2);
      value(depth);
    }
  }

  /// The library would see the empty table that scripts have in place of the real one, in which it
  /// would come upon a function.
  void refuse_library() { luaL_error(L_, "Cannot serialise function: type not supported"); }

  void refuse_too_much() {
    const State& state = state_of(L_);
    const std::size_t limit = state.options.heap_limit_bytes;
    if (limit != 0 && state.memory.used() + letters() > limit) {
      lua_pushliteral(L_, "not enough memory");
      lua_error(L_);
    }
  }

  lua_State* L_;
  int max_depth_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

/// What a guarded function holds: the library's settings, where the library expects them, its own
/// function, and those that say how deep a value may be and that its buffer is kept.
enum Held : int { kSettings = 1, kOwn, kMaxDepth, kKeepBuffer };

int call_own(lua_State* L) { return lua_tocfunction(L, lua_upvalueindex(kOwn))(L); }

int max_depth(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(kMaxDepth));
  lua_call(L, 0, 1);
  const auto depth = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return depth;
}

/// Frees what the library keeps of a large text.
void drop_buffer(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(kKeepBuffer));
  lua_call(L, 0, 1);
  const bool keeps = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  if (!keeps) return;
  for (const int on : {0, 1}) {
    lua_pushvalue(L, lua_upvalueindex(kKeepBuffer));
    lua_pushboolean(L, on);
    lua_call(L, 1, 0);
  }
}

int counted_encode(lua_State* L) {
  std::size_t letters = 0;
  if (lua_gettop(L) == 1) {
    if (lua_istable(L, 1) && push_real(L, 1)) lua_replace(L, 1);
    Walk walk{L, max_depth(L)};
    walk.value(0);
    letters = walk.letters();
  }
  const int results = call_own(L);
  if (letters > kKeptBytes) drop_buffer(L);
  return results;
}

int counted_decode(lua_State* L) {
  charge(L, lua_isstring(L, 1) != 0 ? lua_objlen(L, 1) / 8 : 0);
  return call_own(L);
}

/// Replaces the function `name` of the table at the top.
void wrap_field(lua_State* L, const char* name, lua_CFunction code) {
  const int module = lua_gettop(L);
  lua_getfield(L, module, name);
  lua_getupvalue(L, -1, 1);
  lua_insert(L, -2);
  lua_getfield(L, module, "encode_max_depth");
  lua_getfield(L, module, "encode_keep_buffer");
  lua_pushcclosure(L, code, 4);
  lua_setfield(L, module, name);
}

int guarded_new(lua_State* L);

void guard(lua_State* L) {
  wrap_field(L, "encode", counted_encode);
  wrap_field(L, "decode", counted_decode);
  wrap_field(L, "new", guarded_new);
}

int guarded_new(lua_State* L) {
  call_own(L);
  guard(L);
  return 1;
}

/// Calls the function called `name` of the cjson table at `module` with the `arguments` at the top,
/// and leaves `results`.
void call_setting(lua_State* L, int module, const char* name, int arguments, int results) {
  lua_getfield(L, module, name);
  lua_insert(L, -arguments - 1);
  lua_call(L, arguments, results);
}

void push_module(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&kModuleKey));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

int get_int(lua_State* L, int module, const char* name) {
  call_setting(L, module, name, 0, 1);
  const int value = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return value;
}

void set_int(lua_State* L, int module, const char* name, int value) {
  lua_pushinteger(L, value);
  call_setting(L, module, name, 1, 0);
}

void set_bool(lua_State* L, int module, const char* name, bool value) {
  lua_pushboolean(L, value ? 1 : 0);
  call_setting(L, module, name, 1, 0);
}

}  // namespace

void open_cjson(lua_State* L) {
  lua_pushcfunction(L, luaopen_cjson);
  lua_call(L, 0, 1);
  guard(L);
  lua_pushlightuserdata(L, const_cast<char*>(&kModuleKey));
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_setglobal(L, "cjson");
}

CjsonSettings read_cjson_settings(lua_State* L) {
  CjsonSettings settings;
  push_module(L);
  const int module = lua_gettop(L);
  call_setting(L, module, "encode_sparse_array", 0, 3);
  settings.sparse_convert = lua_toboolean(L, -3) != 0;
  settings.sparse_ratio = static_cast<int>(lua_tointeger(L, -2));
  settings.sparse_safe = static_cast<int>(lua_tointeger(L, -1));
  settings.encode_max_depth = get_int(L, module, "encode_max_depth");
  settings.decode_max_depth = get_int(L, module, "decode_max_depth");
  settings.number_precision = get_int(L, module, "encode_number_precision");
  call_setting(L, module, "encode_keep_buffer", 0, 1);
  call_setting(L, module, "encode_invalid_numbers", 0, 1);
  call_setting(L, module, "decode_invalid_numbers", 0, 1);
  settings.keep_buffer = lua_toboolean(L, -3) != 0;
  settings.encode_invalid = lua_type(L, -2) == LUA_TSTRING ? CjsonSettings::Invalid::null
                            : lua_toboolean(L, -2) != 0    ? CjsonSettings::Invalid::allowed
                                                           : CjsonSettings::Invalid::refused;
  settings.decode_invalid = lua_toboolean(L, -1) != 0;
  lua_settop(L, module - 1);
  return settings;
}

void write_cjson_settings(lua_State* L, const CjsonSettings& settings) {
  push_module(L);
  const int module = lua_gettop(L);
  lua_pushboolean(L, settings.sparse_convert ? 1 : 0);
  lua_pushinteger(L, settings.sparse_ratio);
  lua_pushinteger(L, settings.sparse_safe);
  call_setting(L, module, "encode_sparse_array", 3, 0);
  set_int(L, module, "encode_max_depth", settings.encode_max_depth);
  set_int(L, module, "decode_max_depth", settings.decode_max_depth);
  set_int(L, module, "encode_number_precision", settings.number_precision);
  set_bool(L, module, "encode_keep_buffer", settings.keep_buffer);
  set_bool(L, module, "decode_invalid_numbers", settings.decode_invalid);
  if (settings.encode_invalid == CjsonSettings::Invalid::null)
    lua_pushliteral(L, "null");
  else
    lua_pushboolean(L, settings.encode_invalid == CjsonSettings::Invalid::allowed ? 1 : 0);
  call_setting(L, module, "encode_invalid_numbers", 1, 0);
  lua_settop(L, module - 1);
}

}  // namespace picklock::lua
