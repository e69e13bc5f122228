// What FLUSHDB and FLUSHALL may be told.
#pragma once

#include <optional>

#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"

namespace picklock {

/// Takes [ASYNC|SYNC]: whether it is to be later that the memory is free, which nobody else can
/// tell; nullopt with the error answered for anything else.
inline std::optional<bool> read_flush_mode(Context& c) {
  if (c.args.size() == 1) return false;
  if (c.args.size() == 2 && is_word(c.args[1], "async")) return true;
  if (c.args.size() == 2 && is_word(c.args[1], "sync")) return false;
  c.reply.error(errors::kSyntax);
  return std::nullopt;
}

}  // namespace picklock
