// WAITAOF, which came with Redis 7.2: for a primary without replicas, as a lone one answers.
#include <algorithm>
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/newer_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

/// How many have synced: this server, and no replica.
template <int local>
void answer(ReplyWriter& reply) {
  reply.array(2);
  reply.integer(local);
  reply.integer(0);
}

/// The deadline for a timeout in milliseconds, where 0 is none; false with the error answered.
bool read_deadline(Context& c, std::string_view text, std::optional<Instant>& deadline) {
  const auto timeout = parse_int64(text);
  if (!timeout) return c.reply.error(errors::kTimeoutNotInteger), false;
  if (*timeout < 0) return c.reply.error(errors::kTimeoutNegative), false;
  if (*timeout > std::numeric_limits<std::int64_t>::max() - c.clock_ms())
    return c.reply.error(errors::kTimeoutOutOfRange), false;
  if (*timeout > 0)
    deadline = from_unix_ms(std::min<std::int64_t>(c.clock_ms() + *timeout, kLastInstantMs));
  return true;
}

void waitaof(Context& c) {
  auto& ec = engine_context(c);
  const auto local = parse_int64(c.args[1]);
  if (!local) return c.reply.error(errors::kNotInteger);
  if (*local < 0 || *local > 1) return c.reply.error(errors::kNotZeroOrOne);
  const auto replicas = parse_int64(c.args[2]);
  if (!replicas || *replicas < 0) return c.reply.error(errors::kMustBePositive);
  std::optional<Instant> deadline;
  if (!read_deadline(c, c.args[3], deadline)) return;
  const bool logs = ec.engine.config.get("appendonly") == "yes";
  if (*local > 0 && !logs) return c.reply.error(errors::kWaitaofWithoutAof);
  const auto reply = logs ? answer<1> : answer<0>;
  if (*replicas == 0 || !ec.may_block) return reply(c.reply);
  ec.engine.block(ec, deadline, reply);
}

constexpr Command kWaitAofCommands[] = {
    {"waitaof",
     4,
     kBlocking,
     kAclConnection,
     {},
     "generic",
     "7.2.0",
     waitaof,
     {},
     "request_policy:all_shards response_policy:agg_min",
     kNewer},
};

}  // namespace

std::span<const Command> commands::wait_aof() { return kWaitAofCommands; }

}  // namespace picklock
