#include "emulator/keyspace/rdb/crc64.hpp"

#include <array>

namespace picklock::rdb {
namespace {

constexpr std::uint64_t kJonesReflected = 0x95ac9329ac4bc9b5;

constexpr auto kTable = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t byte = 0; byte < table.size(); ++byte) {
    std::uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kJonesReflected : 0);
    table[byte] = crc;
  }
  return table;
}();

}  // namespace

std::uint64_t crc64(std::string_view bytes) {
  std::uint64_t crc = 0;
  for (const char byte : bytes)
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  return crc;
}

}  // namespace picklock::rdb
