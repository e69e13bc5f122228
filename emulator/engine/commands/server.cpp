// INFO, TIME, WAIT.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/info.hpp"
#include "emulator/engine/replica_feed.hpp"

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

void wait(Context& c) {
  auto& ec = engine_context(c);
  const Replication& replication = ec.engine.replication;
  if (replication.primary) return c.reply.error(errors::kWaitOnReplica);
  const auto replicas = parse_int64(c.args[1]);
  if (!replicas) return c.reply.error(errors::kNotInteger);
  const auto timeout = parse_int64(c.args[2]);
  if (!timeout) return c.reply.error(errors::kTimeoutNotInteger);
  if (*timeout < 0) return c.reply.error(errors::kTimeoutNegative);
  // Redis remembers the number of replicas as a 32-bit integer: what is left of a larger one may
  // be nothing or less.
  const auto wanted = static_cast<std::int32_t>(*replicas);
  const std::int64_t confirmed = replication.count_acknowledged(ec.session.written);
  const bool in_transaction = ec.session.transaction && ec.session.transaction->executing;
  if (confirmed >= std::min<std::int64_t>(*replicas, wanted) || in_transaction || !ec.may_block)
    return c.reply.integer(confirmed);
  // Redis counts timeouts in whole milliseconds and fires them once they lie in the past. One that
  // overflows there never comes.
  const std::int64_t now_ms = c.clock_ms();
  std::optional<Instant> deadline;
  if (*timeout > 0 && *timeout <= std::numeric_limits<std::int64_t>::max() - now_ms)
    deadline = from_unix_ms(std::min<std::int64_t>(now_ms + *timeout, kLastInstantMs));
  ec.engine.block(ec, deadline, nullptr);
  ec.session.blocked->wants_replicas = true;
  ec.session.blocked->replicas = wanted;
  ec.session.blocked->written = ec.session.written;
  if (ec.engine.feed) ec.engine.feed->want_acknowledgements();
}

constexpr Command kServerCommands[] = {
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

std::span<const Command> commands::server() { return kServerCommands; }

}  // namespace picklock
