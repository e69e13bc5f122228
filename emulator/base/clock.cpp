#include <picklock/clock.hpp>

#include <thread>

namespace picklock {

Instant SystemClock::now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

void SystemClock::sleep_for(Duration duration) { std::this_thread::sleep_for(duration); }

}  // namespace picklock
