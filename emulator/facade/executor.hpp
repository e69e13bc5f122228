// How calls of an attached emulator reach the thread that runs it.
#pragma once

#include <functional>

#include <picklock/emulator.hpp>

namespace picklock {

/// Carries calls out on another thread, one at a time, and waits for each.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs `call(context)` on the executor's thread and returns when it is done. What it throws,
  /// this throws. Called on the executor's own thread it runs at once.
  virtual void run(void (*call)(void*), void* context) = 0;
};

/// Sends every call of `emulator` and its clients through `executor` from now on; null ends it. The
/// caller sees to it that no call is under way.
void set_executor(Emulator& emulator, Executor* executor);

/// Runs `work` where the emulator's engine lives: on its server's thread, if it has a server.
void run_on(Emulator& emulator, const std::function<void(Engine&)>& work);

}  // namespace picklock
