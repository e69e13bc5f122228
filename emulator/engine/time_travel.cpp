#include "emulator/engine/time_travel.hpp"

#include "emulator/engine/engine.hpp"

namespace picklock {

bool advance_clock(Engine& engine, Duration duration) {
  if (auto* offset = dynamic_cast<OffsetClock*>(&engine.clock)) {
    offset->advance(duration);
    engine.run_due();
    return true;
  }
  auto* clock = dynamic_cast<SimClock*>(&engine.clock);
  if (!clock) return false;
  const Instant target = clock->now() + duration;
  for (auto next = engine.next_event(); next && *next <= target; next = engine.next_event()) {
    if (*next > clock->now()) clock->set(*next);
    engine.run_due();
  }
  clock->set(target);
  return true;
}

}  // namespace picklock
