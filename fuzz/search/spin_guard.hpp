// Ends the process when a worker's code does not come back: nothing can interrupt a coroutine.
//
// Around a search, not around a replay, where somebody may be looking with a debugger. Counts its
// own seconds, so that a process that was stopped as a whole has not lost patience. Nothing of it
// reaches a schedule.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "fuzz/world/simulation.hpp"

namespace picklock::race {

class SpinGuard {
 public:
  /// `simulation` must outlive it. 0 s: waits for ever, without a thread.
  SpinGuard(const Simulation& simulation, std::chrono::seconds patience);
  ~SpinGuard();
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  void watch();

  const Simulation& simulation_;
  std::chrono::seconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace picklock::race
