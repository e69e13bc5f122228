#include "emulator/engine/blocking_timeout.hpp"

#include <algorithm>
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"

namespace picklock {

namespace {

BlockingTimeout in(std::int64_t timeout_ms, std::int64_t now_ms) {
  if (timeout_ms == 0) return {};
  return {
      from_unix_ms(timeout_ms > kLastInstantMs - now_ms ? kLastInstantMs : now_ms + timeout_ms)};
}

}  // namespace

std::optional<BlockingTimeout> parse_timeout(Context& c, std::string_view seconds) {
  const auto error = [&c](std::string_view text) { return c.reply.error(text), std::nullopt; };
  const auto number = parse_long_double(seconds);
  if (!number) return error(errors::kTimeoutNotFloat);
  // Redis rounds up to whole milliseconds; what does not fit 64 bits becomes negative there.
  const long double ms = std::ceil(*number * 1000);
  if (ms < 0 || ms >= 0x1p63L) return error(errors::kTimeoutNegative);
  return in(static_cast<std::int64_t>(ms), c.clock_ms());
}

std::optional<BlockingTimeout> parse_timeout_ms(Context& c, std::string_view milliseconds) {
  const auto error = [&c](std::string_view text) { return c.reply.error(text), std::nullopt; };
  const auto timeout_ms = parse_int64(milliseconds);
  if (!timeout_ms) return error(errors::kTimeoutNotInteger);
  if (*timeout_ms < 0) return error(errors::kTimeoutNegative);
  return in(*timeout_ms, c.clock_ms());
}

}  // namespace picklock
