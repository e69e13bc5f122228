// Texts that Lua has as strings already: it is quicker to compare them than to make strings, for
// which Lua goes through their letters one after the other.
#include "emulator/base/short_text.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr std::size_t kLongest = 64;

/// Where a text would be among those that are known. Where it is shows nowhere.
std::size_t place_of(std::string_view text) {
  const std::size_t size = text.size();
  std::uint64_t sum = size;
  if (size >= 8) {
    sum += detail::word_at<std::uint64_t>(text.data());
    sum += detail::word_at<std::uint64_t>(text.data() + size - 8) << 1;
  } else if (size > 0) {
    sum += static_cast<unsigned char>(text.front()) << 8;
    sum += static_cast<unsigned char>(text.back());
  }
  return (sum * 0x9e3779b97f4a7c15 >> 32) % kKnownTexts;
}

}  // namespace

void fill_words(State& state, Slot table, Args words, OwnWords& filled) {
  lua_State* L = state.main;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i < filled.size && is_same(filled.words[i], words[i])) continue;
    push_text(L, state, words[i]);
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
  int last = 0;
  for (std::size_t at = 0; at < kKnownTexts; ++at) {  // References follow on each other.
    lua_pushliteral(state.main, "");
    last = luaL_ref(state.main, LUA_REGISTRYINDEX);
  }
  state.texts_ref = last - static_cast<int>(kKnownTexts - 1);
}

void push_text(lua_State* L, State& state, std::string_view text) {
  if (text.size() > kLongest || state.memory_shows) return push_string(L, text);
  const std::size_t at = place_of(text);
  const int ref = state.texts_ref + static_cast<int>(at);
  if (is_same(state.texts[at], text)) return lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
  push_string(L, text);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, ref);
  state.texts[at] = string_at(L, -1);
}

void forget_texts(State& state) {
  for (std::size_t at = 0; at < kKnownTexts; ++at) {
    if (state.texts[at].empty()) continue;
    state.texts[at] = {};
    lua_pushliteral(state.main, "");
    lua_rawseti(state.main, LUA_REGISTRYINDEX, state.texts_ref + static_cast<int>(at));
  }
}

}  // namespace picklock::lua
