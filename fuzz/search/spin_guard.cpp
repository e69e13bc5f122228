#include "fuzz/search/spin_guard.hpp"

#include <cstdio>
#include <cstdlib>

namespace picklock::race {

SpinGuard::SpinGuard(const Simulation& simulation, std::chrono::seconds patience)
    : simulation_(simulation), patience_(patience) {
  if (patience_.count() > 0) thread_ = std::thread{[this] { watch(); }};
}

SpinGuard::~SpinGuard() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SpinGuard::watch() {
  std::unique_lock lock{mutex_};
  std::uint64_t seen = simulation_.pulse();
  std::chrono::seconds same{0};
  while (!changed_.wait_for(lock, std::chrono::seconds{1}, [this] { return over_; })) {
    const std::uint64_t pulse = simulation_.pulse();
    same = pulse == seen && Simulation::is_busy(pulse) ? same + std::chrono::seconds{1}
                                                       : std::chrono::seconds{0};
    seen = pulse;
    if (same < patience_) continue;
    std::fprintf(stderr,
                 "picklock: %s has not come back for %lld s: it goes round without co_await, or "
                 "waits for something outside its world; give it the world's calls, clock and "
                 "sleep (nothing can interrupt it, so that the process ends here; "
                 "ExploreOptions::patience says when)\n",
                 simulation_.busy_name(pulse).c_str(), static_cast<long long>(same.count()));
    std::abort();
  }
}

}  // namespace picklock::race
