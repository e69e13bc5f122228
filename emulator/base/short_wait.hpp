// A wait that looks for what is about to come before its thread sleeps.
//
// For the drivers. Another process on the same machine often answers, or asks again, before a
// thread that sleeps would have woken up; and waking it takes time of whoever sends.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace picklock {

class ShortWait {
 public:
  /// No wait keeps the processor for longer than `longest`.
  explicit ShortWait(std::chrono::microseconds longest) : longest_(longest) {}

  /// Calls `poll` until it returns true, and returns true then. False means that the caller is to
  /// sleep: nothing came in time, or that was not to be expected, for after a wait in vain the next
  /// ones, more each time and 64 at most, do not look at all. In between others may run, for what
  /// is waited for may live on the same processor.
  template <class Poll>
  bool succeeds(Poll&& poll) {
    if (sleeps_ > 0) {
      --sleeps_;
      return false;
    }
    const auto until = std::chrono::steady_clock::now() + longest_;
    do {
      std::this_thread::yield();
      if (!poll()) continue;
      misses_ = 0;
      return true;
    } while (std::chrono::steady_clock::now() < until);
    sleeps_ = std::min(1U << std::min(misses_++, 31U), kMostSleeps);
    return false;
  }

 private:
  static constexpr unsigned kMostSleeps = 64;

  std::chrono::microseconds longest_;
  unsigned misses_ = 0;  // Since a wait last succeeded.
  unsigned sleeps_ = 0;  // Waits to come that do not look.
};

}  // namespace picklock
