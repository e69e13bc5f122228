// What the oracles report, as plain numbers: building the sentence waits until somebody reads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <picklock/race/verdict.hpp>

namespace picklock::race {

inline constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

/// What a finding saw.
enum class Deed : std::uint8_t {
  none,
  freed,
  overwrote,
  prolonged,
  missing,
  foreign,
  refused,  ///< Of fencing: a holder's write.
  shared,   ///< Two workers had one token.
  stale,    ///< An older token was taken.
  sent,     ///< Of quiescence.
  revived,
  excused,     ///< Of an overlap: a fault had taken the lock away.
  overlapped,  ///< Of a history: held twice at once.
  undecided,   ///< Of a history: it has too many orders.
};

struct Finding {
  Class verdict = Class::holds;
  Oracle oracle = Oracle::none;
  std::size_t resource = 0;       ///< The exclusive or lock key.
  std::size_t subject = kNobody;  ///< The worker who did it.
  std::size_t other = kNobody;    ///< The worker who suffered it.
  Deed deed = Deed::none;
  // Where something is counted: what was found, and what would be right.
  std::int64_t seen = 0;
  std::int64_t right = 0;

  /// Equal for what shrinking must keep: the same property broken, on the same resource.
  bool same_kind(const Finding& rhs) const {
    return verdict == rhs.verdict && oracle == rhs.oracle && resource == rhs.resource &&
           deed == rhs.deed;
  }
};

}  // namespace picklock::race
