#include "emulator/engine/client_pause.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {

void client_pause(Context& c) {
  Pause::Kind kind = Pause::Kind::all;
  if (c.args.size() > 4) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLIENT"));
  if (c.args.size() == 4) {
    if (is_word(c.args[3], "write"))
      kind = Pause::Kind::writes;
    else if (!is_word(c.args[3], "all"))
      return c.reply.error(errors::kPauseMode);
  }
  const auto duration = parse_int64(c.args[2]);
  if (!duration) return c.reply.error(errors::kTimeoutNotInteger);
  if (*duration < 0) return c.reply.error(errors::kTimeoutNegative);
  // Redis 7.0.15 lets the sum overflow: such a pause is over before it begins.
  std::int64_t end_ms = 0;
  if (*duration > 0 && __builtin_add_overflow(c.clock_ms(), *duration, &end_ms)) end_ms = 0;
  engine_context(c).engine.pause_clients(kind, end_ms);
  c.reply.ok();
}

void client_unpause(Context& c) {
  engine_context(c).engine.resume_clients();
  c.reply.ok();
}

void client_reply(Context& c) {
  auto& ec = engine_context(c);
  Session& session = ec.session;
  if (is_word(c.args[2], "on")) {
    session.replies_off = session.skips_reply = false;
    return ec.engine.replies_to(session).ok();
  }
  if (is_word(c.args[2], "off"))
    session.replies_off = true;
  else if (is_word(c.args[2], "skip"))
    session.skips_next = session.skips_next || !session.replies_off;
  else
    c.reply.error(errors::kSyntax);
}

}  // namespace picklock
