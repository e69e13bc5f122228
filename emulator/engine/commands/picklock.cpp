// PICKLOCK: steers the emulator over RESP. Not listed by COMMAND.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {
namespace {

void picklock_now(Context& c) { c.reply.integer(to_unix_ms(c.clock.now())); }

void picklock_advance(Context& c) {
  const auto ms = parse_int64(c.args[2]);
  if (!ms || *ms < 0 || *ms > kMaxAdvance.count())
    return c.reply.error("ERR PICKLOCK ADVANCE takes milliseconds from 0 to " +
                         to_text(kMaxAdvance.count()));
  if (!advance_clock(engine_context(c).engine, std::chrono::milliseconds{*ms}))
    return c.reply.error(
        "ERR the system clock cannot be moved: start with --clock simulated or --clock offset");
  picklock_now(c);
}

void picklock_next(Context& c) {
  Engine& engine = engine_context(c).engine;
  const auto next = engine.next_event();
  if (!next) return c.reply.null();
  const Instant now = c.clock.now();
  if (!advance_clock(engine, *next > now ? *next - now : Duration{0}))
    return c.reply.error(
        "ERR the system clock cannot be moved: start with --clock simulated or --clock offset");
  picklock_now(c);
}

void picklock_help(Context& c) {
  static constexpr std::string_view kLines[] = {
      "PICKLOCK <subcommand> [<arg> ...]. Subcommands are:",
      "ADVANCE <milliseconds>",
      "    Let time pass; what falls due on the way happens in order. Returns the new time.",
      "NEXT",
      "    Let time pass up to the next event (a key expires, a wait ends). Null if nothing is "
      "pending.",
      "NOW",
      "    The server's time in Unix milliseconds.",
      "HELP",
      "    Print this help.",
  };
  c.reply.array(std::size(kLines));
  for (const std::string_view line : kLines) c.reply.status(line);
}

constexpr Command kPicklockSubcommands[] = {
    {"picklock|advance", 3, kNoScript, 0, {}, "picklock", "0.1.0", picklock_advance},
    {"picklock|next", 2, kNoScript, 0, {}, "picklock", "0.1.0", picklock_next},
    {"picklock|now", 2, kNoScript, 0, {}, "picklock", "0.1.0", picklock_now},
    {"picklock|help", 2, kNoScript, 0, {}, "picklock", "0.1.0", picklock_help},
};

constexpr Command kPicklockCommands[] = {
    {"picklock", -2, 0, 0, {}, "picklock", "0.1.0", nullptr, kPicklockSubcommands},
};

}  // namespace

std::span<const Command> commands::picklock() { return kPicklockCommands; }

}  // namespace picklock
