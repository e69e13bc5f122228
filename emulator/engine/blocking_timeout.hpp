// The timeout of commands that wait for keys.
#pragma once

#include <optional>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock {

struct BlockingTimeout {
  std::optional<Instant> deadline;  ///< Never, if empty.
};

/// Reads seconds, with fractions, 0 for ever; nullopt if the error was answered.
std::optional<BlockingTimeout> parse_timeout(Context& c, std::string_view seconds);

/// Reads whole milliseconds, 0 for ever.
std::optional<BlockingTimeout> parse_timeout_ms(Context& c, std::string_view milliseconds);

/// What most commands answer when their time is over.
inline void reply_timed_out(ReplyWriter& reply) { reply.null_array(); }

}  // namespace picklock
