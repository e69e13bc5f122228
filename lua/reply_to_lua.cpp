#include "lua/reply_to_lua.hpp"

#include <algorithm>
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "lua/lua_api.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

/// Redis keeps line breaks out of the lines it sends.
void push_line(lua_State* L, State& state, std::string_view text) {
  const auto breaks = [](char c) { return c == '\r' || c == '\n'; };
  if (std::none_of(text.begin(), text.end(), breaks)) return push_text(L, state, text);
  std::string line{text};
  std::replace_if(line.begin(), line.end(), breaks, ' ');
  push_string(L, line);
}

void set_raw_field(lua_State* L, const char* name) {
  lua_pushstring(L, name);
  lua_insert(L, -2);
  lua_rawset(L, -3);
}

bool is_usable_key(lua_State* L, int index) {
  if (lua_isnil(L, index)) return false;
  return lua_type(L, index) != LUA_TNUMBER || !std::isnan(lua_tonumber(L, index));
}

}  // namespace

void LuaReplyWriter::begin(lua_State* L, State& state) {
  L_ = L;
  state_ = &state;
  version_ = state.resp_version;
  base_ = lua_gettop(L);
  complete_ = too_deep_ = is_error_ = false;
  open_.clear();
}

bool LuaReplyWriter::end() {
  if (complete_ && !too_deep_) return is_error_;
  lua_settop(L_, base_);
  push_error(L_, too_deep_ ? "reached lua stack limit" : "the command wrote no complete reply");
  return true;
}

bool LuaReplyWriter::ready() { return !complete_ && !too_deep_; }

void LuaReplyWriter::integer(std::int64_t value) {
  if (!ready()) return;
  lua_pushnumber(L_, static_cast<lua_Number>(value));
  done();
}

void LuaReplyWriter::bulk(std::string_view bytes) {
  if (!ready()) return;
  if (open_.empty())
    push_text(L_, *state_, bytes);
  else
    push_string(L_, bytes);
  done();
}

void LuaReplyWriter::status(std::string_view text) {
  if (!ready()) return;
  lua_createtable(L_, 0, 1);
  push_text(L_, *state_, "ok");
  push_line(L_, *state_, text);
  lua_rawset(L_, -3);
  done();
}

void LuaReplyWriter::write_error(std::string_view text) {
  if (!ready()) return;
  is_error_ = open_.empty();
  lua_newtable(L_);
  push_line(L_, *state_, text);
  set_raw_field(L_, "err");
  // Redis marks errors that its statistics have counted already, and scripts can see the mark.
  lua_pushboolean(L_, 1);
  set_raw_field(L_, "ignore_error_stats_update");
  done();
}

void LuaReplyWriter::null() {
  if (!ready()) return;
  if (version_ == 2)
    lua_pushboolean(L_, 0);
  else
    lua_pushnil(L_);
  done();
}

void LuaReplyWriter::null_array() { null(); }
void LuaReplyWriter::array(std::size_t size) { open(Kind::array, size, nullptr); }
void LuaReplyWriter::push(std::size_t size) { open(Kind::array, size, nullptr); }

void LuaReplyWriter::map(std::size_t size) {
  if (version_ == 2)
    open(Kind::array, size * 2, nullptr);
  else
    open(Kind::map_key, size, "map");
}

void LuaReplyWriter::set(std::size_t size) {
  if (version_ == 2)
    open(Kind::array, size, nullptr);
  else
    open(Kind::set, size, "set");
}

void LuaReplyWriter::boolean(bool value) {
  if (!ready()) return;
  if (version_ == 2)
    lua_pushnumber(L_, value ? 1 : 0);
  else
    lua_pushboolean(L_, value ? 1 : 0);
  done();
}

void LuaReplyWriter::real(double value) {
  if (!ready()) return;
  if (version_ == 2) {
    char buffer[kDoubleChars];
    push_string(L_, format_double(value, buffer));
  } else {
    lua_newtable(L_);
    lua_pushnumber(L_, value);
    set_raw_field(L_, "double");
  }
  done();
}

void LuaReplyWriter::big_number(std::string_view digits) {
  if (!ready()) return;
  if (version_ == 2)
    push_string(L_, digits);
  else
    push_field("big_number", digits);
  done();
}

void LuaReplyWriter::verbatim(std::string_view format, std::string_view text) {
  if (!ready()) return;
  if (version_ == 2) {
    push_string(L_, text);
  } else {
    lua_newtable(L_);
    push_field("string", text);
    push_string(L_, format);
    set_raw_field(L_, "format");
    set_raw_field(L_, "verbatim_string");
  }
  done();
}

void LuaReplyWriter::push_field(const char* name, std::string_view text) {
  lua_newtable(L_);
  push_string(L_, text);
  set_raw_field(L_, name);
}

void LuaReplyWriter::open(Kind kind, std::size_t size, const char* wrapper) {
  if (!ready()) return;
  // Room for this container and whatever the next element needs.
  if (lua_checkstack(L_, LUA_MINSTACK) == 0) {
    too_deep_ = true;
    return;
  }
  if (wrapper != nullptr) {
    lua_newtable(L_);
    lua_pushstring(L_, wrapper);
  }
  // Without a size, as Redis does: how a table has grown shows in the order of its keys, and in `#`
  // when an element of an array becomes nil.
  lua_newtable(L_);
  open_.push_back({kind, size, 0});
  if (size != 0) return;
  if (wrapper != nullptr) lua_rawset(L_, -3);
  open_.pop_back();
  done();
}

void LuaReplyWriter::store(Open& container) {
  switch (container.kind) {
    case Kind::array:
      lua_rawseti(L_, -2, ++container.index);
      --container.left;
      break;
    case Kind::map_key:
      container.kind = Kind::map_value;
      break;
    case Kind::map_value:
      container.kind = Kind::map_key;
      if (is_usable_key(L_, -2))
        lua_rawset(L_, -3);
      else
        lua_pop(L_, 2);
      --container.left;
      break;
    case Kind::set:
      if (is_usable_key(L_, -1)) {
        lua_pushboolean(L_, 1);
        lua_rawset(L_, -3);
      } else {
        lua_pop(L_, 1);
      }
      --container.left;
      break;
  }
}

// A value is complete at the top of the stack: put it where it belongs, which may complete its
// container.
void LuaReplyWriter::done() {
  while (!open_.empty()) {
    Open& container = open_.back();
    store(container);
    if (container.left != 0) return;
    if (container.kind != Kind::array) lua_rawset(L_, -3);  // The wrapper: {map=...} or {set=...}.
    open_.pop_back();
  }
  complete_ = true;
}

}  // namespace picklock::lua
