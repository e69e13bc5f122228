// cmsgpack.unpack, unpack_one and unpack_limit, and the library's table.
//
// Every function may raise, so none owns an object with a destructor.
#include <bit>
#include <climits>

#include "lua/cmsgpack.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

enum class Fault : unsigned char { none, end, format };

/// Reads values off bytes and pushes them; stops at the first fault.
class Unpacker {
 public:
  Unpacker(lua_State* L, std::string_view bytes) : L_(L), rest_(bytes) {}

  void value();
  std::size_t left() const { return rest_.size(); }
  Fault fault() const { return fault_; }

 private:
  bool need(std::size_t size) {
    if (rest_.size() < size) fault_ = Fault::end;
    return fault_ == Fault::none;
  }
  /// Takes the first byte and the number in the `size` bytes behind it.
  bool take(std::size_t size, std::uint64_t& number) {
    if (!need(size + 1)) return false;
    number = 0;
    for (std::size_t i = 1; i <= size; ++i)
      number = number << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(size + 1);
    return true;
  }
  void whole(std::size_t size, bool is_signed);
  void text(std::size_t size) {
    if (!need(size)) return;
    lua_pushlstring(L_, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  void array(std::uint64_t size);
  void map(std::uint64_t size);
  void marked(unsigned mark);
  void sized(unsigned mark);

  lua_State* L_;
  std::string_view rest_;
  Fault fault_ = Fault::none;
};

void Unpacker::whole(std::size_t size, bool is_signed) {
  std::uint64_t bits = 0;
  if (!take(size, bits)) return;
  const int unused = 64 - static_cast<int>(size) * 8;
  // Eight bytes without a sign become a signed number too, as in Redis.
  const auto value = is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                               : static_cast<std::int64_t>(bits);
  lua_pushnumber(L_, static_cast<lua_Number>(value));
}

void Unpacker::array(std::uint64_t size) {
  lua_newtable(L_);
  luaL_checkstack(L_, 1, "in function mp_decode_to_lua_array");
  for (std::uint64_t index = 1; index <= size; ++index) {
    lua_pushnumber(L_, static_cast<lua_Number>(index));
    value();
    if (fault_ != Fault::none) return;
    lua_settable(L_, -3);
  }
}

void Unpacker::map(std::uint64_t size) {
  lua_newtable(L_);
  for (; size > 0; --size) {
    value();
    if (fault_ != Fault::none) return;
    value();
    if (fault_ != Fault::none) return;
    lua_settable(L_, -3);
  }
}

/// A value whose length stands in the bytes behind its first one.
void Unpacker::sized(unsigned mark) {
  std::uint64_t size = 0;
  switch (mark) {
    case 0xd9:
      if (take(1, size)) text(size);
      return;
    case 0xda:
      if (take(2, size)) text(size);
      return;
    case 0xdb:
      if (take(4, size)) text(size);
      return;
    case 0xdc:
      if (take(2, size)) array(size);
      return;
    case 0xdd:
      if (take(4, size)) array(size);
      return;
    case 0xde:
      if (take(2, size)) map(size);
      return;
    default:
      if (take(4, size)) map(size);
  }
}

void Unpacker::marked(unsigned mark) {
  std::uint64_t bits = 0;
  switch (mark) {
    case 0xc0:
      lua_pushnil(L_);
      rest_.remove_prefix(1);
      return;
    case 0xc2:
    case 0xc3:
      lua_pushboolean(L_, mark == 0xc3 ? 1 : 0);
      rest_.remove_prefix(1);
      return;
    case 0xca:
      if (take(4, bits)) lua_pushnumber(L_, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      return;
    case 0xcb:
      if (take(8, bits)) lua_pushnumber(L_, std::bit_cast<double>(bits));
      return;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return whole(std::size_t{1} << (mark - 0xcc), false);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return whole(std::size_t{1} << (mark - 0xd0), true);
    default:
      if (mark >= 0xd9 && mark <= 0xdf) return sized(mark);
      fault_ = Fault::format;
  }
}

void Unpacker::value() {
  if (!need(1)) return;
  charge(L_, 1);
  luaL_checkstack(L_, 1, "too many return values at once; use unpack_one or unpack_limit instead.");
  const auto mark = static_cast<unsigned char>(rest_.front());
  if (mark >= 0xc0 && mark <= 0xdf) return marked(mark);
  rest_.remove_prefix(1);
  if (mark <= 0x7f) return lua_pushnumber(L_, mark);
  if (mark <= 0x8f) return map(mark & 0x0f);
  if (mark <= 0x9f) return array(mark & 0x0f);
  if (mark <= 0xbf) return text(mark & 0x1f);
  lua_pushnumber(L_, static_cast<signed char>(mark));
}

/// At most `limit` values from `offset` on; where the next one starts comes first, unless all were
/// asked for. The texts of errors show the lower half of a number, as Redis's do.
int unpack(lua_State* L, lua_Integer limit, lua_Integer offset) {
  std::size_t length = 0;
  const char* bytes = luaL_checklstring(L, 1, &length);
  const bool all = limit == 0 && offset == 0;
  if (offset < 0 || limit < 0)
    return luaL_error(L, "Invalid request to unpack with offset of %d and limit of %d.",
                      static_cast<int>(offset), static_cast<int>(length));
  if (static_cast<std::size_t>(offset) > length)
    return luaL_error(L, "Start offset %d greater than input length %d.", static_cast<int>(offset),
                      static_cast<int>(length));
  if (all) limit = INT_MAX;
  Unpacker unpacker{L, std::string_view{bytes, length}.substr(static_cast<std::size_t>(offset))};
  int count = 0;
  for (; unpacker.left() > 0 && count < limit; ++count) {
    unpacker.value();
    if (unpacker.fault() == Fault::end) return luaL_error(L, "Missing bytes in input.");
    if (unpacker.fault() == Fault::format) return luaL_error(L, "Bad data format in input.");
  }
  if (all) return count;
  luaL_checkstack(L, 1, "in function mp_unpack_full");
  const auto next = static_cast<lua_Integer>(length - unpacker.left());
  lua_pushinteger(L, unpacker.left() == 0 ? -1 : next);
  lua_insert(L, 2);
  return count + 1;
}

int cmsgpack_unpack(lua_State* L) { return unpack(L, 0, 0); }

int cmsgpack_unpack_one(lua_State* L) {
  const lua_Integer offset = luaL_optinteger(L, 2, 0);
  if (lua_gettop(L) > 1) lua_settop(L, 1);
  return unpack(L, 1, offset);
}

int cmsgpack_unpack_limit(lua_State* L) {
  const lua_Integer limit = luaL_checkinteger(L, 2);
  const lua_Integer offset = luaL_optinteger(L, 3, 0);
  if (lua_gettop(L) > 1) lua_settop(L, 1);
  return unpack(L, limit, offset);
}

constexpr luaL_Reg kCmsgpackFunctions[] = {{"pack", cmsgpack_pack},
                                           {"unpack", cmsgpack_unpack},
                                           {"unpack_one", cmsgpack_unpack_one},
                                           {"unpack_limit", cmsgpack_unpack_limit},
                                           {nullptr, nullptr}};
constexpr const char* kTexts[][2] = {{"_NAME", "cmsgpack"},
                                     {"_VERSION", "lua-cmsgpack 0.4.0"},
                                     {"_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo"},
                                     {"_DESCRIPTION", "MessagePack C implementation for Lua"}};

}  // namespace

int open_cmsgpack(lua_State* L) {
  lua_newtable(L);
  luaL_register(L, nullptr, kCmsgpackFunctions);
  for (const auto& [name, text] : kTexts) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
  }
  return 1;
}

}  // namespace picklock::lua
