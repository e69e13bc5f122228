// The functions of the string library that search, over our own matcher, and rep.
//
// Every function may raise, so none owns an object with a destructor.
#include <cctype>
#include <cstring>

#include "lua/pattern.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr const char* kSpecial = "^$*+?.([%-";

/// The first place in [from, end) where `text` stands; null if there is none.
const char* find_plain(std::string_view subject, std::size_t from, std::string_view text) {
  const auto at = subject.find(text, from);
  return at == std::string_view::npos ? nullptr : subject.data() + at;
}

/// Where to begin, counted from 0: the third argument, from the end if negative.
std::size_t start_of(lua_State* L, std::size_t size) {
  lua_Integer start = luaL_optinteger(L, 3, 1);
  if (start < 0) start += static_cast<lua_Integer>(size) + 1;
  if (start < 0) start = 0;
  --start;
  if (start < 0) return 0;
  return static_cast<std::size_t>(start) > size ? size : static_cast<std::size_t>(start);
}

int push_range(lua_State* L, const char* begin, const char* from, const char* to) {
  lua_pushinteger(L, from - begin + 1);
  lua_pushinteger(L, to - begin);
  return 2;
}

int search(lua_State* L, bool find) {
  std::size_t size = 0;
  std::size_t pattern_size = 0;
  const char* s = luaL_checklstring(L, 1, &size);
  const char* p = luaL_checklstring(L, 2, &pattern_size);
  const std::size_t start = start_of(L, size);
  if (find && (lua_toboolean(L, 4) != 0 || std::strpbrk(p, kSpecial) == nullptr)) {
    charge(L, size / 16);
    const char* at = find_plain({s, size}, start, {p, pattern_size});
    if (at != nullptr) return push_range(L, s, at, at + pattern_size);
    lua_pushnil(L);
    return 1;
  }
  Matcher matcher{L, s, size};
  const bool anchored = *p == '^';
  if (anchored) ++p;
  for (const char* from = s + start; from <= matcher.end(); ++from) {
    if (const char* to = matcher.match_at(from, p)) {
      if (!find) return matcher.push_captures(from, to);
      push_range(L, s, from, to);
      return matcher.push_captures(nullptr, nullptr) + 2;
    }
    if (anchored) break;
  }
  lua_pushnil(L);
  return 1;
}

int string_find(lua_State* L) { return search(L, true); }
int string_match(lua_State* L) { return search(L, false); }

/// Upvalues: subject, pattern, where to go on.
int next_match(lua_State* L) {
  std::size_t size = 0;
  const char* s = lua_tolstring(L, lua_upvalueindex(1), &size);
  const char* p = lua_tostring(L, lua_upvalueindex(2));
  Matcher matcher{L, s, size};
  for (const char* from = s + lua_tointeger(L, lua_upvalueindex(3)); from <= matcher.end();
       ++from) {
    const char* to = matcher.match_at(from, p);
    if (to == nullptr) continue;
    lua_pushinteger(L, (to - s) + (to == from ? 1 : 0));  // Goes on even after an empty match.
    lua_replace(L, lua_upvalueindex(3));
    return matcher.push_captures(from, to);
  }
  return 0;
}

int string_gmatch(lua_State* L) {
  luaL_checkstring(L, 1);
  luaL_checkstring(L, 2);
  lua_settop(L, 2);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_match, 3);
  return 1;
}

void add_replacement_text(lua_State* L, Matcher& matcher, luaL_Buffer* out, const char* from,
                          const char* to) {
  std::size_t size = 0;
  const char* text = lua_tolstring(L, 3, &size);
  charge(L, size / 16);
  for (std::size_t i = 0; i < size; ++i) {
    if (text[i] != '%') {
      luaL_addchar(out, text[i]);
      continue;
    }
    ++i;  // At the end of the text this is its NUL.
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      luaL_addchar(out, text[i]);
    } else if (text[i] == '0') {
      luaL_addlstring(out, from, static_cast<std::size_t>(to - from));
    } else {
      matcher.push_capture(text[i] - '1', from, to);
      luaL_addvalue(out);
    }
  }
}

/// What takes the place of the match [from, to): by text, table or function, the third argument.
void add_replacement(lua_State* L, Matcher& matcher, luaL_Buffer* out, const char* from,
                     const char* to) {
  switch (lua_type(L, 3)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
      return add_replacement_text(L, matcher, out, from, to);
    case LUA_TFUNCTION:
      lua_pushvalue(L, 3);
      lua_call(L, matcher.push_captures(from, to), 1);
      break;
    default:
      matcher.push_capture(0, from, to);
      lua_gettable(L, 3);
  }
  if (lua_toboolean(L, -1) == 0) {
    lua_pop(L, 1);
    lua_pushlstring(L, from, static_cast<std::size_t>(to - from));
  } else if (lua_isstring(L, -1) == 0) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  }
  luaL_addvalue(out);
}

int string_gsub(lua_State* L) {
  std::size_t size = 0;
  const char* from = luaL_checklstring(L, 1, &size);
  const char* p = luaL_checkstring(L, 2);
  const int type = lua_type(L, 3);
  const auto most = static_cast<int>(luaL_optinteger(L, 4, static_cast<int>(size + 1)));
  const bool anchored = *p == '^';
  if (anchored) ++p;
  luaL_argcheck(
      L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE,
      3, "string/function/table expected");
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  Matcher matcher{L, from, size};
  int count = 0;
  while (count < most) {
    const char* to = matcher.match_at(from, p);
    if (to != nullptr) {
      ++count;
      add_replacement(L, matcher, &out, from, to);
    }
    if (to != nullptr && to > from)
      from = to;
    else if (from < matcher.end())
      luaL_addchar(&out, *from++);
    else
      break;
    if (anchored) break;
  }
  luaL_addlstring(&out, from, static_cast<std::size_t>(matcher.end() - from));
  luaL_pushresult(&out);
  lua_pushinteger(L, count);
  return 2;
}

int string_rep(lua_State* L) {
  constexpr int kPiece = 4096;
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  auto left = static_cast<int>(luaL_checkinteger(L, 2));
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  if (size > 0) {
    while (left > 0) {
      const int now = left < kPiece ? left : kPiece;
      for (int i = 0; i < now; ++i) luaL_addlstring(&out, text, size);
      charge(L, static_cast<std::uint64_t>(now));
      left -= now;
    }
  }
  luaL_pushresult(&out);
  return 1;
}

constexpr luaL_Reg kFunctions[] = {{"find", string_find},     {"match", string_match},
                                   {"gmatch", string_gmatch}, {"gfind", string_gmatch},
                                   {"gsub", string_gsub},     {"rep", string_rep},
                                   {nullptr, nullptr}};

}  // namespace

void open_string_search(lua_State* L) { luaL_register(L, nullptr, kFunctions); }

}  // namespace picklock::lua
