// A RedisLoop with a lock client, on a thread of its own.
//
// What the blocking locks are made of: carries calls of other threads over to the loop's and their
// results back. Watchdogs run there, whatever its users are doing. Everything may be called from
// any thread; the thread ends with the last reference.
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <picklock/endpoint.hpp>
#include <picklock/lock.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// The thread behind BlockingLocks. What it calls runs there, one thing at a time.
class LoopThread final : public std::enable_shared_from_this<LoopThread> {
 public:
  /// Starts the thread; one link to each endpoint. Throws std::invalid_argument as
  /// RedisLoop::connect() and LockClient do.
  static std::shared_ptr<LoopThread> start(const std::vector<Endpoint>& endpoints);
  /// Waits until what is under way has ended, for a second at most; on its own thread it does not.
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  /// Has `task` called on the loop's thread.
  void post(std::function<void()> task);
  /// Whether the caller is that thread.
  bool is_this_thread() const;

  /// The result of `function(LockClient&)`, called on the loop's thread.
  template <class Function>
  auto call(Function function) {
    using Result = std::invoke_result_t<Function, LockClient&>;
    if (is_this_thread()) return function(client());
    std::packaged_task<Result()> task{[&] { return function(client()); }};
    // Shared: the caller may be gone from its wait before the task is.
    const auto shared = std::make_shared<decltype(task)>(std::move(task));
    auto future = shared->get_future();
    post([shared] { (*shared)(); });
    return future.get();
  }

  /// Waits for the operation that `start(LockClient&)` begins, and returns `convert(result)`; both
  /// are called on the loop's thread, which may destroy them later: they must own no reference to
  /// it. A stop of `stop` cancels the operation.
  template <class Start, class Convert>
  auto wait(Start start, Convert convert, const std::stop_token& stop = {}) {
    using Operation = std::invoke_result_t<Start, LockClient&>;
    using Result = std::invoke_result_t<Convert, decltype(std::declval<Operation&>().take())>;
    struct Wait {
      std::optional<Operation> operation;
      std::promise<Result> promise;
    };
    refuse_to_wait_for_itself();
    const auto wait = std::make_shared<Wait>();  // Shared with the loop's thread.
    auto future = wait->promise.get_future();
    post([this, wait, start = std::move(start), convert = std::move(convert)]() mutable {
      try {
        wait->operation.emplace(start(client()));
      } catch (...) {
        return wait->promise.set_exception(std::current_exception());
      }
      wait->operation->when_done([wait, convert = std::move(convert)]() mutable {
        Result result = convert(wait->operation->take());
        wait->operation.reset();  // Here, for it belongs to this thread.
        wait->promise.set_value(std::move(result));
      });
    });
    const std::stop_callback cancel{stop, [this, wait] {
                                      post([wait] {
                                        if (wait->operation) wait->operation->cancel();
                                      });
                                    }};
    return future.get();
  }

  /// Owns `object`, which is destroyed on the loop's thread.
  template <class T>
  std::shared_ptr<T> keep(std::unique_ptr<T> object) {
    return std::shared_ptr<T>{object.release(), [self = shared_from_this()](T* kept) {
                                self->post([kept] { delete kept; });
                              }};
  }

 private:
  struct State;
  explicit LoopThread(std::shared_ptr<State> state);
  LockClient& client();
  void refuse_to_wait_for_itself() const;

  std::shared_ptr<State> state_;  // Shared with the thread.
};

}  // namespace picklock

#pragma GCC visibility pop
