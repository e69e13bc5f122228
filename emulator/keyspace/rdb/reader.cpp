#include "emulator/keyspace/rdb/reader.hpp"

#include <bit>
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/lzf.hpp"

namespace picklock::rdb {

std::optional<Type> Reader::read_type() {
  const auto byte = read_byte();
  constexpr unsigned kModule = 6;
  constexpr unsigned kModule2 = 7;
  constexpr unsigned kNone = 8;
  if (!byte || *byte > static_cast<unsigned>(Type::stream_listpacks_2) || *byte == kModule ||
      *byte == kModule2 || *byte == kNone)
    return std::nullopt;
  return static_cast<Type>(*byte);
}

std::optional<std::string_view> Reader::take(std::uint64_t size) {
  if (size > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::optional<std::uint8_t> Reader::read_byte() {
  const auto byte = take(1);
  if (!byte) return std::nullopt;
  return static_cast<std::uint8_t>(byte->front());
}

std::optional<std::uint64_t> Reader::read_length() {
  const auto first = read_byte();
  if (!first) return std::nullopt;
  if (*first >= kEncoded) return *first & 0x3f;
  return read_length_after(*first);
}

std::optional<std::uint64_t> Reader::read_length_after(std::uint8_t first) {
  if (first < kLength14) return first;
  if (first < kLength32) {
    const auto second = read_byte();
    if (!second) return std::nullopt;
    return std::uint64_t{first & 0x3fU} << 8 | *second;
  }
  if (first != kLength32 && first != kLength64) return std::nullopt;
  const int width = first == kLength32 ? 4 : 8;
  const auto bytes = take(static_cast<std::uint64_t>(width));
  if (!bytes) return std::nullopt;
  return big_endian(*bytes, width);
}

std::optional<std::string> Reader::read_string() {
  const auto first = read_byte();
  if (!first) return std::nullopt;
  if (*first >= kEncoded) return read_encoded(*first & 0x3f);
  const auto length = read_length_after(*first);
  const auto text = length ? take(*length) : std::nullopt;
  if (!text) return std::nullopt;
  return std::string{*text};
}

std::optional<std::string> Reader::read_encoded(unsigned encoding) {
  if (encoding == kLzf) {
    const auto compressed_size = read_length();
    const auto size = compressed_size ? read_length() : std::nullopt;
    const auto compressed = size ? take(*compressed_size) : std::nullopt;
    return compressed ? lzf_decompress(*compressed, *size) : std::nullopt;
  }
  if (encoding > kInt32) return std::nullopt;
  const int width = 1 << encoding;
  const auto bytes = take(static_cast<std::uint64_t>(width));
  if (!bytes) return std::nullopt;
  return to_text(signed_little_endian(*bytes, width));
}

std::optional<double> Reader::read_text_double() {
  constexpr unsigned kNan = 253;
  constexpr unsigned kInfinity = 254;
  constexpr unsigned kMinusInfinity = 255;
  const auto length = read_byte();
  if (!length) return std::nullopt;
  if (*length == kNan) return std::nan("");
  if (*length == kInfinity) return HUGE_VAL;
  if (*length == kMinusInfinity) return -HUGE_VAL;
  const auto text = take(*length);
  return text ? parse_double_prefix(*text) : std::nullopt;
}

std::optional<double> Reader::read_double() {
  const auto bytes = take(8);
  if (!bytes) return std::nullopt;
  return std::bit_cast<double>(little_endian(*bytes, 8));
}

}  // namespace picklock::rdb
