// Texts that Lua has as strings already: it is quicker to compare them than to make strings, for
// which Lua goes through their letters one after the other.
#include "emulator/base/short_text.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

void fill_words(lua_State* L, Slot table, Args words, OwnWords& filled) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i < filled.size && is_same(filled.words[i], words[i])) continue;
    push_string(L, words[i]);
    filled.words[i] = string_at(L, -1);
    lua_rawseti(L, table, static_cast<int>(i) + 1);
  }
  for (; filled.size > words.size(); --filled.size) {
    lua_pushnil(L);
    lua_rawseti(L, table, static_cast<int>(filled.size));
  }
  filled.size = words.size();
}

void keep_texts(State& state) {
  lua_pushvalue(state.main, kSlotOwnArgv);
  state.argv_ref = luaL_ref(state.main, LUA_REGISTRYINDEX);
  lua_pushliteral(state.main, "");
  state.reply_ref = luaL_ref(state.main, LUA_REGISTRYINDEX);
}

void push_reply_text(lua_State* L, State& state, std::string_view text) {
  const OwnWords& argv = state.own_argv;
  for (std::size_t i = 0; i < argv.size; ++i) {
    if (!is_same(argv.words[i], text)) continue;
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.argv_ref);
    lua_rawgeti(L, -1, static_cast<int>(i) + 1);
    return lua_remove(L, -2);
  }
  if (text == state.reply) return lua_rawgeti(L, LUA_REGISTRYINDEX, state.reply_ref);
  push_string(L, text);
  constexpr std::size_t kLongest = 64;
  if (text.size() > kLongest || state.memory_shows) return;
  state.reply = string_at(L, -1);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, state.reply_ref);
}

void forget_reply(State& state) {
  state.reply = {};
  lua_pushliteral(state.main, "");
  lua_rawseti(state.main, LUA_REGISTRYINDEX, state.reply_ref);
}

}  // namespace picklock::lua
