#include "emulator/engine/time_travel.hpp"

#include <algorithm>
#include <stdexcept>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_feed.hpp"
#include "emulator/engine/script_call.hpp"

namespace picklock {

namespace {

constexpr Instant kLatestShown = from_unix_ms(253'402'300'799'999);  // By a NodeClock.

Clock& beneath(Clock& clock) {
  auto* const node = dynamic_cast<NodeClock*>(&clock);
  return node ? beneath(node->hidden()) : clock;
}

}  // namespace

bool clock_flows(Clock& clock) { return dynamic_cast<SimClock*>(&beneath(clock)) == nullptr; }

std::optional<Instant> next_event_beneath(const Engine& engine) {
  const auto next = engine.next_event();
  if (engine.sim_clock) return next;
  const auto* const node = dynamic_cast<const NodeClock*>(&engine.clock);
  if (!next || !node) return next;
  if (*next > kLatestShown) return std::nullopt;
  if (*next <= node->now()) return node->hidden().now();
  const Instant hidden = node->hidden_at(*next);
  return hidden == Instant::max() ? std::nullopt : std::optional{hidden};
}

bool advance_clock(Engine& engine, Duration duration) {
  if (engine.script && engine.script->is_slow())
    throw std::logic_error("a script is running: end it before moving the clock");
  auto* clock = engine.sim_clock;
  if (!clock) clock = dynamic_cast<SimClock*>(&beneath(engine.clock));
  if (auto* offset = clock ? nullptr : dynamic_cast<OffsetClock*>(&beneath(engine.clock))) {
    offset->advance(duration);
    engine.run_due();
    return true;
  }
  if (!clock) return false;
  const Instant began = clock->now();
  constexpr Instant kLast = from_unix_ms(kLastInstantMs);
  const bool is_too_far = began > Instant{} && duration > kLast - began;
  const Instant target = is_too_far ? std::max(began, kLast) : began + duration;
  for (auto next = next_event_beneath(engine); next && *next <= target;
       next = next_event_beneath(engine)) {
    if (*next > clock->now()) clock->set(*next);
    engine.run_due();
  }
  clock->set(target);
  if (engine.feed)
    engine.feed->run_due();  // What replicas are told for the time's sake is no event.
  return true;
}

}  // namespace picklock
