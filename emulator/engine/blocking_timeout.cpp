#include "emulator/engine/blocking_timeout.hpp"

#include <algorithm>
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"

namespace picklock {

std::optional<BlockingTimeout> parse_timeout(Context& c, std::string_view seconds) {
  const auto error = [&c](std::string_view text) { return c.reply.error(text), std::nullopt; };
  const auto number = parse_long_double(seconds);
  if (!number) return error(errors::kTimeoutNotFloat);
  // Redis rounds up to whole milliseconds; what does not fit 64 bits becomes negative there.
  const long double ms = std::ceil(*number * 1000);
  if (ms < 0 || ms >= 0x1p63L) return error(errors::kTimeoutNegative);
  if (ms == 0) return BlockingTimeout{};
  const std::int64_t now_ms = c.clock_ms();
  const auto timeout_ms = static_cast<std::int64_t>(ms);
  return BlockingTimeout{
      from_unix_ms(timeout_ms > kLastInstantMs - now_ms ? kLastInstantMs : now_ms + timeout_ms)};
}

}  // namespace picklock
