// CLIENT PAUSE: which commands wait, and how long. A value.
#pragma once

#include <cstdint>

namespace picklock {

struct Pause {
  enum class Kind : std::uint8_t { none, writes, all };

  Kind kind = Kind::none;
  std::int64_t end_ms = 0;  ///< The last millisecond of it.
  bool operator==(const Pause&) const = default;
};

}  // namespace picklock
