// cmsgpack.pack: values of Lua as MessagePack, byte for byte as Redis's library writes them.
//
// Every function may raise, so none owns an object with a destructor: the bytes grow in a userdata.
#include <bit>
#include <climits>
#include <cstring>

#include "lua/cmsgpack.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

// What lies deeper is written as nil, which also ends tables that contain themselves.
constexpr int kMaxNesting = 16;
constexpr std::size_t kFirstCapacity = 128;

class Packer {
 public:
  /// Keeps its bytes in the value at `slot`.
  Packer(lua_State* L, int slot) : L_(L), slot_(slot) {
    data_ = static_cast<char*>(lua_newuserdata(L, kFirstCapacity));
    lua_replace(L, slot);
  }

  /// Writes the value at the top and pops it.
  void value(int level);
  void push_result() { lua_pushlstring(L_, data_, size_); }
  void clear() { size_ = 0; }

 private:
  void add(const void* bytes, std::size_t size) {
    if (capacity_ - size_ < size) grow(size);
    std::memcpy(data_ + size_, bytes, size);
    size_ += size;
  }
  void grow(std::size_t size) {
    std::size_t capacity = capacity_;
    while (capacity - size_ < size) capacity *= 2;
    auto* larger = static_cast<char*>(lua_newuserdata(L_, capacity));
    std::memcpy(larger, data_, size_);
    lua_replace(L_, slot_);
    data_ = larger;
    capacity_ = capacity;
  }
  void byte(unsigned value) {
    const auto c = static_cast<unsigned char>(value);
    add(&c, 1);
  }
  /// `mark`, and the low `bytes` bytes of `value` from the highest on.
  void number(unsigned mark, std::uint64_t value, int bytes) {
    unsigned char out[9] = {static_cast<unsigned char>(mark)};
    for (int i = bytes; i > 0; --i, value >>= 8) out[i] = static_cast<unsigned char>(value & 0xff);
    add(out, static_cast<std::size_t>(bytes) + 1);
  }
  void real(double value);
  void integer(std::int64_t value);
  void text(std::string_view text);
  void table(int level);
  bool is_array();
  void array(int level);
  void map(int level);

  lua_State* L_;
  int slot_;
  char* data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kFirstCapacity;
};

void Packer::real(double value) {
  const auto narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) == value)
    number(0xca, std::bit_cast<std::uint32_t>(narrow), 4);
  else
    number(0xcb, std::bit_cast<std::uint64_t>(value), 8);
}

void Packer::integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= -32 && value <= 127) return byte(static_cast<unsigned>(bits & 0xff));
  if (value >= 0) {
    if (value <= 0xff) return number(0xcc, bits, 1);
    if (value <= 0xffff) return number(0xcd, bits, 2);
    if (value <= 0xffffffffLL) return number(0xce, bits, 4);
    return number(0xcf, bits, 8);
  }
  if (value >= INT8_MIN) return number(0xd0, bits, 1);
  if (value >= INT16_MIN) return number(0xd1, bits, 2);
  if (value >= INT32_MIN) return number(0xd2, bits, 4);
  number(0xd3, bits, 8);
}

void Packer::text(std::string_view text) {
  if (text.size() < 32)
    byte(0xa0 | static_cast<unsigned>(text.size()));
  else if (text.size() <= 0xff)
    number(0xd9, text.size(), 1);
  else if (text.size() <= 0xffff)
    number(0xda, text.size(), 2);
  else
    number(0xdb, text.size(), 4);
  add(text.data(), text.size());
}

void Packer::value(int level) {
  charge(L_, 1);
  switch (lua_type(L_, -1)) {
    case LUA_TSTRING:
      text(string_at(L_, -1));
      break;
    case LUA_TBOOLEAN:
      byte(lua_toboolean(L_, -1) != 0 ? 0xc3 : 0xc2);
      break;
    case LUA_TNUMBER: {
      const double number = lua_tonumber(L_, -1);
      const std::int64_t whole = to_int64(number);
      if (static_cast<double>(whole) == number)
        integer(whole);
      else
        real(number);
      break;
    }
    case LUA_TTABLE:
      if (level < kMaxNesting) {
        table(level);
        break;
      }
      [[fallthrough]];
    default:
      byte(0xc0);
  }
  lua_pop(L_, 1);
}

void Packer::table(int level) {
  if (push_real(L_, -1)) lua_replace(L_, -2);
  luaL_checkstack(L_, 4, "in function mp_encode_lua_table");
  if (is_array())
    array(level);
  else
    map(level);
}

/// Whether the keys are 1 to n without a gap.
bool Packer::is_array() {
  int count = 0;
  int highest = 0;
  for (lua_pushnil(L_); lua_next(L_, -2) != 0;) {
    charge(L_, 1);
    lua_pop(L_, 1);
    const double key = lua_type(L_, -1) == LUA_TNUMBER ? lua_tonumber(L_, -1) : 0;
    if (!(key > 0 && key <= INT_MAX) || key != static_cast<int>(key)) {
      lua_pop(L_, 1);
      return false;
    }
    if (key > highest) highest = static_cast<int>(key);
    ++count;
  }
  return highest == count;
}

void Packer::array(int level) {
  const std::size_t size = lua_objlen(L_, -1);
  if (size <= 15)
    byte(0x90 | static_cast<unsigned>(size));
  else if (size <= 0xffff)
    number(0xdc, size, 2);
  else
    number(0xdd, size, 4);
  for (std::size_t i = 1; i <= size; ++i) {
    lua_rawgeti(L_, -1, static_cast<int>(i));
    value(level + 1);
  }
}

void Packer::map(int level) {
  std::size_t size = 0;
  for (lua_pushnil(L_); lua_next(L_, -2) != 0; lua_pop(L_, 1)) ++size;
  if (size <= 15)
    byte(0x80 | static_cast<unsigned>(size));
  else if (size <= 0xffff)
    number(0xde, size, 2);
  else
    number(0xdf, size, 4);
  for (lua_pushnil(L_); next_in_order(L_, -2) != 0;) {
    lua_pushvalue(L_, -2);
    value(level + 1);
    value(level + 1);
  }
}

}  // namespace

int cmsgpack_pack(lua_State* L) {
  const int count = lua_gettop(L);
  if (count == 0) return luaL_argerror(L, 0, "MessagePack pack needs input.");
  if (lua_checkstack(L, count) == 0)
    return luaL_argerror(L, 0, "Too many arguments for MessagePack pack.");
  luaL_checkstack(L, LUA_MINSTACK, "in function mp_check");
  lua_pushnil(L);
  Packer packer{L, count + 1};
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(L, i);
    packer.value(0);
  }
  packer.push_result();
  return 1;
}

}  // namespace picklock::lua
