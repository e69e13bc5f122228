// Fixed-width integers as RDB data has them, mostly in little-endian order. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace picklock::rdb {

/// The lowest `width` bytes of `value`.
inline void append_little_endian(std::string& out, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// The first `width` bytes of `bytes`, which must be there.
inline std::uint64_t little_endian(std::string_view bytes, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])}
             << (8 * i);
  return value;
}

/// The same, with its highest bit as the sign.
inline std::int64_t signed_little_endian(std::string_view bytes, int width) {
  const int shift = 64 - 8 * width;
  return static_cast<std::int64_t>(little_endian(bytes, width) << shift) >> shift;
}

/// The first `width` bytes of `bytes`, highest byte first.
inline std::uint64_t big_endian(std::string_view bytes, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

/// The lowest `width` bytes of `value`, highest byte first.
inline void append_big_endian(std::string& out, std::uint64_t value, int width) {
  while (width-- > 0) out += static_cast<char>(value >> (8 * width) & 0xff);
}

}  // namespace picklock::rdb
