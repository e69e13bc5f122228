// CLIENT PAUSE: commands that wait until the server goes on.
//
// Redis 7.0, processCommand: a command that is held back has passed all checks but has not run.
// While clients are paused no key is removed for its deadline, though expired ones are not seen.
#include <algorithm>
#include <exception>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/request_flags.hpp"

namespace picklock {

namespace {

constexpr std::uint32_t kChanges = kWrite | kMayReplicate;

}  // namespace

bool Engine::is_paused(const Session& session, const Command& command, Args words) {
  if (to_unix_ms(session.last_used_at) > pause_.end_ms) {
    resume_clients();
    return false;
  }
  if (session.monitors || session.is_replica || command.group == "picklock") return false;
  if (pause_.kind == Pause::Kind::all) return true;
  if (command.name == "exec" && session.transaction)
    return std::ranges::any_of(session.transaction->queue, [](const QueuedCommand& queued) {
      return (queued.flags & kChanges) != 0;
    });
  return (request_flags(*this, command, words) & kChanges) != 0;
}

void Engine::postpone(Session& session, const Command& command, Args words) {
  limited_ = true;
  session.blocked = Blocked{std::nullopt, ++last_block_order_};
  session.blocked->words.assign(words.begin(), words.end());
  session.blocked->command = &command;
  session.blocked->postponed = true;
}

void Engine::pause_clients(Pause::Kind kind, std::int64_t end_ms) {
  if (end_ms < to_unix_ms(clock.now()) && pause_.kind == Pause::Kind::none) return;
  pause_.end_ms = pause_.kind == Pause::Kind::none ? end_ms : std::max(pause_.end_ms, end_ms);
  pause_.kind = std::max(pause_.kind, kind);
  review_freeze();
}

bool Engine::holds_back_writes() const {
  return pause_.kind != Pause::Kind::none && to_unix_ms(clock.now()) <= pause_.end_ms;
}

void Engine::resume_clients() {
  pause_ = {};
  review_freeze();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> waiting;
  for (const auto& [id, session] : sessions_)
    if (session->blocked && session->blocked->postponed &&
        session->blocked->hold == Blocked::Hold::command)
      waiting.emplace_back(session->blocked->order, id);
  std::ranges::sort(waiting);
  for (const auto& [order, id] : waiting) unblocked_.push_back(id);
}

// Redis: processPendingCommandAndInputBuffer.
void Engine::carry_on(Session& session) {
  std::exception_ptr thrown;
  if (session.blocked && session.blocked->postponed) {
    const std::vector<std::string> words = std::move(session.blocked->words);
    past_faults_ = session.blocked->hold == Blocked::Hold::delay;
    withdraw(session);
    SessionEvents* const events = session.events;
    if (events) events->late_request_begins();
    try {
      execute(session, std::vector<std::string_view>(words.begin(), words.end()));
    } catch (...) {  // A script's log told somebody who throws.
      thrown = std::current_exception();
    }
    if (events) events->late_request_ends();
  }
  if (session.silenced && !session.is_blocked() && !session.closing) fall_silent(session);
  if (session.events && !session.is_blocked()) session.events->resumed();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace picklock
