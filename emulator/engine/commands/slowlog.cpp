// SLOWLOG and MONITOR: looking at what others do.
#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

void monitor(Context& c) {
  auto& ec = engine_context(c);
  if (ec.session.transaction && ec.session.transaction->executing)
    return c.reply.error(errors::kMonitorMayNotBlock);
  if (ec.session.monitors) return;  // Redis does not answer a second time.
  ec.engine.set_monitoring(ec.session, true);
  c.reply.ok();
}

void slowlog_get(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "SLOWLOG"));
  const auto& entries = engine_context(c).engine.slow_log.entries();
  std::size_t count = 10;
  if (c.args.size() == 3) {
    const auto wanted = parse_int64(c.args[2]);
    if (!wanted || *wanted < -1) return c.reply.error(errors::kSlowlogCount);
    count = *wanted == -1 ? entries.size() : static_cast<std::size_t>(*wanted);
  }
  count = std::min(count, entries.size());
  c.reply.array(count);
  for (std::size_t i = 0; i < count; ++i) {
    const SlowLog::Entry& entry = entries[i];
    c.reply.array(6);
    c.reply.integer(static_cast<std::int64_t>(entry.id));
    c.reply.integer(entry.unix_seconds);
    c.reply.integer(entry.microseconds);
    c.reply.array(entry.words.size());
    for (const std::string& word : entry.words) c.reply.bulk(word);
    c.reply.bulk(entry.address);
    c.reply.bulk(entry.name);
  }
}

void slowlog_len(Context& c) {
  c.reply.integer(static_cast<std::int64_t>(engine_context(c).engine.slow_log.entries().size()));
}

void slowlog_reset(Context& c) {
  engine_context(c).engine.slow_log.clear();
  c.reply.ok();
}

void slowlog_help(Context& c) { write_help(c, help::slowlog()); }

constexpr std::uint32_t kSlowlogFlags = kAdmin | kLoading | kStale;

constexpr Command kSlowlogSubcommands[] = {
    {"slowlog|get",
     -2,
     kSlowlogFlags,
     0,
     {},
     "server",
     "2.2.12",
     slowlog_get,
     {},
     "request_policy:all_nodes nondeterministic_output"},
    {"slowlog|len",
     2,
     kSlowlogFlags,
     0,
     {},
     "server",
     "2.2.12",
     slowlog_len,
     {},
     "request_policy:all_nodes response_policy:agg_sum nondeterministic_output"},
    {"slowlog|reset",
     2,
     kSlowlogFlags,
     0,
     {},
     "server",
     "2.2.12",
     slowlog_reset,
     {},
     "request_policy:all_nodes response_policy:all_succeeded"},
    {"slowlog|help", 2, kLoading | kStale, 0, {}, "server", "6.2.0", slowlog_help},
};

constexpr Command kSlowlogCommands[] = {
    {"monitor", 1, kSlowlogFlags | kNoScript, 0, {}, "server", "1.0.0", monitor},
    {"slowlog", -2, 0, 0, {}, "server", "2.2.12", nullptr, kSlowlogSubcommands},
};

}  // namespace

std::span<const Command> commands::slowlog() { return kSlowlogCommands; }

}  // namespace picklock
