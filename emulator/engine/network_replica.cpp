// The engine at the ends of a replication that goes over the network: what of it is not the same
// as in one process.
//
// Redis 7.0: replication.c.
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/control/load.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_feed.hpp"

namespace picklock {

ReplicaFeed& Engine::network_feed() {
  if (!feed) {
    feed = std::make_unique<ReplicaFeed>(*this, control->host ? control->host->draw() : 0);
    listen(*feed);
  }
  return *feed;
}

std::uint64_t Engine::next_salt() { return feed ? feed->next_salt() : 0; }

ReplyWriter& Engine::replies_to_replica() { return feed->stray_replies(); }

void Engine::leave_replicas(Session& session) {
  if (session.is_replica) feed->remove(session);
}

void Engine::break_history() {
  ++breaks_;
  std::erase_if(replication.replicas, [](const auto& replica) { return replica.over_network; });
  if (replication.over_network) lose_primary();
  if (!feed) return;
  // A replica that named its place would be sent what follows on data that it no longer has.
  if (!replication.primary || replication.over_network)
    replication.begin_history(/*remembers=*/false, next_salt());
  feed->start_over();
}

void Engine::cut_primary() {
  ++breaks_;
  lose_primary();
}

std::optional<std::string> Engine::take_over(std::string_view rdb, std::string_view id,
                                             std::int64_t offset) {
  begin_turn();
  int database = 0;
  LoadResult loaded = replace_by_rdb(*this, rdb, database);
  if (!loaded.error) {
    tell_changes();
    network_feed();
    adopt_history(id, offset);
    from_primary_->database = database;
  }
  end_turn();
  return loaded.error;
}

// Who follows this server learns the new id by coming back.
void Engine::resume_history(std::string_view id, int database) {
  network_feed();
  if (!id.empty() && id != replication.ids->first) {
    Replication::Ids& ids = replication.ids.edit();
    ids.second = ids.first;
    ids.first = id;
    replication.second_offset = replication.offset + 1;
    feed->drop_all();
  }
  if (!replication.has_backlog) feed->start_over();
  replication.link = Replication::Link::connected;
  replication.heard_at = clock.now();
  replication.down_since.reset();
  from_primary_->database = database;
}

}  // namespace picklock
