// How many bytes a value would take in Redis 7.0.15 on a 64-bit machine with jemalloc.
//
// Exact for values in the compact encodings and fresh strings; tables, skip lists and strings that
// grew depend on their past and on chance, of which the emulator knows nothing: for them it is what
// the same value takes on average when built in one go. Pure functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "emulator/keyspace/database.hpp"
#include "emulator/keyspace/rdb/options.hpp"

namespace picklock {

/// The size class from which jemalloc serves a request of `bytes`.
std::size_t allocated(std::size_t bytes);

/// As MEMORY USAGE tells it: key and value; of large collections `samples` elements are looked at
/// (0: all).
std::size_t memory_usage(std::string_view key, const KeyEntry& entry, std::size_t samples,
                         const rdb::Options& options);

}  // namespace picklock
