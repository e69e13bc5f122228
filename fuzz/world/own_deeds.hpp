// What the world itself does to a server and its sessions: CLIENT PAUSE does not hold it back.
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

/// Whether a request of this session would do something else in another one.
inline bool has_own_state(const Session& session) {
  return session.transaction || session.database != 0 || !session.watches.empty();
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
