// What SAVE and its like leave behind in INFO. Nothing is ever written: there is no file. A
// copyable value.
#pragma once

#include <cstdint>

#include <picklock/clock.hpp>

namespace picklock {

struct Persistence {
  Instant last_save = {};
  std::uint64_t saved_changes = 0;  ///< The keyspace's changes at that time.
  std::uint64_t saves = 0;
  std::uint64_t rewrites = 0;
  bool was_bgsave = false;  ///< Whether one has ever run.
  bool was_rewrite = false;
};

}  // namespace picklock
