// The numbers of the RDB format.
#pragma once

#include <cstdint>

namespace picklock::rdb {

/// What Redis 7.0 writes, and the newest that it reads.
inline constexpr unsigned kVersion = 10;

enum class Type : std::uint8_t {
  string = 0,
  list = 1,
  set = 2,
  zset = 3,  ///< Scores as text.
  hash = 4,
  zset_2 = 5,  ///< Scores as binary doubles.
  hash_zipmap = 9,
  list_ziplist = 10,
  set_intset = 11,
  zset_ziplist = 12,
  hash_ziplist = 13,
  list_quicklist = 14,  ///< Of ziplists.
  stream_listpacks = 15,
  hash_listpack = 16,
  zset_listpack = 17,
  list_quicklist_2 = 18,  ///< Of listpacks and plain elements.
  stream_listpacks_2 = 19,
};

/// What stands in a file where the type of a value would. Redis 7.0: rdb.h.
enum Mark : std::uint8_t {
  kMarkFunction = 0xf5,
  kMarkFunctionOfRc = 0xf6,
  kMarkModuleData = 0xf7,
  kMarkIdle = 0xf8,
  kMarkFrequency = 0xf9,
  kMarkAuxiliary = 0xfa,
  kMarkSizes = 0xfb,
  kMarkDeadlineMs = 0xfc,
  kMarkDeadlineSeconds = 0xfd,
  kMarkDatabase = 0xfe,
  kMarkEnd = 0xff,
};

/// The first byte of a length: its two high bits tell how it goes on.
inline constexpr unsigned kLength6 = 0x00;
inline constexpr unsigned kLength14 = 0x40;
inline constexpr unsigned kLength32 = 0x80;
inline constexpr unsigned kLength64 = 0x81;
inline constexpr unsigned kEncoded = 0xc0;  ///< No length, but one of the encodings below.

inline constexpr unsigned kInt8 = 0;
inline constexpr unsigned kInt16 = 1;
inline constexpr unsigned kInt32 = 2;
inline constexpr unsigned kLzf = 3;

/// The containers of list_quicklist_2.
inline constexpr std::uint64_t kPlainNode = 1;
inline constexpr std::uint64_t kPackedNode = 2;

}  // namespace picklock::rdb
