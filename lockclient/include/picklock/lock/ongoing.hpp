// An operation under way: awaited in a coroutine, waited for, or followed up by a callback.
//
// `co_await lock.acquire()` in a coroutine of any type; `lock.acquire().get()` in code that blocks;
// `lock.acquire().then(...)` in code that does neither. Belongs to the thread of its client's
// links. An operation that is dropped before its end is cancelled if it would acquire something,
// and goes on by itself otherwise. What a callback throws, here and elsewhere in the lock client,
// leaves whatever runs the links, once everybody else has been called; of several the first.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include <picklock/lock/shared.hpp>

#pragma GCC visibility push(default)

namespace picklock {

namespace lock {

/// Lets a client's links go on.
struct Driver {
  /// By one step. False if nothing can happen.
  virtual bool run_one() = 0;
  /// Gives up the acquisition of this slot.
  virtual void cancel(std::uint64_t slot) = 0;

 protected:
  ~Driver() = default;
};

/// What an Ongoing and its client share.
struct Undertaking {
  virtual ~Undertaking() = default;
  bool done = false;
  std::coroutine_handle<> awaiting{};
  std::function<void()> then{};
  std::uint64_t slot = 0;    ///< Of the acquisition that goes with it; 0: none.
  bool is_given_up = false;  ///< Nobody wants the result any more.
  Driver* driver = nullptr;  ///< Of its client: as long as that is kept.
  Shared<void> keeps{};      ///< The client, for as long as somebody waits.

  /// Whether somebody is to be resumed. Once it is done nobody comes to wait any more.
  bool is_awaited() const { return awaiting || then; }
  /// Resumes whoever waits. The client calls it when it can be called back.
  void settle() {
    if (awaiting) std::exchange(awaiting, nullptr).resume();
    if (then) std::exchange(then, nullptr)();
  }
};

template <class T>
struct UndertakingOf final : Undertaking {
  std::optional<T> value;
};

}  // namespace lock

class AnyLock;

/// An operation that is under way, and its result once it is done. Movable.
template <class T>
class [[nodiscard]] Ongoing {
 public:
  /// The locks make it.
  explicit Ongoing(lock::Shared<lock::UndertakingOf<T>> shared) : shared_(std::move(shared)) {}
  /// Leaves one that must only be assigned to or destroyed.
  Ongoing(Ongoing&&) noexcept = default;
  /// Drops its own operation.
  Ongoing& operator=(Ongoing&& other) noexcept {
    Ongoing taken{std::move(other)};
    std::swap(shared_, taken.shared_);
    return *this;
  }
  ~Ongoing() { drop(); }

  /// Whether there is a result: get() then does not wait.
  bool is_done() const { return shared_->done; }
  /// The result, once; throws std::logic_error if it is not done or was taken before.
  T take() {
    if (!shared_->value)
      throw std::logic_error("this operation has no result to take: it goes on, or it was taken");
    T value = std::move(*shared_->value);
    shared_->value.reset();
    return value;
  }
  /// Lets the links go on until it is done, and returns the result: real time passes on real links,
  /// simulated time in a LocalLoop. Throws std::logic_error if it can never be done so.
  T get() {
    while (!is_done()) {
      if (shared_->driver == nullptr || !shared_->driver->run_one())
        throw std::logic_error(
            "nothing that this operation waits for can happen from here: co_await it, or let its "
            "loop run");
    }
    return take();
  }
  /// Calls `callback(T)` when it is done, at once if it is. Ends this object's part in it.
  template <class Callback>
  void then(Callback callback) && {
    auto shared = std::exchange(shared_, nullptr);
    auto call = [state = shared.get(), callback = std::move(callback)]() mutable {
      callback(std::move(*state->value));
    };
    if (shared->done) return call();
    shared->then = std::move(call);
  }
  /// Calls `callback()` when it is done, at once if it is. The result stays here to be taken, and
  /// this object can still cancel; what it calls may destroy it.
  void when_done(std::function<void()> callback) {
    if (is_done()) return callback();
    shared_->then = std::move(callback);
  }
  /// Gives it up: an acquisition ends with LockError::Code::cancelled, others go on unwatched.
  void cancel() {
    if (!shared_ || shared_->done || std::exchange(shared_->is_given_up, true)) return;
    if (shared_->slot != 0) shared_->driver->cancel(shared_->slot);
  }

  bool await_ready() const { return shared_->done; }
  void await_suspend(std::coroutine_handle<> awaiting) { shared_->awaiting = awaiting; }
  T await_resume() { return take(); }

 private:
  friend class AnyLock;
  void drop() noexcept {
    if (!shared_) return;
    // Also of one that is done: whoever waits may not have been resumed yet, and goes with this.
    shared_->awaiting = nullptr;
    shared_->then = nullptr;
    try {
      cancel();
    } catch (...) {
      // What cannot be sent cannot be taken back: it ends with its ttl.
    }
    const auto client = std::exchange(shared_->keeps, nullptr);
  }

  lock::Shared<lock::UndertakingOf<T>> shared_;  // Shared with the client until it is done.
};

}  // namespace picklock

#pragma GCC visibility pop
