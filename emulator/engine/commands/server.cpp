// INFO, TIME, DEBUG, WAIT.
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/info.hpp"

namespace picklock {
namespace {

void info(Context& c) {
  c.reply.verbatim("txt", info_text(engine_context(c).engine, c.args.subspan(1)));
}

void time(Context& c) {
  const auto now = c.clock.now().time_since_epoch().count();
  c.reply.array(2);
  c.reply.bulk(to_text(now / 1'000'000));
  c.reply.bulk(to_text(now % 1'000'000));
}

void debug(Context& c) {
  if (iequals(c.args[1], "help") && c.args.size() == 2) return write_help(c, help::debug());
  if (iequals(c.args[1], "sleep") && c.args.size() == 3) {
    // Redis reads the seconds with strtod, which takes nonsense for 0.
    const double seconds = parse_double(c.args[2]).value_or(0);
    if (seconds > 0 && seconds < 1e9)
      c.clock.sleep_for(Duration{static_cast<std::int64_t>(seconds * 1e6)});
    return c.reply.ok();
  }
  if (iequals(c.args[1], "set-active-expire") && c.args.size() == 3) {
    engine_context(c).engine.active_expiry = parse_int64(c.args[2]).value_or(0) != 0;
    return c.reply.ok();
  }
  c.reply.error("ERR unknown subcommand or wrong number of arguments for '" +
                std::string{c.args[1]} + "'. Try DEBUG HELP.");
}

// A primary without replicas: nobody will ever confirm, so a wait for one lasts until it times out.
void wait(Context& c) {
  if (engine_context(c).engine.replication.primary) return c.reply.error(errors::kWaitOnReplica);
  const auto replicas = parse_int64(c.args[1]);
  if (!replicas) return c.reply.error(errors::kNotInteger);
  const auto timeout = parse_int64(c.args[2]);
  if (!timeout) return c.reply.error(errors::kTimeoutNotInteger);
  if (*timeout < 0) return c.reply.error(errors::kTimeoutNegative);
  // Redis remembers the number of replicas as a 32-bit integer: what is left of a larger one may
  // be nothing or less.
  if (static_cast<std::int32_t>(*replicas) <= 0) return c.reply.integer(0);
  // Redis counts timeouts in whole milliseconds and fires them once they lie in the past. One that
  // overflows there never comes.
  const std::int64_t now_ms = c.clock_ms();
  std::optional<Instant> deadline;
  if (*timeout > 0 && *timeout <= std::numeric_limits<std::int64_t>::max() - now_ms)
    deadline = from_unix_ms(std::min<std::int64_t>(now_ms + *timeout, kLastInstantMs));
  engine_context(c).engine.block(engine_context(c).session, deadline,
                                 [](ReplyWriter& reply) { reply.integer(0); });
}

constexpr Command kCommands[] = {
    {"info",
     -1,
     kLoading | kStale,
     kAclDangerous,
     {},
     "server",
     "1.0.0",
     info,
     {},
     "nondeterministic_output request_policy:all_shards response_policy:special"},
    {"time",
     1,
     kLoading | kStale | kFast,
     0,
     {},
     "server",
     "2.6.0",
     time,
     {},
     "nondeterministic_output"},
    {"debug", -2, kAdmin | kNoScript | kLoading | kStale, 0, {}, "server", "1.0.0", debug},
    {"wait",
     3,
     kNoScript,
     kAclConnection,
     {},
     "generic",
     "3.0.0",
     wait,
     {},
     "request_policy:all_shards response_policy:agg_min"},
};

}  // namespace

std::span<const Command> commands::server() { return kCommands; }

}  // namespace picklock
