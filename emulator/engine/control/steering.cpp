// What faults and the trace do to a request on its way through the engine.
//
// Kept apart from engine.cpp since nobody comes here unless a test has asked for either.
#include <algorithm>
#include <utility>

#include "emulator/engine/control/control.hpp"
#include "emulator/engine/control/restart.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/tee_writer.hpp"
#include "emulator/engine/transaction.hpp"
#include "emulator/resp/text_writer.hpp"

namespace picklock {

// A connection that is dead without anybody knowing: the client waits, and what it sends is lost.
void Engine::fall_silent(Session& session) {
  session.silenced = true;
  session.blocked = Blocked{std::nullopt, ++last_block_order_};
  session.blocked->command = session.last_command;
  session.blocked->hold = Blocked::Hold::silence;
}

// `struck_by` may be null: by none.
void Engine::process_struck(Session& session, const Command* command, Args words,
                            const RequestFault* struck_by) {
  if (!struck_by) return process(session, command, words);
  const RequestFault& fault = *struck_by;
  switch (fault.action) {
    case RequestFault::Action::error:
      return reject(session, command, words, std::string{fault.text});
    case RequestFault::Action::delay:
      if (fault.delay == Duration{0}) return process(session, command, words);
      postpone(session, *command, words);
      session.blocked->deadline = clock.now() + fault.delay;
      session.blocked->hold = Blocked::Hold::delay;
      return;
    case RequestFault::Action::drop_request:
      return fall_silent(session);
    case RequestFault::Action::drop_reply:
      session.silenced = true;
      process(session, command, words);
      if (!session.is_blocked() && !session.closing) fall_silent(session);
      return;
    case RequestFault::Action::close_after:
      session.silenced = true;
      process(session, command, words);
      withdraw(session);
      session.closing = session.output_is_void = true;
      return;
    case RequestFault::Action::close:
      session.silenced = session.closing = session.output_is_void = true;
      return;
  }
}

void Engine::process_steered(Session& session, const Command* command, Args words) {
  if (control->disk) sync(*control->disk, *this);
  if (session.is_primary) return process(session, command, words);
  if (control->stopped && !(command && command->group == "picklock")) {
    session.closing = session.output_is_void = true;
    return;
  }
  const bool past = std::exchange(past_faults_, false);
  if (session.silenced) return fall_silent(session);
  if (command && command->group == "picklock") return process(session, command, words);
  const RequestFault* const found =
      command && !past ? control->faults.strike(*command, words, session.identity->name) : nullptr;
  if (!found) return process_traced(session, command, words, nullptr);
  const RequestFault fault = *found;  // The command may be one of a script that clears faults.
  process_traced(session, command, words, &fault);
}

/// Notes the reply to a client that is not one of bytes.
void Engine::process_noting_reply(Session& session, const Command* command, Args words,
                                  const RequestFault* fault, TraceRow& row) {
  TextWriter notes(session.resp_version, kTracedReplyBytes);
  ReplyWriter* const own = session.writer;
  // Errors are counted once: by the tee, which knows which of them count.
  TeeWriter tee(*own, notes);
  own->report_errors_to(nullptr);
  tee.report_errors_to(this);
  session.writer = &tee;
  const auto put_back = [&] {
    session.writer = own;
    own->report_errors_to(this);
  };
  try {
    process_struck(session, command, words, fault);
  } catch (...) {
    put_back();
    control->trace.in_request = false;
    throw;
  }
  put_back();
  if (notes.complete()) row.set_reply(notes.text());
}

void Engine::process_traced(Session& session, const Command* command, Args words,
                            const RequestFault* fault) {
  Trace& trace = control->trace;
  if (!trace.is_on() || !session.writer) return process_struck(session, command, words, fault);
  TraceRow row = trace.new_row();
  const std::string& name = session.identity->name;
  row.begin({.at = clock.now(),
             .client = session.id,
             .name = name.empty() ? session.identity->address : name,
             .database = session.database},
            words);
  if (fault) row.set_fault(to_words(*fault));
  const std::uint64_t changes = keyspace.changes();
  begin_noting();
  const bool outermost = !std::exchange(trace.in_request, true);
  if (std::string* const output = session.events ? session.events->byte_output() : nullptr) {
    const std::size_t start = output->size();  // Nobody takes of it until the request is over.
    process_struck(session, command, words, fault);
    const std::string_view sent = std::string_view{*output}.substr(std::min(start, output->size()));
    const bool is_data = command && command->name == "sync" && sent.starts_with('$');
    if (!is_data) row.set_encoded_reply(sent);
  } else {
    process_noting_reply(session, command, words, fault, row);
  }
  const bool waits = session.is_blocked() && !session.silenced;
  if (!row.has_reply()) row.set_reply(waits ? "(waits)" : "(none)");
  note_effects(session.id);
  if (outermost) trace.in_request = false;
  trace.add(std::move(row), keyspace.changes() - changes, waits);
}

void keep_trace(Engine& engine, std::size_t most) {
  engine.steered = true;
  engine.control->trace.keep(most);
  engine.keyspace.collect_effects(most > 0);
}

// What was done to keys since the last line in other ways than by a request (a fixture was loaded,
// a snapshot restored) is nobody's.
void Engine::begin_noting() {
  Trace& trace = control->trace;
  if (trace.in_request) return note_effects(current_ ? current_->id : 0);
  for (Database& database : keyspace.used()) database.effects().clear();
  trace.drop_effects();
}

void Engine::note_effects(std::uint64_t client) {
  int index = 0;
  for (Database& database : keyspace.used()) {
    if (!database.effects().empty()) control->trace.take(database.effects(), index, client);
    ++index;
  }
}

// Within a request they are a part of its line.
void Engine::note_expired() {
  note_effects(0);
  Trace& trace = control->trace;
  if (trace.in_request) return;
  if (!trace.has_effects()) return;
  TraceRow row = trace.new_row();
  row.begin({.at = clock.now(), .name = "clock"}, {});
  trace.add(std::move(row), 0, false);
}

void Engine::note_answer(const Session& session) {
  control->trace.answered(session.id, clock.now());
}

// Redis: clientsCronHandleTimeout. Whole seconds, and those who wait or have subscribed are spared.
std::optional<Instant> Engine::idle_deadline(const Session& session) const {
  const std::int64_t allowed = config.watching().idle_seconds;
  if (allowed == 0 || &session == current_ || session.closing || session.is_blocked() ||
      session.subscriptions.any() || session.monitors || session.is_replica)
    return std::nullopt;
  return from_unix_ms((to_unix_ms(session.last_used_at) / 1000 + allowed + 1) * 1000);
}

void Engine::close_idle() {
  std::vector<Session*> idle;
  for (const auto& [id, session] : sessions_)
    if (const auto deadline = idle_deadline(*session); deadline && *deadline <= clock.now())
      idle.push_back(session.get());
  for (Session* session : idle) kill(*session);
}

}  // namespace picklock
