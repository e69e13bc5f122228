// The keyspace as text, for people and for comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/keyspace.hpp"

namespace picklock {

/// One line a key, in order of creation: `db0 "lock" string "alice" expires in 1500 ms`. Expired
/// keys are left out.
std::string dump_keyspace(const Keyspace& keyspace, std::int64_t now_ms);

/// What a key holds and when it expires: `string "alice" expires in 1500 ms`; empty if it is
/// missing.
std::string describe_key(const Keyspace& keyspace, int database, std::string_view key,
                         std::int64_t now_ms);

}  // namespace picklock
