// DUMP payloads of two servers that hold the same value.
//
// They are the same to the byte, but for the order of a hash table, and for the nodes of a long
// list, which tell how it grew. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/rdb/payload.hpp"

namespace picklock::test {

/// Equal for two payloads of the same value in the same encoding: the payload itself, or the sorted
/// contents where the order is left open. The payload itself if it cannot be read.
std::string canonical_payload(std::string_view payload);

/// Whether two payloads of streams are the same to the byte, but for instants of delivery, and of
/// consumers that were seen, at most `tolerance_ms` apart.
bool same_but_instants(std::string_view theirs, std::string_view ours, std::int64_t tolerance_ms);

/// Whether two numbers are at most `tolerance` apart, however far they are.
bool is_near(std::int64_t theirs, std::int64_t ours, std::int64_t tolerance);

/// Whether two payloads of FUNCTION DUMP hold the same libraries, in whatever order.
bool same_libraries(std::string_view theirs, std::string_view ours);

using rdb::with_footer;
using rdb::without_footer;

}  // namespace picklock::test
