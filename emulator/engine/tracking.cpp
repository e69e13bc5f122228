#include "emulator/engine/tracking.hpp"

#include <algorithm>

#include "emulator/engine/command_keys.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {

namespace {

Session* find_session(Engine& engine, std::uint64_t id) {
  const auto found = engine.sessions().find(id);
  return found == engine.sessions().end() ? nullptr : found->second.get();
}

bool add_client(TrackingTable::Clients& clients, std::uint64_t id) {
  const auto at = std::lower_bound(clients.begin(), clients.end(), id);
  if (at != clients.end() && *at == id) return false;
  clients.insert(at, id);
  return true;
}

void collect_if_needed(Engine& engine) {
  engine.keyspace.collect_changes(engine.tracking.is_needed());
}

/// Sends the session that `tracker` has chosen an invalidation, whose body `write` writes. RESP2
/// knows no pushes: there only a client that has subscribed to something can be told, if another
/// one redirects to it.
template <class Write>
void send(Engine& engine, Session& tracker, Write&& write) {
  const std::uint64_t redirect =
      tracker.tracking ? tracker.tracking->redirect : tracker.last_redirect;
  Session* target = redirect == 0 ? &tracker : find_session(engine, redirect);
  if (!target) {
    if (tracker.tracking) tracker.tracking->broken = true;
    if (tracker.resp_version < 3) return;
    return deliver(engine, tracker, [&](ReplyWriter& out) {
      out.push(2);
      out.bulk("tracking-redir-broken");
      out.integer(static_cast<std::int64_t>(redirect));
    });
  }
  if (target->resp_version < 3 && (redirect == 0 || !target->subscriptions.any())) return;
  deliver(engine, *target, [&](ReplyWriter& out) {
    if (target->resp_version >= 3) {
      out.push(2);
      out.bulk("invalidate");
    } else {
      out.push(3);
      out.bulk("message");
      out.bulk("__redis__:invalidate");
    }
    write(out);
  });
}

void send_key(Engine& engine, Session& tracker, std::string_view key) {
  send(engine, tracker, [key](ReplyWriter& out) {
    out.array(1);
    out.bulk(key);
  });
}

/// "All keys": a null in the protocol of the session that tracks, even where another one reads it.
void send_flush(Engine& engine, Session& tracker) {
  send(engine, tracker, [&](ReplyWriter& out) {
    const int version = out.version();
    out.set_version(tracker.resp_version);
    out.null();
    out.set_version(version);
  });
}

void note_for_broadcast(Engine& engine, std::string_view key, std::uint64_t writer) {
  for (auto& [prefix, listeners] : engine.tracking.prefixes)
    if (key.starts_with(prefix)) listeners.changed.insert_or_assign(std::string{key}, writer);
}

void invalidate(Engine& engine, std::string_view key, Session* writer, bool in_request) {
  TrackingTable& table = engine.tracking;
  auto* readers = table.keys.find(key);
  if (!readers) return;
  const TrackingTable::Clients ids = std::move(*readers);
  table.items -= ids.size();
  table.keys.erase(key);
  for (const std::uint64_t id : ids) {
    Session* reader = find_session(engine, id);
    if (!reader || !reader->tracking || reader->tracking->broadcast) continue;
    if (reader == writer && reader->tracking->no_loop) continue;
    if (reader == writer && in_request)
      table.pending.emplace_back(key);
    else
      send_key(engine, *reader, key);
  }
}

void invalidate_all(Engine& engine, Session* writer, bool in_request) {
  for (const auto& [id, session] : engine.sessions()) {
    if (!session->tracking) continue;
    if (session.get() == writer && in_request)
      engine.tracking.pending.emplace_back(std::nullopt);
    else
      send_flush(engine, *session);
  }
  engine.tracking.keys.clear();
  engine.tracking.items = 0;
}

void leave_prefixes(TrackingTable& table, Session& session) {
  for (const std::string& name : session.tracking->prefixes) {
    const auto found = table.prefixes.find(name);
    std::erase(found->second.clients, session.id);
    if (found->second.clients.empty()) table.prefixes.erase(found);
  }
}

}  // namespace

