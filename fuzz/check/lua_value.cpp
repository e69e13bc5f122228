#include "fuzz/check/lua_value.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "lua/lua_api.hpp"

namespace picklock::race {
namespace {

constexpr int kMostInstructions = 10'000'000;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kDeepest = 6;
constexpr std::size_t kMostEntries = 1000;

/// Lua's memory, up to kMostBytes.
void* allocate(void* context, void* block, std::size_t old_size, std::size_t new_size) {
  auto& used = *static_cast<std::size_t*>(context);
  if (block == nullptr) old_size = 0;
  if (new_size == 0) {
    std::free(block);
    used -= old_size;
    return nullptr;
  }
  if (new_size > old_size && used - old_size + new_size > kMostBytes) return nullptr;
  void* moved = std::realloc(block, new_size);
  if (moved != nullptr) used += new_size - old_size;
  return moved;
}

void out_of_time(lua_State* lua, lua_Debug*) { luaL_error(lua, "this file does not end"); }

/// What a check file may use. No pcall, which could catch the end of its time, and no patterns,
/// whose matching counts no instructions.
int open_sandbox(lua_State* lua) {
  static constexpr const char* kGlobals[] = {"assert",   "error",  "ipairs", "next",
                                             "pairs",    "select", "table",  "tonumber",
                                             "tostring", "type",   "unpack", "string"};
  static constexpr const char* kTexts[] = {"byte",  "char", "format", "len",
                                           "lower", "rep",  "sub",    "upper"};
  lua_CFunction const libraries[] = {luaopen_base, luaopen_table, luaopen_string};
  for (lua_CFunction library : libraries) {
    lua_pushcfunction(lua, library);
    lua_call(lua, 0, 0);
  }
  lua_newtable(lua);
  for (const char* name : kGlobals) {
    lua_getglobal(lua, name);
    lua_setfield(lua, -2, name);
  }
  lua_newtable(lua);
  lua_getglobal(lua, "string");
  for (const char* name : kTexts) {
    lua_getfield(lua, -1, name);
    lua_setfield(lua, -3, name);
  }
  lua_pop(lua, 1);
  lua_setfield(lua, -2, "string");
  // Methods of strings, ("x"):rep(3), come from the same table.
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, -3, "string");
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 2);
  lua_replace(lua, LUA_GLOBALSINDEX);
  return 0;
}

/// The value at the top of the stack. Calls nothing that can raise: texts are only asked of texts.
/// Takes its bytes off `room`: a table that stands in itself is many. Of what does not fit nothing
/// is taken, and `room` is 0.
LuaValue take_value(lua_State* lua, int depth, std::size_t& room) {
  LuaValue value;
  const std::size_t taken =
      sizeof(LuaValue) + (lua_type(lua, -1) == LUA_TSTRING ? lua_objlen(lua, -1) : 0);
  room = taken < room ? room - taken : 0;
  if (room == 0) return value;
  switch (lua_type(lua, -1)) {
    case LUA_TNIL:
      break;
    case LUA_TBOOLEAN:
      value.type = LuaValue::Type::boolean;
      value.boolean = lua_toboolean(lua, -1) != 0;
      break;
    case LUA_TNUMBER:
      value.type = LuaValue::Type::number;
      value.number = lua_tonumber(lua, -1);
      break;
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* bytes = lua_tolstring(lua, -1, &size);
      value.type = LuaValue::Type::text;
      value.text.assign(bytes, size);
      break;
    }
    case LUA_TTABLE: {
      value.type = depth < kDeepest ? LuaValue::Type::table : LuaValue::Type::other;
      if (depth == kDeepest) break;
      const std::size_t size = std::min(lua_objlen(lua, -1), kMostEntries);
      for (std::size_t i = 1; i <= size; ++i) {
        lua_rawgeti(lua, -1, static_cast<int>(i));
        value.list.push_back(take_value(lua, depth + 1, room));
        lua_pop(lua, 1);
      }
      lua_pushnil(lua);
      while (lua_next(lua, -2) != 0) {
        const bool is_named = lua_type(lua, -2) == LUA_TSTRING;
        const std::size_t length = is_named ? lua_objlen(lua, -2) : 0;
        if (is_named && length < room && value.fields.size() < kMostEntries) {
          room -= length;
          std::string name = lua_tostring(lua, -2);
          value.fields.emplace_back(std::move(name), take_value(lua, depth + 1, room));
        } else if (is_named && length >= room) {
          room = 0;
        }
        lua_pop(lua, 1);
      }
      break;
    }
    default:
      value.type = LuaValue::Type::other;
  }
  std::sort(value.fields.begin(), value.fields.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return value;
}

std::string error_text(lua_State* lua) {
  std::size_t size = 0;
  const char* bytes = lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &size) : nullptr;
  return bytes != nullptr ? one_line({bytes, size}) : "an error that is no text";
}

}  // namespace

const LuaValue& LuaValue::operator[](std::string_view name) const {
  static const LuaValue kNil;
  for (const auto& [field, value] : fields) {
    if (field == name) return value;
  }
  return kNil;
}

bool read_lua_table(std::string_view source, const std::string& name, LuaValue& value,
                    std::string& error) {
  std::size_t used = 0;
  const std::unique_ptr<lua_State, void (*)(lua_State*)> owner{lua_newstate(allocate, &used),
                                                               lua_close};
  lua_State* lua = owner.get();
  if (lua == nullptr || lua_cpcall(lua, open_sandbox, nullptr) != 0) {
    error = name + ": there is no memory to read it";
    return false;
  }
  if (source.starts_with('\x1b')) {
    error = name + ": this is compiled Lua: give the source";
    return false;
  }
  lua_sethook(lua, out_of_time, LUA_MASKCOUNT, kMostInstructions);
  const std::string chunk = "@" + name;
  if (luaL_loadbuffer(lua, source.data(), source.size(), chunk.c_str()) != 0 ||
      lua_pcall(lua, 0, 1, 0) != 0) {
    error = error_text(lua);
    if (!error.starts_with(name)) error = name + ": " + error;
    return false;
  }
  if (!lua_istable(lua, -1)) {
    error = name + ": it returns no table: begin with `return {`";
    return false;
  }
  std::size_t room = kMostBytes;
  value = take_value(lua, 0, room);
  if (room == 0) error = name + ": its table is too large, or stands in itself";
  return room > 0;
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      line += c;
    } else {
      line += "\\x";
      line += kHex[byte >> 4];
      line += kHex[byte & 15];
    }
  }
  return line;
}

}  // namespace picklock::race
