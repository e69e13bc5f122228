// CRC-64 with the Jones polynomial, reflected, start 0: what closes an RDB file and a DUMP payload.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace picklock::rdb {

/// "123456789" gives 0xe9c6d914c4b8d9ca.
std::uint64_t crc64(std::string_view bytes);

}  // namespace picklock::rdb
