#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>

#include <picklock/clock.hpp>

#include "emulator/base/local_clock.hpp"

namespace picklock {

namespace {
constexpr std::int64_t kSlowest = -900'000;
constexpr std::int64_t kFastest = 1'000'000;
constexpr Instant kLatest = from_unix_ms(253'402'300'799'999);  // The end of the year 9999.
}  // namespace

Instant SystemClock::now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

void SystemClock::sleep_for(Duration duration) { std::this_thread::sleep_for(duration); }

NodeClock::NodeClock(Clock& hidden)
    : hidden_(&hidden), local_(std::make_unique<LocalClock>(hidden.now())) {}

NodeClock::~NodeClock() = default;

Instant NodeClock::now() const {
  return std::clamp(local_->wall(hidden_->now()), Instant{}, kLatest);
}

void NodeClock::drift(std::int64_t ppm) {
  if (ppm < kSlowest || ppm > kFastest)
    throw std::invalid_argument("a clock drifts by -900000 to 1000000 parts in a million, not by " +
                                std::to_string(ppm));
  local_->run_fast(ppm, hidden_->now());
}

void NodeClock::step(Duration duration) {
  const Instant before = now();
  if (duration < Instant{} - before || duration > kLatest - before)
    throw std::invalid_argument("a clock can be set to the years 1970 to 9999, and no further");
  local_->jump(duration);
}

void NodeClock::freeze() { local_->freeze(hidden_->now()); }
void NodeClock::thaw() { local_->thaw(hidden_->now()); }
std::int64_t NodeClock::ppm() const { return local_->ppm(); }
bool NodeClock::is_frozen() const { return local_->frozen().has_value(); }
Instant NodeClock::hidden_at(Instant instant) const { return local_->world_at_wall(instant); }

}  // namespace picklock
