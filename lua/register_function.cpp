// redis.register_function, and the few globals that a library sees while it is loaded.
//
// What can raise is kept apart from what owns memory: a longjmp runs no destructor.
#include <algorithm>
#include <cctype>
#include <string>

#include "emulator/base/text.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr const char* kBadName =
    "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
    "character long";

/// A call's arguments. Texts belong to the Lua stack.
struct Arguments {
  std::string_view name;
  std::string_view description;
  bool has_name = false;
  bool has_description = false;
  std::uint32_t flags = 0;
  int callback = 0;  // Its place on the stack.
};

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

/// Reads the list of flags at the top; false for one that is not known.
bool read_flags(lua_State* L, std::uint32_t& flags) {
  for (int i = 1;; ++i) {
    lua_rawgeti(L, -1, i);
    if (lua_isnil(L, -1)) break;
    if (lua_isstring(L, -1) == 0) return false;
    const std::string_view flag = string_at(L, -1);
    const auto known = std::ranges::find_if(
        kScriptFlagNames, [flag](std::string_view name) { return is_word(flag, name); });
    if (known == std::end(kScriptFlagNames)) return false;
    flags |= 1U << (known - std::begin(kScriptFlagNames));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return true;
}

/// Reads the value at the top, named by the key below it; an error's text if it does not fit.
const char* read_named(lua_State* L, Arguments& arguments, int& kept) {
  if (lua_isstring(L, -2) == 0)
    return "named argument key given to redis.register_function is not a string";
  // The traversal does not bear a key that is turned into a string in place.
  const std::string_view key = lua_type(L, -2) == LUA_TSTRING ? string_at(L, -2) : "";
  const auto keep = [&] {
    lua_pushvalue(L, -1);
    lua_replace(L, kept);
    return kept++;
  };
  if (is_word(key, "function_name")) {
    if (lua_isstring(L, -1) == 0)
      return "function_name argument given to redis.register_function must be a string";
    arguments.name = string_at(L, keep());
    arguments.has_name = true;
  } else if (is_word(key, "description")) {
    if (lua_isstring(L, -1) == 0)
      return "description argument given to redis.register_function must be a string";
    arguments.description = string_at(L, keep());
    arguments.has_description = true;
  } else if (is_word(key, "callback")) {
    if (!lua_isfunction(L, -1))
      return "callback argument given to redis.register_function must be a function";
    arguments.callback = keep();
  } else if (is_word(key, "flags")) {
    if (!lua_istable(L, -1))
      return "flags argument to redis.register_function must be a table representing function "
             "flags";
    if (!read_flags(L, arguments.flags)) return "unknown flag given";
  } else {
    return "unknown argument given to redis.register_function";
  }
  return nullptr;
}

const char* read_table(lua_State* L, Arguments& arguments) {
  if (!lua_istable(L, 1))
    return "calling redis.register_function with a single argument is only applicable to Lua table "
           "(representing named arguments).";
  int kept = 2;
  lua_settop(L, 4);  // Room for a name, a description and a callback.
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1))
    if (const char* wrong = read_named(L, arguments, kept)) return wrong;
  if (!arguments.has_name) return "redis.register_function must get a function name argument";
  if (arguments.callback == 0) return "redis.register_function must get a callback argument";
  return nullptr;
}

const char* read_pair(lua_State* L, Arguments& arguments) {
  if (lua_isstring(L, 1) == 0) return "first argument to redis.register_function must be a string";
  if (!lua_isfunction(L, 2)) return "second argument to redis.register_function must be a function";
  arguments.name = string_at(L, 1);
  arguments.callback = 2;
  return nullptr;
}

bool has(const std::vector<RegisteredFunction>& library, std::string_view name) {
  return std::ranges::any_of(library, [name](const auto& other) { return other.name == name; });
}

void add(std::vector<RegisteredFunction>& library, const Arguments& arguments, int handle) {
  RegisteredFunction function;
  function.name = arguments.name;
  if (arguments.has_description) function.description = arguments.description;
  function.flags = arguments.flags;
  function.handle = handle;
  library.push_back(std::move(function));
}

int register_function(lua_State* L) {
  State& state = state_of(L);
  if (state.library == nullptr)
    return fail(L, "redis.register_function can only be called on FUNCTION LOAD command");
  const int count = lua_gettop(L);
  if (count < 1 || count > 2)
    return fail(L, "wrong number of arguments to redis.register_function");
  Arguments arguments;
  const char* wrong = count == 1 ? read_table(L, arguments) : read_pair(L, arguments);
  if (wrong != nullptr) return fail(L, wrong);
  if (!is_name(arguments.name)) return fail(L, kBadName);
  if (has(*state.library, arguments.name)) return fail(L, "Function already exists in the library");
  lua_pushvalue(L, arguments.callback);
  const int handle = luaL_ref(L, LUA_REGISTRYINDEX);
  add(*state.library, arguments, handle);
  return 0;
}

}  // namespace

void push_library_globals(lua_State* L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, register_function);
  lua_setfield(L, -2, "register_function");
  add_log_and_version(L);
  guard_unknown_names(L);
  make_proxy(L);
  if (state_of(L).options.profile->is_valkey()) {
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "server");
  }
  lua_setfield(L, -2, "redis");
  guard_unknown_names(L);
}

}  // namespace picklock::lua
