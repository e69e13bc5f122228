// The settings on which RDB data depends.
#pragma once

#include "emulator/engine/engine.hpp"
#include "emulator/keyspace/rdb/options.hpp"

namespace picklock {

rdb::Options rdb_options(const Engine& engine);

}  // namespace picklock
