// PICKLOCK: steers the emulator over RESP. Not listed by COMMAND. Time and help stand here.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/commands/picklock_steps.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {
namespace {

constexpr std::string_view kSystemClock =
    "ERR the system clock cannot be moved: start with --clock simulated or --clock offset";
constexpr std::int64_t kLatestMs = 253'402'300'799'999;  // The end of the year 9999.

void picklock_now(Context& c) { c.reply.integer(to_unix_ms(c.clock.now())); }

/// Time has passed for the one who asked for it, too: it has not been idle.
void answer_now(Context& c, bool moved) {
  if (!moved) return c.reply.error(kSystemClock);
  engine_context(c).session.last_used_at = c.clock.now();
  engine_context(c).session.steers = true;
  picklock_now(c);
}

void picklock_advance(Context& c) {
  const auto ms = parse_int64(c.args[2]);
  if (!ms || *ms < 0 || *ms > kMaxAdvance.count())
    return c.reply.error("ERR PICKLOCK ADVANCE takes milliseconds from 0 to " +
                         to_text(kMaxAdvance.count()));
  answer_now(c, advance_clock(engine_context(c).engine, std::chrono::milliseconds{*ms}));
}

void picklock_set_time(Context& c) {
  const auto ms = parse_int64(c.args[2]);
  if (!ms || *ms < 0 || *ms > kLatestMs)
    return c.reply.error("ERR PICKLOCK SET-TIME takes a Unix time in milliseconds from 0 to " +
                         to_text(kLatestMs));
  answer_now(c, set_clock(engine_context(c).engine, from_unix_ms(*ms)));
}

void picklock_next(Context& c) {
  Engine& engine = engine_context(c).engine;
  const auto next = engine.next_event();
  if (!next) return c.reply.null();
  const Instant now = c.clock.now();
  answer_now(c, advance_clock(engine, *next > now ? *next - now : Duration{0}));
}

void picklock_help(Context& c) {
  static constexpr std::string_view kLines[] = {
      "PICKLOCK <subcommand> [<arg> ...]. Subcommands are:",
      "ADVANCE <milliseconds>",
      "    Let time pass; what falls due on the way happens in order. Returns the new time.",
      "BLOCKED [MIN <clients>] [TIMEOUT <milliseconds>]",
      "    How many clients are blocked. With MIN, wait until there are so many: an error after",
      "    TIMEOUT milliseconds of real time (default 5000).",
      "FAULT ADD <fault> [COMMAND <name>] [KEY <pattern>] [CLIENT <pattern>] [NTH <n>] [TIMES <n>]",
      "    Have something go wrong with the n-th request (default 1) that fits, and the ones "
      "behind",
      "    it up to n times (default 1; 0: every one). Returns the fault's id. Faults are:",
      "    ERROR <text>: that is the reply, the request is not carried out.",
      "    DELAY <milliseconds>: it is carried out that much later on the server's clock.",
      "    DROP-REQUEST: it is lost, and the connection hears nothing any more.",
      "    DROP-REPLY: it is carried out, and the connection hears nothing any more.",
      "    CLOSE: the connection breaks before it is carried out; CLOSE-AFTER: behind it.",
      "FAULT LIST",
      "    All faults, with how many requests fitted and how many were struck.",
      "FAULT CLEAR [<id>]",
      "    Remove all faults, or one. Connections that hear nothing stay so until they are closed.",
      "LOAD <path> | LOAD DATA <bytes>",
      "    Carry out a file of commands, one a line, or read a .rdb file. Returns how many "
      "commands",
      "    or keys there were.",
      "NEW <name>",
      "    Make another server behind this port, with its own keys, clock and faults.",
      "NEXT",
      "    Let time pass up to the next event (a key expires, a wait ends). Null if nothing is "
      "pending.",
      "NODE ADD <name> [PORT <port>] [REPLICAOF <other>]",
      "    Make another server in this process, on a port of its own, and answer the port. The first",
      "    one's name is 'default'.",
      "NODE LIST",
      "    All of them: address, role, primary, what has not got through, link, clock.",
      "NODE LAG <name> <count>|ALL|OFF",
      "    So many of the newest units of the stream to this replica wait. A unit is what one request",
      "    of the primary did.",
      "NODE PENDING <name>",
      "    What waits, a line for each unit.",
      "NODE APPLY <name> [<count>|ALL]",
      "    Let the oldest units that wait through; answers how many there were.",
      "NODE CUT <name>",
      "    Nothing passes between this replica and the others; what was under way is lost.",
      "NODE CONNECT <name> [TO <other>]",
      "    Follow the primary again, or another server: a full synchronisation.",
      "NODE PROMOTE <name>",
      "    Make a replica the primary, with what has got through. The others follow it, and the old",
      "    primary does if it runs and the two are connected.",
      "NODE STOP <name>, NODE START <name> [KEEP ALL|SYNCED|NOTHING]",
      "    A server crashes: its port is closed, its clients are gone; it comes back with all data,",
      "    with those of its last whole second, or with none. Who asks stays connected.",
      "NODE RESTART <name> [KEEP ALL|SYNCED|NOTHING]",
      "    Both at once.",
      "NODE CLOCK <name> DRIFT <ppm>|STEP <milliseconds>|FREEZE|THAW",
      "    Its clock goes wrong against the first server's, which all go by.",
      "NOW",
      "    The server's time in Unix milliseconds.",
      "RESET",
      "    Everything as at the start, the clock and the settings too; no faults, an empty trace.",
      "    Connections stay as they are, but those that wait, watch, track or are in MULTI end.",
      "RESTORE <name>",
      "    Back to a snapshot, the clock too. Connections that came later end, and those that wait",
      "    now or waited then; the others are what they were. The one that asks stays.",
      "SEED <n>",
      "    Start the random generator anew.",
      "SET-TIME <unix milliseconds>",
      "    Set the clock, backwards too. Forwards it is ADVANCE; backwards nothing happens: what "
      "has",
      "    expired stays gone, and what is there lives longer, up to the same deadline.",
      "SNAPSHOT <name>",
      "    Keep the present state under a name, in place of one of that name.",
      "TRACE [<lines>]",
      "    The last requests with their replies and their effects, the oldest first: when, database,",
      "    client, request -> reply; which keys it changed, deleted, expired (it met them after their",
      "    time) or flushed, or \"for\" a waiting client that it served; which fault struck it.",
      "    What expires while the clock moves has lines of its own, of the clock.",
      "TRACE KEEP <lines>",
      "    How many are kept; 0 turns the trace off.",
      "USE <name>",
      "    Move this connection to the server of that name, as if it had just connected; 'default'",
      "    is the first one.",
      "HELP",
      "    Print this help.",
  };
  c.reply.array(std::size(kLines));
  for (const std::string_view line : kLines) c.reply.status(line);
}

constexpr std::uint32_t kPart = kNotRedis | kNoScript;
constexpr std::uint32_t kWhole = kPart | kNoMulti;

constexpr Command kPicklockSubcommands[] = {
    {"picklock|advance", 3, kPart, 0, {}, "picklock", "0.1.0", picklock_advance},
    {"picklock|blocked", -2, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_blocked},
    {"picklock|fault", -3, kPart, 0, {}, "picklock", "0.1.0", commands::picklock_fault},
    {"picklock|load", -3, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_load},
    {"picklock|new", 3, kPart, 0, {}, "picklock", "0.1.0", commands::picklock_new},
    {"picklock|next", 2, kPart, 0, {}, "picklock", "0.1.0", picklock_next},
    {"picklock|node", -3, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_node},
    {"picklock|now", 2, kPart, 0, {}, "picklock", "0.1.0", picklock_now},
    {"picklock|reset", 2, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_reset},
    {"picklock|restore", 3, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_restore},
    {"picklock|seed", 3, kPart, 0, {}, "picklock", "0.1.0", commands::picklock_seed},
    {"picklock|set-time", 3, kPart, 0, {}, "picklock", "0.1.0", picklock_set_time},
    {"picklock|snapshot", 3, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_snapshot},
    {"picklock|trace", -2, kPart, 0, {}, "picklock", "0.1.0", commands::picklock_trace},
    {"picklock|use", 3, kWhole, 0, {}, "picklock", "0.1.0", commands::picklock_use},
    {"picklock|help", 2, kPart, 0, {}, "picklock", "0.1.0", picklock_help},
};

constexpr Command kPicklockCommands[] = {
    {"picklock", -2, kNotRedis, 0, {}, "picklock", "0.1.0", nullptr, kPicklockSubcommands},
};

}  // namespace

std::span<const Command> commands::picklock() { return kPicklockCommands; }

}  // namespace picklock
