#include "emulator/engine/time_travel.hpp"

#include <stdexcept>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_feed.hpp"
#include "emulator/engine/script_call.hpp"

namespace picklock {

bool advance_clock(Engine& engine, Duration duration) {
  if (engine.script && engine.script->is_slow())
    throw std::logic_error("a script is running: end it before moving the clock");
  auto* clock = dynamic_cast<SimClock*>(&engine.clock);
  if (auto* offset = clock ? nullptr : dynamic_cast<OffsetClock*>(&engine.clock)) {
    offset->advance(duration);
    engine.run_due();
    return true;
  }
  if (!clock) return false;
  const Instant target = clock->now() + duration;
  for (auto next = engine.next_event(); next && *next <= target; next = engine.next_event()) {
    if (*next > clock->now()) clock->set(*next);
    engine.run_due();
  }
  clock->set(target);
  if (engine.feed) engine.feed->run_due();  // What replicas are told for the time's sake is no event.
  return true;
}

}  // namespace picklock