void start_tracking(Engine& engine, Session& session, const TrackingMode& mode) {
  auto prefixes = mode.prefixes;
  if (mode.broadcast && prefixes.empty()) prefixes.insert("");
  bool caching = false;
  if (session.tracking) {
    prefixes.insert(session.tracking->prefixes.begin(), session.tracking->prefixes.end());
    caching = session.tracking->caching;
  } else {
    ++engine.tracking.sessions;
  }
  session.tracking = mode;
  session.tracking->caching = caching;
  for (const std::string& prefix : prefixes)
    add_client(engine.tracking.prefixes[prefix].clients, session.id);
  session.tracking->prefixes = std::move(prefixes);
  collect_if_needed(engine);
}

void stop_tracking(Engine& engine, Session& session) {
  if (!session.tracking) return;
  leave_prefixes(engine.tracking, session);
  session.last_redirect = session.tracking->redirect;
  session.tracking.reset();
  --engine.tracking.sessions;
  if (!engine.tracking.is_needed()) collect_if_needed(engine);
}

void remember_keys(Engine& engine, Session& session, const Command& command, Args words) {
  const TrackingMode& mode = *session.tracking;
  if (mode.broadcast || (mode.opt_in && !mode.caching) || (mode.opt_out && mode.caching)) return;
  if (command.has(kPubsub)) return;
  const auto keys = find_keys(command, words);
  if (!keys) return;
  for (const FoundKey& found : *keys)
    if (add_client(engine.tracking.keys.insert(found.key).first->value, session.id))
      ++engine.tracking.items;
}

void invalidate_changed(Engine& engine, Session* writer, bool in_request) {
  for (Database& database : engine.keyspace.used()) {
    if (!database.has_changed()) continue;
    const Database::Changed changed = database.take_changed();
    for (const auto& [key, is_nobodys] : changed.keys) {
      // Nor is what a script changes anybody's own change in the broadcasting mode.
      const bool is_own = writer && !is_nobodys && !engine.script;
      note_for_broadcast(engine, key, is_own ? writer->id : 0);
      invalidate(engine, key, writer, in_request);
    }
    // A request flushes all databases or one, and the clients hear of it once.
    if (!changed.flushed) continue;
    for (Database& other : engine.keyspace.used()) other.forget_flush();
    invalidate_all(engine, writer, in_request);
  }
}

void send_pending(Engine& engine, Session& session) {
  // Even if it has stopped tracking meanwhile, within EXEC.
  const auto pending = std::exchange(engine.tracking.pending, {});
  for (const auto& key : pending)
    key ? send_key(engine, session, *key) : send_flush(engine, session);
}

void broadcast_changes(Engine& engine) {
  for (auto& [prefix, listeners] : engine.tracking.prefixes) {
    if (listeners.changed.empty()) continue;
    const auto changed = std::exchange(listeners.changed, {});
    for (const std::uint64_t id : listeners.clients) {
      Session* session = find_session(engine, id);
      if (!session || !session->tracking) continue;
      std::vector<std::string_view> keys;
      for (const auto& [key, writer] : changed)
        if (!session->tracking->no_loop || writer != id) keys.push_back(key);
      if (keys.empty()) continue;
      send(engine, *session, [&](ReplyWriter& out) {
        out.array(keys.size());
        for (const std::string_view key : keys) out.bulk(key);
      });
    }
  }
}

void limit_tracked_keys(Engine& engine) {
  const std::int64_t limit = engine.config.watching().tracking_max_keys;
  if (limit == 0) return;
  auto& keys = engine.tracking.keys;
  while (static_cast<std::int64_t>(keys.size()) > limit) {
    const auto* victim = keys.pick([&](std::uint64_t bound) { return engine.random.below(bound); });
    invalidate(engine, std::string{victim->key}, nullptr, false);
  }
}

}  // namespace picklock
