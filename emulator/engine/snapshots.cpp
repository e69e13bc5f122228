// Snapshots: what is kept of an engine, putting it back, and what becomes of sessions then.
#include <algorithm>
#include <stdexcept>

#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_feed.hpp"

namespace picklock {

namespace {
/// Not inline: it is no short way, and every run goes it for each session.
[[gnu::noinline]] void put_back(SessionState& session, const SessionState& kept) { session = kept; }
}  // namespace

const SessionState* Engine::State::find_session(std::uint64_t id) const {
  const auto found =
      std::ranges::lower_bound(sessions, id, {}, [](auto& one) { return one.first; });
  return found != sessions.end() && found->first == id ? &found->second : nullptr;
}

SessionState& Engine::State::add_session(std::uint64_t id, SessionState session) {
  const auto place =
      std::ranges::lower_bound(sessions, id, {}, [](auto& one) { return one.first; });
  if (place != sessions.end() && place->first == id) return place->second;
  return sessions.insert(place, {id, std::move(session)})->second;
}

Engine::State Engine::save() const {
  std::vector<std::pair<std::uint64_t, SessionState>> states;
  states.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_)
    if (!session->closing && !session->is_replica) states.emplace_back(id, *session);
  return State{profile,
               keyspace,
               random,
               config,
               scripts.cache(),
               scripts.lasting_state(),
               functions.save(),
               functions.cjson(),
               pubsub,
               std::move(states),
               last_session_id_,
               last_block_order_,
               stats,
               acl,
               slow_log,
               latency,
               tracking,
               monitors,
               pause_,
               clock.now(),
               started_at,
               active_expiry,
               debug,
               cluster.enabled ? std::optional{cluster} : std::nullopt,
               replication,
               persistence,
               oom_at_start,
               *from_primary_};
}

void Engine::restore(const State& state) {
  if (script) throw std::logic_error("a script is running: end it before restoring a snapshot");
  if (feed) feed->drop_all();
  if (profile != state.profile) {
    scripts.imitate(*state.profile);
    functions.imitate(*state.profile);
  }
  const bool had_primary = replication.primary || state.replication.primary;
  profile = state.profile;
  keyspace = state.keyspace;
  keyspace.collect_effects(control->trace.is_on());
  random = state.random;
  config = state.config;
  scripts.restore(state.scripts, state.lua);
  functions.restore(state.libraries, state.functions_cjson);
  pubsub = state.pubsub;
  last_session_id_ = state.last_session_id;
  last_block_order_ = state.last_block_order;
  stats = state.stats;
  acl = state.acl;
  slow_log = state.slow_log;
  latency = state.latency;
  tracking = state.tracking;
  monitors = state.monitors;
  pause_ = state.pause;
  started_at = state.started_at;
  active_expiry = state.active_expiry;
  debug = state.debug;
  if (cluster.enabled || state.cluster) cluster = state.cluster.value_or(ClusterView{});
  replication = state.replication;
  persistence = state.persistence;
  oom_at_start = state.oom_at_start;
  if (had_primary) put_back(*from_primary_, state.from_primary);  // Else nothing has come yet.
  break_history();
  review_effects();
  review_guards();
  waiting_ = 0;
  limited_ = false;
  auto kept = state.sessions.begin();  // Both are in the order of their ids.
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    while (kept != state.sessions.end() && kept->first < it->first) ++kept;
    if (kept != state.sessions.end() && kept->first == it->first) {
      Session& session = *it->second;
      const int spoken = session.resp_version;
      const bool waited = session.is_blocked();
      put_back(session, kept->second);
      count_limits(session);
      if (session.writer && session.resp_version != spoken)
        session.writer->set_version(session.resp_version);
      if (session.events && (waited || session.is_blocked())) session.events->restored();
      ++it;
      continue;
    }
    it->second->blocked.reset();
    it->second->closing = true;
    if (it->second->writer) orphans_.push_back(std::move(it->second));
    it = sessions_.erase(it);
  }
  if (sessions_.size() < state.sessions.size()) bring_back(state.sessions);
}

/// What the session waits for, and whether it is for a limited time.
void Engine::count_limits(const SessionState& session) {
  if (session.blocked && !session.blocked->keys.empty()) ++waiting_;
  limited_ |= session.blocked || session.over_soft_limit_since;
}

/// Makes those of the sessions that are not there any more, for attach().
void Engine::bring_back(std::span<const std::pair<std::uint64_t, SessionState>> kept) {
  for (const auto& [id, saved] : kept) {
    auto& slot = sessions_[id];
    if (slot) continue;
    slot = std::make_unique<Session>();
    put_back(*slot, saved);
    count_limits(*slot);
  }
}

Session* Engine::attach(std::uint64_t id, ReplyWriter& writer, SessionEvents* events) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->writer) return nullptr;
  found->second->writer = &writer;
  found->second->events = events;
  writer.report_errors_to(this);
  return found->second.get();
}

}  // namespace picklock
