// What the engine notes of every command: counters, the slow log, latencies, monitors, tracked
// keys.
#include <algorithm>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/monitor.hpp"

namespace picklock {

void Engine::count(const Command& command, Duration took, bool held_back) {
  ++stats.commands;
  CommandCounters& counters = stats.of(command);
  ++counters.calls;
  if (took.count() > 0) counters.microseconds += static_cast<std::uint64_t>(took.count());
  if (!held_back && config.watching().latency_tracking) counters.time(took);
  // Errors of commands that it has called were blamed on those. Redis: incrCommandStatsOnError.
  if (stats.errors > errors_seen_ || repeated_error_) ++counters.failed;
  errors_seen_ = stats.errors;
  repeated_error_ = false;
}

namespace {
void log_if_slow(Engine& engine, const EngineContext& context, Duration took) {
  const Watching& watching = engine.config.watching();
  if (watching.slower_than < 0 || took.count() < watching.slower_than) return;
  if (context.command->has(kSkipSlowlog)) return;
  // Redis 7.0.15 logs what a script calls for a client without an address or a name.
  const bool scripted = !context.may_block;
  engine.slow_log.add(presentable_words(context), engine.clock.now(), took,
                      scripted ? "?:0" : std::string_view{context.session.identity->address},
                      scripted ? std::string_view{} : context.session.identity->name,
                      watching.slow_log_size);
}

void note_latency(Engine& engine, std::string_view event, Duration took) {
  const std::int64_t threshold = engine.config.watching().latency_threshold;
  const std::int64_t ms = took.count() / 1000;
  if (threshold > 0 && ms >= threshold)
    engine.latency.add(event, to_unix_ms(engine.clock.now()) / 1000, ms);
}
}  // namespace

// In the order of Redis's call().
void Engine::observe(EngineContext& context, Duration took) {
  const Command& command = *context.command;
  if (tracking.is_needed()) invalidate_changed(*this, current_, /*in_request=*/true);
  note_latency(*this, command.has(kFast) ? "fast-command" : "command", took);
  if (!context.session.is_blocked()) log_if_slow(*this, context, took);
  if (!monitors.empty() && shows_after(command)) show_to_monitors(*this, context);
  // A script's calls are the script's own affair.
  if (context.session.tracking && context.may_block && command.has(kReadonly) &&
      command.group != "scripting")
    remember_keys(*this, context.session, command, context.args);
}

// Redis: updateStatsOnUnblock.
void Engine::finish_held_back(EngineContext& context, Duration took) {
  CommandCounters& counters = stats.of(*context.command);
  if (config.watching().latency_tracking) counters.time(took);
  counters.microseconds += static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
  if (stats.errors > errors_seen_) ++counters.failed;
  log_if_slow(*this, context, took);
  note_latency(*this, "command-unblocking", took);
}

// Redis: execCommandAbort. Monitors have seen MULTI, and are to see its end.
void Engine::show_refused(Session& session, const Command& command, Args words) {
  show_to_monitors(*this, EngineContext{*this, session, words, replies_to(session), command,
                                        to_unix_ms(session.last_used_at)});
}

// Redis: clientCommand's UNBLOCK, which counts a failure whatever it answers, and logs when the
// words have been forgotten already.
void Engine::interrupt(Session& session, void (*answer)(ReplyWriter&)) {
  const Command& command = *session.blocked->command;
  unblock(session, answer);
  count_interrupted(session, command);
}

void Engine::interrupt(Session& session) {
  const Command& command = *session.blocked->command;
  time_out(session);
  count_interrupted(session, command);
}

void Engine::count_interrupted(Session& session, const Command& command) {
  ++stats.of(command).failed;
  log_if_slow(
      *this,
      EngineContext{*this, session, {}, replies_to(session), command, to_unix_ms(clock.now())},
      Duration{});
}

void Engine::set_monitoring(Session& session, bool on) {
  if (session.monitors == on) return;
  session.monitors = on;
  if (on)
    monitors.push_back(session.id);
  else
    std::erase(monitors, session.id);
}

namespace {
OutputLimit output_limit(const Engine& engine, const Session& session) {
  OutputLimit limit = engine.config.output_limits().of(session.output_class());
  // What the backlog may hold, a replica may wait for.
  if (session.is_replica && limit.hard_bytes > 0)
    limit.hard_bytes = std::max(limit.hard_bytes, engine.config.number("repl-backlog-size"));
  return limit;
}
/// Redis keeps replies of this size in a buffer of the client's own, which no limit counts.
constexpr std::size_t kUncountedBytes = 16 * 1024;
}  // namespace

// Redis: checkClientOutputBufferLimits.
void Engine::check_output(Session& session, std::size_t unsent_bytes) {
  const OutputLimit limit = output_limit(*this, session);
  if (limit.hard_bytes == 0 && limit.soft_bytes == 0) return;
  if (session.closing) return;
  if (session.is_replica) {
    const std::size_t sent = session.given_bytes - std::min(session.given_bytes, unsent_bytes);
    const std::size_t data_left = session.data_bytes - std::min(session.data_bytes, sent);
    unsent_bytes -= std::min(unsent_bytes, data_left);
  }
  const auto bytes = unsent_bytes <= kUncountedBytes ? 0 : static_cast<std::int64_t>(unsent_bytes);
  const auto reaches = [bytes](std::int64_t most) { return most > 0 && bytes >= most; };
  if (reaches(limit.hard_bytes)) {
    session.closing = session.output_is_void = true;
  } else if (!reaches(limit.soft_bytes)) {
    session.over_soft_limit_since.reset();
  } else if (!session.over_soft_limit_since) {
    limited_ = true;
    session.over_soft_limit_since = to_unix_ms(clock.now()) / 1000;
  }
}

// The first second that is more than the setting away.
Instant Engine::slow_reader_deadline(const Session& session) const {
  constexpr std::int64_t kLast = kLastInstantMs / 1000;
  const std::int64_t allowed = std::min(output_limit(*this, session).soft_seconds, kLast);
  return from_unix_ms(std::min(*session.over_soft_limit_since + allowed + 1, kLast) * 1000);
}

void Engine::close_slow_readers(std::int64_t now_s) {
  std::vector<Session*> slow;
  for (const auto& [id, session] : sessions_)
    if (session->over_soft_limit_since && !session->closing &&
        slow_reader_deadline(*session) <= from_unix_ms(now_s * 1000))
      slow.push_back(session.get());
  for (Session* session : slow) kill(*session);
}

}  // namespace picklock
