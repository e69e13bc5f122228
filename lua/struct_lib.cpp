// The library `struct`: binary records from format strings, as Redis carries it.
//
// Every function may raise, so none owns an object with a destructor.
#include <bit>
#include <cctype>
#include <climits>
#include <cstring>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

constexpr int kMaxIntegerSize = 32;
constexpr int kNaturalAlignment = 8;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A walk along a format string: the order of bytes and the alignment that hold at this place.
struct Format {
  const char* rest;
  bool big_endian = std::endian::native == std::endian::big;
  std::size_t alignment = 1;
};

/// One option and the bytes it takes; 0 where the data decides, and for what is no option of data.
struct Option {
  char letter;
  std::size_t size;
};

int read_number(lua_State* L, Format& format, int otherwise) {
  if (!is_digit(*format.rest)) return otherwise;
  int number = 0;
  for (; is_digit(*format.rest); ++format.rest) {
    const int digit = *format.rest - '0';
    if (number > INT_MAX / 10 || number * 10 > INT_MAX - digit)
      luaL_error(L, "integral size overflow");
    number = number * 10 + digit;
  }
  return number;
}

std::size_t integer_size(lua_State* L, Format& format) {
  const int size = read_number(L, format, sizeof(int));
  if (size > kMaxIntegerSize)
    luaL_error(L, "integral size %d is larger than limit of %d", size, kMaxIntegerSize);
  return static_cast<std::size_t>(size);
}

Option next_option(lua_State* L, Format& format) {
  const char letter = *format.rest++;
  switch (letter) {
    case 'b':
    case 'B':
    case 'x':
      return {letter, 1};
    case 'h':
    case 'H':
      return {letter, 2};
    case 'l':
    case 'L':
    case 'T':
    case 'd':
      return {letter, 8};
    case 'f':
      return {letter, 4};
    case 'i':
    case 'I':
      return {letter, integer_size(L, format)};
    case 'c':
      return {letter, static_cast<std::size_t>(read_number(L, format, 1))};
    default:
      return {letter, 0};
  }
}

/// The bytes to leave out before `option` at `position`.
std::size_t padding(const Format& format, Option option, std::size_t position) {
  if (option.size == 0 || option.letter == 'c') return 0;
  const std::size_t step = option.size < format.alignment ? option.size : format.alignment;
  return (step - (position & (step - 1))) & (step - 1);
}

/// What is no data: byte order, alignment, blanks. Anything else is an error.
void apply_control(lua_State* L, Format& format, char letter) {
  switch (letter) {
    case ' ':
      return;
    case '>':
      format.big_endian = true;
      return;
    case '<':
      format.big_endian = false;
      return;
    case '!': {
      const int wanted = read_number(L, format, kNaturalAlignment);
      if (wanted <= 0 || (wanted & (wanted - 1)) != 0)
        luaL_error(L, "alignment %d is not a power of 2", wanted);
      format.alignment = static_cast<std::size_t>(wanted);
      return;
    }
    default:
      luaL_argerror(L, 1, lua_pushfstring(L, "invalid format option '%c'", letter));
  }
}

bool is_integer(char letter) { return std::strchr("bBhHlLTiI", letter) != nullptr; }

void add_zeros(luaL_Buffer* out, std::size_t count) {
  for (; count > 0; --count) luaL_addchar(out, '\0');
}

void add_reversed(luaL_Buffer* out, const char* bytes, std::size_t size, bool reversed) {
  char copy[kMaxIntegerSize];
  for (std::size_t i = 0; i < size; ++i) copy[i] = bytes[reversed ? size - 1 - i : i];
  luaL_addlstring(out, copy, size);
}

bool is_foreign(const Format& format) {
  return format.big_endian != (std::endian::native == std::endian::big);
}

void pack_integer(lua_State* L, luaL_Buffer* out, const Format& format, std::size_t size, int arg) {
  const double number = luaL_checknumber(L, arg);
  std::uint64_t value =
      number < 0 ? static_cast<std::uint64_t>(to_int64(number)) : to_uint64(number);
  char bytes[kMaxIntegerSize];
  for (std::size_t i = 0; i < size; ++i, value >>= 8)
    bytes[format.big_endian ? size - 1 - i : i] = static_cast<char>(value & 0xff);
  luaL_addlstring(out, bytes, size);
}

/// Returns the bytes written besides the padding.
std::size_t pack_text(lua_State* L, luaL_Buffer* out, Option option, int arg) {
  std::size_t length = 0;
  const char* text = luaL_checklstring(L, arg, &length);
  const std::size_t size = option.size == 0 ? length : option.size;
  luaL_argcheck(L, length >= size, arg + 1, "string too short");
  luaL_addlstring(out, text, size);
  if (option.letter != 's') return size;
  luaL_addchar(out, '\0');
  return size + 1;
}

