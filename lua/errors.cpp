// Errors as Redis 7.0 builds and shows them.
#include <cstring>
#include <string>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

/// Arguments: what was raised. Results: its err, source and line, as strings or nil, and whether it
/// has been counted. Runs
/// protected, since a table may compute its fields.
int read_error_fields(lua_State* L) {
  for (const char* name : {"err", "source", "line"}) {
    lua_getfield(L, 1, name);
    if (lua_isstring(L, -1) != 0)
      lua_tostring(L, -1);
    else
      lua_pushnil(L), lua_replace(L, -2);
  }
  lua_getfield(L, 1, "ignore_error_stats_update");
  return 4;
}

/// Redis handles these texts as C strings.
std::string c_text(lua_State* L, int index) {
  const char* text = lua_tostring(L, index);
  return text == nullptr ? std::string{} : std::string{text};
}

void write_error_line(std::string text, bool counted, ReplyWriter& out) {
  text = one_line(std::move(text));
  counted ? out.repeat_error(text) : out.error(text);
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.pop_back();
  for (char& c : text)
    if (c == '\r' || c == '\n') c = ' ';
  return text;
}

void push_error(lua_State* L, const char* text) {
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "err");
  if (*text != '-') {
    lua_pushfstring(L, "ERR %s", text);
  } else if (std::strchr(text, ' ') == nullptr) {
    lua_pushfstring(L, "ERR %s", text + 1);
  } else {
    std::size_t size = std::strlen(text + 1);
    while (size > 0 && (text[size] == '\r' || text[size] == '\n')) --size;
    lua_pushlstring(L, text + 1, size);
  }
  lua_rawset(L, -3);
}

int error_handler(lua_State* L) {
  lua_settop(L, 1);
  lua_Debug where;
  bool found = lua_getstack(L, 1, &where) != 0;
  if (found) {
    lua_getinfo(L, "nSl", &where);
    if (std::strcmp(where.what, "C") == 0) {
      found = lua_getstack(L, 2, &where) != 0;
      if (found) lua_getinfo(L, "nSl", &where);
    }
  }
  if (push_real(L, 1)) {
    // Redis's handler is a Lua chunk, whose own failure to mark a read-only table shows its tenth
    // line.
    lua_settop(L, 0);
    push_error(L, "err_handler_def:10: Attempt to modify a readonly table");
    lua_pushliteral(L, "@err_handler_def");
    lua_setfield(L, 1, "source");
    lua_pushinteger(L, 10);
    lua_setfield(L, 1, "line");
    return 1;
  }
  if (!lua_istable(L, 1)) {
    lua_createtable(L, 0, 3);
    lua_pushliteral(L, "ERR ");
    lua_pushcfunction(L, text_of);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_concat(L, 2);
    lua_setfield(L, -2, "err");
    lua_replace(L, 1);
  }
  if (found) {
    lua_pushstring(L, where.source);
    lua_setfield(L, 1, "source");
    lua_pushinteger(L, where.currentline);
    lua_setfield(L, 1, "line");
  }
  return 1;
}

void write_raised(State& state, std::string_view sha1, ReplyWriter& out) {
  lua_State* L = state.main;
  if (!lua_istable(L, -1)) {
    std::string text = lua_isstring(L, -1) != 0 ? c_text(L, -1) : "execution failure";
    out.error("ERR Error running script " + std::string{sha1} + ", " + text.substr(0, 100));
    lua_pop(L, 1);
    return;
  }
  lua_pushcfunction(L, read_error_fields);
  lua_insert(L, -2);
  if (lua_pcall(L, 1, 4, 0) != 0 || lua_isnil(L, -4)) {
    // Redis 7.0.15 dies of a table without a string err.
    out.error("ERR the script raised a table without an error text script: " + std::string{sha1} +
              ".");
    lua_settop(L, kSlotLast);
    return;
  }
  std::string text = c_text(L, -4);
  if (state.watched) state.host->raised(text, static_cast<int>(lua_tointeger(L, -2)));
  if (!lua_isnil(L, -3) && !lua_isnil(L, -2))
    text += " script: " + std::string{sha1} + ", on " + c_text(L, -3) + ":" + c_text(L, -2) + ".";
  const bool counted = lua_toboolean(L, -1) != 0;
  lua_settop(L, kSlotLast);
  write_error_line(std::move(text), counted, out);
}

}  // namespace picklock::lua
