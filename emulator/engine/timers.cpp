// What becomes due as time goes on (active expiry, blocking timeouts, idle and slow clients), and
// when the next of it does.
#include <algorithm>
#include <utility>

#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_feed.hpp"

namespace picklock {

void Engine::expire_due(std::int64_t now_ms, std::size_t most) {
  if (!active_expiry || paused_) return;
  const bool traced = control->trace.is_on();
  if (traced) [[unlikely]]
    begin_noting();
  for (Database& database : keyspace.used())
    for (; most > 0; --most) {
      if (!(frozen_ ? database.expire_own(now_ms) : database.expire_one(now_ms))) break;
      tell_changes();
    }
  if (effects) effects->end_unit(/*apart=*/true);
  if (waiting_ > 0) {
    collect_ready();
    serve_ready();
  }
  if (traced) [[unlikely]]
    note_expired();
}

namespace {
/// The blocked session whose time-out comes first; ties go to the one that has waited longest.
Session* first_to_time_out(const std::map<std::uint64_t, std::unique_ptr<Session>>& sessions) {
  Session* first = nullptr;
  for (const auto& [id, session] : sessions) {
    if (!session->blocked || !session->blocked->deadline) continue;
    const auto rank = [](const Session& s) {
      return std::pair{*s.blocked->deadline, s.blocked->order};
    };
    if (!first || rank(*session) < rank(*first)) first = session.get();
  }
  return first;
}
}  // namespace

void Engine::run_due(std::size_t most_expired) {
  const Instant now = clock.now();
  // A turn of its own even within a request that moves the clock: who is unblocked goes on at this
  // instant.
  const int outer = std::exchange(turns_, 0);
  begin_turn();
  if (pause_.kind != Pause::Kind::none && to_unix_ms(now) > pause_.end_ms) resume_clients();
  expire_due(to_unix_ms(now), most_expired);
  close_slow_readers(to_unix_ms(now) / 1000);
  if (config.watching().idle_seconds > 0) close_idle();
  if (feed) feed->run_due();
  while (Session* session = first_to_time_out(sessions_)) {
    if (*session->blocked->deadline > now) break;
    if (session->blocked->hold == Blocked::Hold::delay) {  // It goes on its way.
      session->blocked->deadline.reset();
      unblocked_.push_back(session->id);
      continue;
    }
    time_out(*session);
  }
  try {
    end_turn();
  } catch (...) {  // As in execute().
    turns_ = outer;
    throw;
  }
  turns_ = outer;
}

std::optional<Instant> Engine::next_event() const {
  std::optional<Instant> next;
  const auto consider = [&next](Instant instant) {
    next = next ? std::min(*next, instant) : instant;
  };
  // Redis takes deadlines that lie beyond the last instant which a clock can show: they never come.
  if (pause_.kind != Pause::Kind::none && pause_.end_ms < kLastInstantMs)
    consider(from_unix_ms(pause_.end_ms + 1));
  for (const Database& database : keyspace.used()) {
    if (!active_expiry || paused_) break;
    const auto deadline = frozen_ ? database.first_own_deadline() : database.first_deadline();
    if (deadline && *deadline < kLastInstantMs) consider(from_unix_ms(*deadline + 1));
  }
  if (!limited_ && config.watching().idle_seconds <= 0) return next;
  limited_ = false;
  for (const auto& [id, session] : sessions_) {
    limited_ |= session->blocked || session->over_soft_limit_since;
    if (session->blocked && session->blocked->deadline) consider(*session->blocked->deadline);
    if (session->over_soft_limit_since && !session->closing)
      consider(slow_reader_deadline(*session));
    if (const auto deadline = idle_deadline(*session)) consider(*deadline);
  }
  return next;
}

}  // namespace picklock