int struct_pack(lua_State* L) {
  Format format{luaL_checkstring(L, 1)};
  int arg = 2;
  std::size_t total = 0;
  luaL_Buffer out;
  lua_pushnil(L);  // Keeps the buffer's pieces apart from the arguments.
  luaL_buffinit(L, &out);
  while (*format.rest != '\0') {
    const Option option = next_option(L, format);
    const std::size_t gap = padding(format, option, total);
    add_zeros(&out, gap);
    total += gap + option.size;
    if (is_integer(option.letter)) {
      pack_integer(L, &out, format, option.size, arg++);
    } else if (option.letter == 'x') {
      luaL_addchar(&out, '\0');
    } else if (option.letter == 'f') {
      const auto value = static_cast<float>(luaL_checknumber(L, arg++));
      char bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      add_reversed(&out, bytes, sizeof value, is_foreign(format));
    } else if (option.letter == 'd') {
      const double value = luaL_checknumber(L, arg++);
      char bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      add_reversed(&out, bytes, sizeof value, is_foreign(format));
    } else if (option.letter == 'c' || option.letter == 's') {
      total += pack_text(L, &out, option, arg++) - option.size;
    } else {
      apply_control(L, format, option.letter);
    }
  }
  luaL_pushresult(&out);
  return 1;
}

double integer_at(const char* bytes, const Format& format, Option option) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < option.size; ++i) {
    const std::size_t at = format.big_endian ? i : option.size - 1 - i;
    value = value << 8 | static_cast<unsigned char>(bytes[at]);
  }
  if (std::islower(static_cast<unsigned char>(option.letter)) == 0)
    return static_cast<double>(value);
  // Beyond eight bytes the shift counts modulo 64, as it does in Redis on x86-64.
  const std::uint64_t sign = ~std::uint64_t{0} << ((option.size * 8 - 1) & 63);
  if ((value & sign) != 0) value |= sign;
  return static_cast<double>(static_cast<std::int64_t>(value));
}

template <class Float>
double float_at(const char* bytes, bool reversed) {
  char copy[sizeof(Float)];
  for (std::size_t i = 0; i < sizeof copy; ++i) copy[i] = bytes[reversed ? sizeof copy - 1 - i : i];
  Float value;
  std::memcpy(&value, copy, sizeof value);
  return static_cast<double>(value);
}

void check_room(lua_State* L, std::size_t size, std::size_t position, std::size_t length) {
  luaL_argcheck(L, size <= length && position <= length - size, 2, "data string too short");
}

/// The size of "c0": the number that was read last, which it replaces.
std::size_t take_size(lua_State* L, int& results) {
  if (results == 0 || lua_isnumber(L, -1) == 0) luaL_error(L, "format 'c0' needs a previous size");
  const std::size_t size = to_uint64(lua_tonumber(L, -1));
  lua_pop(L, 1);
  --results;
  return size;
}

int struct_unpack(lua_State* L) {
  Format format{luaL_checkstring(L, 1)};
  std::size_t length = 0;
  const char* data = luaL_checklstring(L, 2, &length);
  auto position = static_cast<std::size_t>(luaL_optinteger(L, 3, 1));
  luaL_argcheck(L, position > 0, 3, "offset must be 1 or greater");
  --position;
  int results = 0;
  while (*format.rest != '\0') {
    const Option option = next_option(L, format);
    std::size_t size = option.size;
    position += padding(format, option, position);
    check_room(L, size, position, length);
    luaL_checkstack(L, 2, "too many results");
    if (is_integer(option.letter)) {
      lua_pushnumber(L, integer_at(data + position, format, option));
      ++results;
    } else if (option.letter == 'f') {
      lua_pushnumber(L, float_at<float>(data + position, is_foreign(format)));
      ++results;
    } else if (option.letter == 'd') {
      lua_pushnumber(L, float_at<double>(data + position, is_foreign(format)));
      ++results;
    } else if (option.letter == 'c') {
      if (size == 0) {
        size = take_size(L, results);
        check_room(L, size, position, length);
      }
      lua_pushlstring(L, data + position, size);
      ++results;
    } else if (option.letter == 's') {
      const void* end = std::memchr(data + position, '\0', length - position);
      if (end == nullptr) luaL_error(L, "unfinished string in data");
      size = static_cast<std::size_t>(static_cast<const char*>(end) - (data + position)) + 1;
      lua_pushlstring(L, data + position, size - 1);
      ++results;
    } else if (option.letter != 'x') {
      apply_control(L, format, option.letter);
    }
    position += size;
  }
  lua_pushinteger(L, static_cast<lua_Integer>(position + 1));
  return results + 1;
}

int struct_size(lua_State* L) {
  Format format{luaL_checkstring(L, 1)};
  std::size_t position = 0;
  while (*format.rest != '\0') {
    const Option option = next_option(L, format);
    position += padding(format, option, position);
    if (option.letter == 's') luaL_argerror(L, 1, "option 's' has no fixed size");
    if (option.letter == 'c' && option.size == 0)
      luaL_argerror(L, 1, "option 'c0' has no fixed size");
    if (std::isalnum(static_cast<unsigned char>(option.letter)) == 0)
      apply_control(L, format, option.letter);
    position += option.size;
  }
  lua_pushinteger(L, static_cast<lua_Integer>(position));
  return 1;
}

constexpr luaL_Reg kStructFunctions[] = {
    {"pack", struct_pack}, {"unpack", struct_unpack}, {"size", struct_size}, {nullptr, nullptr}};

}  // namespace

int open_struct(lua_State* L) {
  lua_newtable(L);
  luaL_register(L, nullptr, kStructFunctions);
  return 1;
}

}  // namespace picklock::lua
