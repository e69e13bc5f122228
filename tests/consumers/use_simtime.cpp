// An hour of the C library's, slept in no time.
#include <thread>

#include <picklock/race.hpp>
#include <picklock/race/blocking.hpp>
using namespace std::chrono_literals;
namespace race = picklock::race;

int main() {
  bool slept = false;
  const auto verdict = race::explore({.schedules = 1, .seed = 1}, [&](race::World& world) {
    race::spawn_blocking(world, "alice", [&](race::BlockingWorker&) {
      const auto start = std::chrono::steady_clock::now();
      std::this_thread::sleep_for(1h);
      slept = std::chrono::steady_clock::now() - start >= 1h;
    });
  });
  return verdict && slept ? 0 : 1;
}
