// Going back: to a snapshot, or to the beginning; and what becomes of those who are connected.
#include <algorithm>
#include <vector>

#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {

namespace {

/// Moves the clock without anything happening on the way, if it can be moved.
void jump(Clock& clock, Instant instant) {
  if (auto* simulated = dynamic_cast<SimClock*>(&clock)) simulated->set(instant);
  if (auto* offset = dynamic_cast<OffsetClock*>(&clock)) offset->advance(instant - offset->now());
}

/// A session as it stays when its past goes: who it is, but nothing that it was about to do.
SessionState without_plans(const SessionState& session, Instant now) {
  SessionState state = session;
  state.blocked.reset();
  state.transaction.reset();
  state.watches.clear();
  state.subscriptions = {};
  state.tracking.reset();
  state.monitors = false;
  state.over_soft_limit_since.reset();
  state.connected_at = state.last_used_at = now;
  return state;
}

std::uint64_t last_session_id_of(const Engine& engine, std::uint64_t at_least) {
  const auto& sessions = engine.sessions();
  return sessions.empty() ? at_least : std::max(at_least, sessions.rbegin()->first);
}

}  // namespace

Engine::State start_state(const Engine& engine) {
  Engine::State state = [&] {
    if (engine.control->start) return *engine.control->start;
    SimClock clock(engine.control->made_at);
    return Engine(engine.control->options, clock).save();
  }();
  state.sessions.clear();
  state.pubsub = {};
  state.tracking = {};
  state.monitors.clear();
  return state;
}

void restore_in_place(Engine& engine, const Engine::State& state) {
  const bool listens = engine.control->host != nullptr;
  const std::string port{listens ? engine.config.get("port") : std::string_view{}};
  const std::string bind{listens ? engine.config.get("bind") : std::string_view{}};
  const std::uint64_t last_replica_id = engine.replication.last_replica_id;
  engine.restore(state);
  ++engine.control->returns;
  engine.renew_links(last_replica_id);
  if (!listens) return;
  engine.config.put("port", port);
  engine.config.put("bind", bind);
}

namespace {

/// The time beneath moves, so that this clock shows `instant`; a clock that stands still moves
/// alone.
bool set_node_clock(Engine& engine, NodeClock& clock, Instant instant) {
  Clock& hidden = clock.hidden();
  if (dynamic_cast<SystemClock*>(&hidden)) return false;
  const Instant now = clock.now();
  if (clock.is_frozen()) {
    clock.step(instant - now);
    engine.run_due();
    return true;
  }
  if (instant >= now)
    return advance_clock(engine,
                         instant > now ? clock.hidden_at(instant) - hidden.now() : Duration{});
  jump(hidden, std::max(Instant{}, hidden.now() - (now - instant)));
  return true;
}

}  // namespace

bool set_clock(Engine& engine, Instant instant) {
  if (auto* node = dynamic_cast<NodeClock*>(&engine.clock))
    return set_node_clock(engine, *node, instant);
  if (dynamic_cast<SystemClock*>(&engine.clock)) return false;
  const Instant now = engine.clock.now();
  if (instant >= now) return advance_clock(engine, instant - now);
  jump(engine.clock, instant);
  return true;
}

void return_to(Engine& engine, const Engine::State& state, Session* caller) {
  Engine::State wanted = state;
  end_connections(engine, [&](const Session& session) {
    const SessionState* then = state.find_session(session.id);
    return &session != caller &&
           (session.is_blocked() || session.is_replica || then == nullptr || then->blocked);
  });
  wanted.last_session_id = last_session_id_of(engine, wanted.last_session_id);
  if (caller) wanted.add_session(caller->id, without_plans(*caller, state.now));
  jump(engine.clock, state.now);
  restore_in_place(engine, wanted);
  if (caller) engine.withdraw(*caller);
  // Those that have gone since: nobody will ever come back for them.
  std::vector<Session*> gone;
  for (const auto& [id, session] : engine.sessions())
    if (!session->writer) gone.push_back(session.get());
  for (Session* session : gone) engine.close(*session);
}

void start_over(Engine& engine, Session* caller) {
  end_connections(engine, [&](const Session& session) {
    return &session != caller &&
           (session.is_blocked() || session.is_replica || session.transaction ||
            !session.watches.empty() || session.tracking);
  });
  Engine::State state = start_state(engine);
  // One that shows real time goes back to it; any other one goes on, and so do those who go by it.
  if (!engine.sim_clock) {
    const bool is_offset = dynamic_cast<OffsetClock*>(&engine.clock) != nullptr;
    state.now = is_offset ? SystemClock{}.now() : engine.clock.now();
    state.started_at = state.persistence.last_save = state.now;
  }
  for (const auto& [id, session] : engine.sessions()) {
    const SessionState& stays = *session;
    SessionState& kept = state.add_session(id, without_plans(stays, state.now));
    kept.subscriptions = stays.subscriptions;
    kept.monitors = stays.monitors;
  }
  state.pubsub = engine.pubsub;
  state.monitors = engine.monitors;
  state.last_session_id = last_session_id_of(engine, state.last_session_id);
  jump(engine.clock, state.now);
  restore_in_place(engine, state);
  engine.control->faults.clear();
  engine.control->trace.clear();
}

void look_at_barriers(Engine& engine) {
  auto& barriers = engine.control->barriers;
  const std::size_t blocked = barriers.empty() ? 0 : engine.blocked_count();
  for (auto it = barriers.begin(); it != barriers.end();) {
    const auto [id, wanted] = *it;
    const auto found = engine.sessions().find(id);
    const bool waits = found != engine.sessions().end() && found->second->blocked &&
                       found->second->blocked->hold == Blocked::Hold::barrier;
    if (waits && blocked < wanted) {
      ++it;
      continue;
    }
    barriers.erase(it);
    it = barriers.upper_bound(id);
    if (!waits) continue;  // It has gone.
    engine.replies_to(*found->second).integer(static_cast<std::int64_t>(blocked));
    engine.begin_turn();
    engine.unblock(*found->second, [](ReplyWriter&) {});
    engine.end_turn();
    it = barriers.upper_bound(id);  // Who went on may have ended others.
  }
}

void give_up_barrier(Engine& engine, std::uint64_t id) {
  const auto found = engine.control->barriers.find(id);
  if (found == engine.control->barriers.end()) return;
  const std::size_t wanted = found->second;
  engine.control->barriers.erase(found);
  const auto session = engine.sessions().find(id);
  if (session == engine.sessions().end() || !session->second->blocked) return;
  engine.replies_to(*session->second)
      .error("ERR PICKLOCK BLOCKED: only " + std::to_string(engine.blocked_count()) + " of " +
             std::to_string(wanted) +
             " clients were blocked in time; wait longer with TIMEOUT, or look at PICKLOCK TRACE");
  engine.begin_turn();
  engine.unblock(*session->second, [](ReplyWriter&) {});
  engine.end_turn();
}

}  // namespace picklock
