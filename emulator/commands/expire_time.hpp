// The expiry options that SET, GETEX, SETEX and the EXPIRE family share, and the arithmetic behind
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock {

enum class TimeUnit : std::uint8_t { seconds, milliseconds };
enum class TimeBase : std::uint8_t { relative, absolute };

/// The deadline that a SET-like command asks for with `text`: positive, in range once it is in
/// milliseconds and counted from the clock. Otherwise answers the error Redis gives and returns
/// nullopt.
std::optional<std::int64_t> read_set_deadline(Context& c, std::string_view text, TimeUnit unit,
                                              TimeBase base);

/// NX, XX, GT and LT of EXPIRE and HEXPIRE.
struct ExpiryCondition {
  bool nx = false, xx = false, gt = false, lt = false;

  /// Takes one of the four words; false if `word` is none.
  bool take(std::string_view word);
  /// Whether what has `current` as its deadline may get `wanted`; no deadline counts as infinite.
  bool allows(std::int64_t current, std::int64_t wanted) const;
};

/// Reads `words`, all of which must be conditions; answers the error and returns nullopt if they do
/// not fit together.
std::optional<ExpiryCondition> read_expiry_condition(Context& c, Args words);

/// Redis 7.0, checkAlreadyExpired: a deadline given as now or past counts at once, but on a
/// replica.
inline bool already_expired(const Context& c, std::int64_t deadline_ms) {
  return !c.on_replica && deadline_ms <= c.clock_ms();
}

}  // namespace picklock
