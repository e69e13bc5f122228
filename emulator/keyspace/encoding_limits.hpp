// When Redis leaves the compact encoding of a collection for the large one.
//
// The emulator has forms of its own, whose limits are not these; it remembers which encoding Redis
// would use, for that shows: in the order of a set, in what a SCAN returns at once, in OBJECT
// ENCODING.
#pragma once

#include <cstdint>

namespace picklock {

/// The settings of the same names; the defaults are those of Redis 7.0.
struct EncodingLimits {
  std::int64_t set_max_intset_entries = 512;
  std::int64_t zset_max_listpack_entries = 128;
  std::int64_t zset_max_listpack_value = 64;
  std::int64_t hash_max_listpack_entries = 512;
  std::int64_t hash_max_listpack_value = 64;
  std::int64_t hll_sparse_max_bytes = 3000;
  std::int64_t stream_node_max_bytes = 4096;
  std::int64_t stream_node_max_entries = 100;
};

}  // namespace picklock
