// LATENCY: what took long, when and how long.
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/latency_report.hpp"
#include "emulator/engine/table.hpp"

namespace picklock {
namespace {

void latency_latest(Context& c) {
  const auto& events = engine_context(c).engine.latency.events();
  c.reply.array(events.size());
  for (const auto& [name, event] : events) {
    c.reply.array(4);
    c.reply.bulk(name);
    c.reply.integer(event.samples.back().unix_seconds);
    c.reply.integer(event.samples.back().milliseconds);
    c.reply.integer(event.longest_ms);
  }
}

void latency_history(Context& c) {
  const auto& events = engine_context(c).engine.latency.events();
  const auto found = events.find(c.args[2]);
  if (found == events.end()) return c.reply.array(0);
  c.reply.array(found->second.samples.size());
  for (const auto& sample : found->second.samples) {
    c.reply.array(2);
    c.reply.integer(sample.unix_seconds);
    c.reply.integer(sample.milliseconds);
  }
}

void latency_reset(Context& c) {
  LatencyMonitor& monitor = engine_context(c).engine.latency;
  std::int64_t forgotten = 0;
  if (c.args.size() == 2) {
    forgotten = static_cast<std::int64_t>(monitor.events().size());
    monitor = {};
  }
  for (const std::string_view name : c.args.subspan(2))
    if (monitor.forget(std::string{name})) ++forgotten;
  c.reply.integer(forgotten);
}

void latency_doctor(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const Watching& watching = engine.config.watching();
  c.reply.verbatim("txt", latency_diagnosis(engine.latency, watching.latency_threshold,
                                            watching.slower_than, c.clock_ms() / 1000));
}

void latency_graph(Context& c) {
  const Engine& engine = engine_context(c).engine;
  const auto found = engine.latency.events().find(c.args[2]);
  if (found == engine.latency.events().end())
    return c.reply.error(errors::no_latency_samples(c.args[2]));
  c.reply.verbatim("txt", latency_graph(found->first, found->second, c.clock_ms() / 1000));
}

void write_histogram(Context& c, const CommandCounters& counters) {
  c.reply.bulk(counters.command->name);
  c.reply.map(2);
  c.reply.bulk("calls");
  c.reply.integer(static_cast<std::int64_t>(counters.timed));
  c.reply.bulk("histogram_usec");
  const auto steps = latency_histogram(counters);
  c.reply.map(steps.size());
  for (const auto& [microseconds, calls] : steps) {
    c.reply.integer(microseconds);
    c.reply.integer(static_cast<std::int64_t>(calls));
  }
}

/// The counters of `command` and its subcommands that have been timed.
void collect_timed(const Stats& stats, const Command& command,
                   std::vector<const CommandCounters*>& found) {
  const CommandCounters* own = stats.find(command);
  if (own && own->timed > 0) found.push_back(own);
  for (const Command& subcommand : command.subcommands) collect_timed(stats, subcommand, found);
}

void latency_histogram_of(Context& c) {
  const Stats& stats = engine_context(c).engine.stats;
  std::vector<const CommandCounters*> found;
  if (c.args.size() == 2) {
    for (const CommandCounters& counters : stats.counters())
      if (counters.timed > 0) found.push_back(&counters);
  }
  for (const std::string_view name : c.args.subspan(2)) {
    const auto bar = name.find('|');
    const Command* command = find_command(name.substr(0, bar), *c.profile);
    if (command && bar != std::string_view::npos)
      command = find_subcommand(*command, name.substr(bar + 1), *c.profile);
    if (command && command->number != 0) collect_timed(stats, *command, found);
  }
  c.reply.map(found.size());
  for (const CommandCounters* counters : found) write_histogram(c, *counters);
}

void latency_help(Context& c) { write_help(c, help::latency()); }

constexpr std::uint32_t kLatencyFlags = kAdmin | kNoScript | kLoading | kStale;
constexpr std::string_view kTips =
    "nondeterministic_output request_policy:all_nodes response_policy:special";

constexpr Command kLatencySubcommands[] = {
    {"latency|graph", 3, kLatencyFlags, 0, {}, "server", "2.8.13", latency_graph, {}, kTips},
    {"latency|doctor", 2, kLatencyFlags, 0, {}, "server", "2.8.13", latency_doctor, {}, kTips},
    {"latency|histogram",
     -2,
     kLatencyFlags,
     0,
     {},
     "server",
     "7.0.0",
     latency_histogram_of,
     {},
     kTips},
    {"latency|reset",
     -2,
     kLatencyFlags,
     0,
     {},
     "server",
     "2.8.13",
     latency_reset,
     {},
     "request_policy:all_nodes response_policy:all_succeeded"},
    {"latency|help", 2, kLoading | kStale, 0, {}, "server", "2.8.13", latency_help},
    {"latency|history", 3, kLatencyFlags, 0, {}, "server", "2.8.13", latency_history, {}, kTips},
    {"latency|latest", 2, kLatencyFlags, 0, {}, "server", "2.8.13", latency_latest, {}, kTips},
};

constexpr Command kLatencyCommands[] = {
    {"latency", -2, 0, 0, {}, "server", "2.8.13", nullptr, kLatencySubcommands},
};

}  // namespace

std::span<const Command> commands::latency() { return kLatencyCommands; }

}  // namespace picklock
