// Task<T>: the coroutine type of simulated workers, with frames from a pool.
//
// A task starts when it is first awaited (or resumed by the world) and runs on the world's one
// thread. Destroying a task destroys its frame and all that it awaits: that is how a worker
// crashes. A coroutine with a parameter that has a `frames()` function (every Worker) takes its
// frame from that pool, others from the heap. Not thread-safe.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace picklock::race {

/// Memory for coroutine frames that is used again from schedule to schedule. Must outlive its
/// frames.
class FramePool {
 public:
  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  /// `pool` may be null: then the memory comes from the heap. release() finds the right one by
  /// itself.
  static void* allocate(FramePool* pool, std::size_t size_bytes);
  /// Frees what allocate() gave.
  static void release(void* frame) noexcept;

 private:
  struct Header;
  static constexpr std::size_t kGrain = 64;
  static constexpr std::size_t kClasses = 64;
  std::array<Header*, kClasses> free_{};
};

/// A coroutine of the simulated world; see below.
template <class T = void>
class Task;

namespace detail {

template <class Argument>
FramePool* frames_of(Argument& argument) {
  if constexpr (requires { argument.frames(); }) {
    return &argument.frames();
  } else {
    return nullptr;
  }
}

/// Resumes whoever awaits the task that has just ended.
struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    return ended.promise().awaiting;
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> awaiting = std::noop_coroutine();
  bool was_awaited = false;
  std::exception_ptr thrown;

  template <class... Arguments>
  static void* operator new(std::size_t size, Arguments&... arguments) {
    FramePool* pool = nullptr;
    ((pool = pool != nullptr ? pool : frames_of(arguments)), ...);
    return FramePool::allocate(pool, size);
  }
  static void operator delete(void* frame) noexcept { FramePool::release(frame); }
  static void operator delete(void* frame, std::size_t) noexcept { FramePool::release(frame); }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const {
    if (thrown) std::rethrow_exception(thrown);
  }
};

}  // namespace detail

/// A coroutine that starts when it is awaited, or when the world spawns it. Movable; owns its
/// frame.
template <class T>
class [[nodiscard]] Task {
 public:
  /// Asked for by the language.
  using promise_type = detail::Promise<T>;
  /// How the coroutine is resumed.
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  /// Owns the coroutine from now on.
  explicit Task(Handle handle) : handle_(handle) {}
  /// Leaves a task without a coroutine.
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { reset(); }

  /// Destroys the frame and everything in it.
  void reset() {
    if (handle_) std::exchange(handle_, nullptr).destroy();
  }
  /// The coroutine; null if there is none.
  Handle handle() const { return handle_; }

  /// What `co_await task` goes through.
  struct Awaiter {
    /// The awaited coroutine.
    Handle handle;
    bool await_ready() const noexcept { return false; }
    Handle await_suspend(std::coroutine_handle<> awaiting) const noexcept {
      handle.promise().awaiting = awaiting;
      return handle;
    }
    T await_resume() const { return handle.promise().take(); }
  };
  /// The value of the task, or the exception that left it. Throws std::logic_error for a task
  /// without a coroutine, and for one that was awaited before.
  Awaiter operator co_await() const& { return Awaiter{awaitable()}; }
  /// The same of a temporary.
  Awaiter operator co_await() && { return Awaiter{awaitable()}; }

 private:
  Handle awaitable() const {
    if (!handle_ || std::exchange(handle_.promise().was_awaited, true))
      throw std::logic_error("this Task has no coroutine to await, or it was awaited before");
    return handle_;
  }

  Handle handle_;
};

template <class T>
Task<T> detail::Promise<T>::get_return_object() {
  return Task<T>{Task<T>::Handle::from_promise(*this)};
}
inline Task<void> detail::Promise<void>::get_return_object() {
  return Task<void>{Task<void>::Handle::from_promise(*this)};
}

}  // namespace picklock::race

#pragma GCC visibility pop
