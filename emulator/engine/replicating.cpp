// The engine as a primary and as a replica: who listens, who has confirmed what, what a primary has
// sent.
//
// Redis 7.0: replication.c.
#include <algorithm>
#include <utility>

#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/dispatch.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_feed.hpp"

namespace picklock {

void Engine::listen(EffectListener& listener) {
  listeners_.push_back(&listener);
  review_effects();
}

void Engine::stop_listening(EffectListener& listener) {
  std::erase(listeners_, &listener);
  review_effects();
}

// A replica passes on what its primary says, and nothing of its own.
void Engine::review_effects() {
  const bool tells = !listeners_.empty() && !replication.primary;
  if (tells != static_cast<bool>(effects))
    effects = tells ? std::make_unique<EffectStream>(replication, listeners_) : nullptr;
  keyspace.keep_notes(wants_notes());
}

std::uint64_t Engine::add_replica(Replication::Replica replica) {
  if (!std::exchange(replication.has_backlog, true)) {
    if (!replication.primary) replication.begin_history(/*remembers=*/false, next_salt());
    replication.backlog_start = replication.offset + 1;
  }
  replication.selected = -1;
  replica.id = ++replication.last_replica_id;
  replica.heard_at = clock.now();
  replication.replicas.push_back(std::move(replica));
  return replication.last_replica_id;
}

void Engine::remove_replica(std::uint64_t id) {
  std::erase_if(replication.replicas, [id](const auto& replica) { return replica.id == id; });
}

void Engine::acknowledge(std::uint64_t id, std::int64_t offset) {
  for (Replication::Replica& replica : replication.replicas) {
    if (replica.id != id) continue;
    replica.acknowledged = std::max(replica.acknowledged, offset);
    replica.heard_at = clock.now();
  }
  end_waits_for_replicas();
}

// Redis: processClientsWaitingReplicas.
void Engine::end_waits_for_replicas() {
  std::vector<Session*> served;
  for (const auto& [id, session] : sessions_) {
    const auto& blocked = session->blocked;
    if (!blocked || !blocked->wants_replicas) continue;
    if (replication.count_acknowledged(blocked->written) >= blocked->replicas)
      served.push_back(session.get());
  }
  if (served.empty()) return;
  std::sort(served.begin(), served.end(), [](const Session* a, const Session* b) {
    return a->blocked->order < b->blocked->order;
  });
  begin_turn();
  for (Session* session : served) time_out(*session);
  end_turn();
}

void Engine::time_out(Session& session) {
  if (!session.blocked->wants_replicas) return unblock(session, session.blocked->on_timeout);
  if (steered) note_answer(session);
  replies_to(session).integer(replication.count_acknowledged(session.blocked->written));
  release(session);
}

// Redis 7.0, disconnectAllBlockedClients: what they wait for may never come.
void Engine::disconnect_blocked() {
  std::vector<Session*> blocked;
  for (const auto& [id, session] : sessions_)
    if (session->is_blocked() && session->blocked->hold == Blocked::Hold::command)
      blocked.push_back(session.get());
  for (Session* session : blocked) {
    unblock(*session, [](ReplyWriter& reply) { reply.error(errors::kForcedUnblock); });
    session->closing = true;
  }
}

// Redis drops its own replicas, too: they come back for what may have become another history.
void Engine::follow(const Replication::Primary& primary, bool over_network) {
  replication.over_network = over_network;
  if (replication.primary != primary) {
    replication.primary = primary;
    if (feed) feed->drop_all();
    config.put("replicaof", primary.host + " " + std::to_string(primary.port));
    disconnect_blocked();
  }
  replication.link = Replication::Link::connect;
  review_effects();
  review_guards();
}

void Engine::lose_primary() {
  if (!replication.primary) return;
  if (replication.link == Replication::Link::connected) replication.down_since = clock.now();
  replication.link = Replication::Link::connect;
  forgets_stream_ = true;
  if (!applying_) forget_stream();
}

/// Nothing of a stream outlives it: no transaction, no database.
void Engine::forget_stream() {
  forgets_stream_ = false;
  static_cast<SessionState&>(*from_primary_) = SessionState{};
  from_primary_->is_primary = true;
}

// Redis: replicationUnsetMaster. A new history begins, and the old one is remembered.
void Engine::promote() {
  if (!replication.primary) return;
  lose_primary();
  replication.primary.reset();
  replication.over_network = false;
  replication.down_since.reset();
  if (feed) feed->drop_all();
  replication.begin_history(/*remembers=*/true, next_salt());
  replication.selected = -1;
  config.put("replicaof", "");
  review_effects();
  review_guards();
}

void Engine::take_over(const Engine& primary) {
  Keyspace copy = primary.keyspace;
  const std::size_t used = std::max(copy.used().size(), keyspace.used().size());
  const int databases = std::min({static_cast<int>(used), copy.size(), keyspace.size()});
  begin_turn();
  keyspace.clear();
  for (int i = 0; i < databases; ++i) keyspace[i].swap_keys(copy[i], to_unix_ms(clock.now()));
  functions.restore(primary.functions.save(), functions.cjson());
  tell_changes();
  adopt_history(primary.replication.ids->first, primary.replication.offset);
  end_turn();
}

void Engine::swap_data(Engine& other) {
  const int databases =
      static_cast<int>(std::max(keyspace.used().size(), other.keyspace.used().size()));
  const std::int64_t now_ms = to_unix_ms(clock.now());
  for (int i = 0; i < databases; ++i) keyspace[i].swap_keys(other.keyspace[i], now_ms);
  const auto libraries = functions.save();
  functions.restore(other.functions.save(), functions.cjson());
  other.functions.restore(libraries, other.functions.cjson());
  break_history();
  other.break_history();
}

void Engine::adopt_history(std::string_view id, std::int64_t offset) {
  Replication::Ids& ids = replication.ids.edit();
  ids.first = id;
  ids.second.assign(40, '0');
  replication.second_offset = -1;
  replication.offset = offset;
  replication.backlog_start = offset + 1;
  if (feed) feed->start_over();
  replication.selected = -1;
  replication.link = Replication::Link::connected;
  replication.heard_at = clock.now();
  replication.down_since.reset();
  ++replication.full_syncs;
  static_cast<SessionState&>(*from_primary_) = SessionState{};
  from_primary_->is_primary = true;
  collect_ready();
  serve_ready();
}

void Engine::break_links() {
  const std::vector<EffectListener*> followers = listeners_;
  for (EffectListener* listener : followers) listener->server_ended(*this);
  if (near_primary == nullptr) return;
  const std::vector<EffectListener*> neighbours = near_primary->listeners_;
  for (EffectListener* listener : neighbours) listener->server_ended(*this);
}

void Engine::renew_links(std::uint64_t last_replica_id) {
  std::vector<EffectListener*> heeding;
  for (EffectListener* link : links)
    if (link->heeds_returns()) heeding.push_back(link);
  if (heeding.empty() && !links.empty()) return;  // Whoever steers them sees to it.
  // The state brings along who followed then, and whom.
  std::erase_if(replication.replicas, [](const auto& replica) { return replica.is_near; });
  replication.last_replica_id = std::max(replication.last_replica_id, last_replica_id);
  if (links.empty() && !replication.over_network) lose_primary();
  for (EffectListener* link : heeding) link->start_anew();
}

namespace {
/// Whether a primary may have sent it; anything else could do no good.
bool is_for_replicas(Args words, const Profile& profile) {
  const Command* command = resolve(words, profile);
  if (!command || command->group == "picklock") return false;
  if (command->has(kWrite) || command->has(kMayReplicate)) return true;
  for (const std::string_view name : {"select", "multi", "exec"})
    if (command->name == name) return true;
  return false;
}
}  // namespace

void Engine::apply(const Effect& words) {
  if (!replication.primary || words.empty()) return;
  replication.heard_at = clock.now();
  replication.offset += encoded_size(words);
  const std::vector<std::string_view> views(words.begin(), words.end());
  if (is_for_replicas(views, *profile)) {
    keyspace.show_expired(true);
    from_primary_->closing = false;
    // The stream may break while a script of its runs for long: what is carried out stays until
    // then.
    const bool outer = std::exchange(applying_, true);
    execute(*from_primary_, views);
    applying_ = outer;
    if (!applying_ && forgets_stream_) forget_stream();
    if (from_primary_->is_blocked()) withdraw(*from_primary_);
    keyspace.show_expired(false);
  }
  for (EffectListener* listener : listeners_) listener->effect(words);
}

}  // namespace picklock
