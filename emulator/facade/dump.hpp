// The keyspace as text, for people and for comparisons.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/keyspace/keyspace.hpp"

namespace picklock {

/// One line a key, in order of creation: `db0 "lock" string "alice" expires in 1500 ms`. Expired
/// keys are left out.
std::string dump_keyspace(const Keyspace& keyspace, std::int64_t now_ms);

}  // namespace picklock
