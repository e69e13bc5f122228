// What the world itself does to a server and its sessions, which CLIENT PAUSE does not hold back,
// and what it asks of them.
#pragma once

#include <algorithm>

#include "emulator/base/local_clock.hpp"
#include "emulator/engine/engine.hpp"

namespace picklock::race {

/// While it lives, no pause holds anything back.
class OutOfPause {
 public:
  explicit OutOfPause(Engine& engine) : engine_(engine), pause_(engine.exchange_pause({})) {}
  ~OutOfPause() { engine_.exchange_pause(pause_); }
  OutOfPause(const OutOfPause&) = delete;
  OutOfPause& operator=(const OutOfPause&) = delete;

 private:
  Engine& engine_;
  Pause pause_;
};

/// What a session waits for, it waits for no longer, be it the end of a pause.
inline void stop_waiting(Engine& engine, std::uint64_t session) {
  const auto found = engine.sessions().find(session);
  if (found != engine.sessions().end()) engine.withdraw(*found->second);
}

/// The session of a client that the server has cut off begins anew. False: it goes on, though
/// perhaps as that of a snapshot.
inline bool revive(Emulator& redis, Client& client) {
  Engine& engine = redis.engine();
  const bool is_gone = !engine.sessions().contains(client.id());
  if (is_gone) engine.revive(client.id());
  const bool is_open = !engine.sessions().find(client.id())->second->closing;
  if (is_open && !client.is_connected()) client = redis.attach(client.id());
  return is_gone;
}

/// A connection that has ended, by QUIT too, is open again.
inline void reopen(Emulator& redis, Client& client) {
  const auto& sessions = redis.engine().sessions();
  const auto found = sessions.find(client.id());
  if (found != sessions.end()) found->second->closing = false;
  revive(redis, client);
}

/// The session becomes that of a new connection, which knows nothing of the last one's.
inline void begin_anew(Emulator& redis, Client& client) {
  reopen(redis, client);
  const OutOfPause scope{redis.engine()};
  client.call("RESET");
  while (client.next_message()) {
  }
}

/// Whether a session is in the middle of something, or is not everybody's: move_session() takes
/// nothing of that along.
inline bool is_bound(const Session& session) {
  return session.transaction || !session.watches.empty() || !session.authenticated ||
         !session.unrestricted || session.is_confined();
}

/// Whether a request of this session would do something else in another one.
inline bool has_own_state(const Session& session) {
  return session.database != 0 || is_bound(session);
}

/// Whether it is there, and move_session() takes all along that it has come to.
inline bool can_move(const Engine& engine, std::uint64_t session) {
  const auto found = engine.sessions().find(session);
  return found != engine.sessions().end() && !is_bound(*found->second);
}

/// Of a connection that goes on at another server which holds the same.
inline void move_session(const SessionState& from, SessionState& to) {
  to.identity = from.identity;
  to.database = from.database;
  to.resp_version = from.resp_version;
  to.replies_off = from.replies_off;
  to.skips_next = from.skips_next;
  to.no_touch = from.no_touch;
  to.no_evict = from.no_evict;
  to.last_used_at = from.last_used_at;
}

/// Whether a server cuts off who sends nothing (`timeout`).
inline bool cuts_idle(const Engine& engine) { return engine.config.watching().idle_seconds > 0; }

/// For how long a session has sent nothing, as `timeout` counts: from `origin` on.
inline std::uint64_t idle_since(const Engine& engine, std::uint64_t session, Instant origin) {
  const auto found = engine.sessions().find(session);
  if (found == engine.sessions().end()) return 1;
  const auto second = std::chrono::floor<std::chrono::seconds>(found->second->last_used_at);
  return static_cast<std::uint64_t>((second - origin).count()) * 2;
}

/// Whether a server tells its clients what expires, though nobody sends a request.
inline bool tells_expiry(const Engine& engine) {
  return engine.config.events().any() || engine.tracking.is_needed();
}

/// The instant of the world at which a server's pause is over: a past one if there is none.
inline Instant paused_until(const Engine& engine, const LocalClock& clock) {
  const Pause& pause = engine.pause();
  if (pause.kind == Pause::Kind::none) return Instant{};
  return clock.world_at_wall(from_unix_ms(std::min(pause.end_ms, kLastInstantMs - 1) + 1));
}

/// Nobody may wait for the end of either.
inline void exchange_pauses(Engine& a, Engine& b) {
  b.exchange_pause(a.exchange_pause(b.exchange_pause({})));
  a.review_freeze();
  b.review_freeze();
}

}  // namespace picklock::race
