// The lock client for programs made of asio: links on their own io_context, and operations awaited
// with any completion token.
//
// The only public header that includes asio (standalone, 1.22 or later). The io_context is run by
// one thread, or its links are made on a strand and its locks used there; it must outlive the
// links, and operations under way are to be cancelled before it goes. A hold that is destroyed
// right before its link sends one request, whose answer nobody hears: release() and await it to
// know what became of it.
#pragma once

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/system_executor.hpp>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <picklock/lock.hpp>
#include <picklock/redis_loop.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Connections that live on `io`, which the caller runs: run_one() of the loop and of its links
/// gives false, and what the locks begin is awaited or followed up, not waited for by get().
RedisLoop redis_loop_on(asio::io_context& io);
/// The same on a strand of an io_context that several threads run: links and locks are then to be
/// used on that strand only, and handlers of async_wait() are to have it as their executor.
RedisLoop redis_loop_on(const asio::strand<asio::io_context::executor_type>& strand);

namespace asio_detail {

/// An operation whose end a handler waits for.
template <class T, class Handler>
class Wait : public std::enable_shared_from_this<Wait<T, Handler>> {
 public:
  /// Where the handler wants to run.
  using Executor = asio::associated_executor_t<Handler>;

  /// Takes the operation that is waited for.
  Wait(Ongoing<T> operation, Handler handler)
      : operation_(std::move(operation)),
        handler_(std::move(handler)),
        work_(asio::get_associated_executor(*handler_)) {}

  /// Begins to wait; the handler is called once.
  void start() {
    auto slot = asio::get_associated_cancellation_slot(*handler_);
    if (slot.is_connected())
      slot.assign([weak = this->weak_from_this()](asio::cancellation_type) {
        if (const auto self = weak.lock()) self->operation_.cancel();
      });
    operation_.when_done([self = this->shared_from_this()] { self->is_done(); });
  }

 private:
  // Never from within the lock client or the initiating call: what is resumed may end with the very
  // links that its operation was carried out on.
  void is_done() {
    asio::get_associated_cancellation_slot(*handler_).clear();
    asio::post(work_.get_executor(), [self = this->shared_from_this()] {
      Handler handler = std::move(*self->handler_);
      T value = self->operation_.take();
      self->handler_.reset();
      self->work_.reset();
      std::move(handler)(std::move(value));
    });
  }

  Ongoing<T> operation_;
  std::optional<Handler> handler_;
  asio::executor_work_guard<Executor> work_;
};

}  // namespace asio_detail

/// Completes with the result of `operation` on the handler's associated executor, which must be of
/// the io_context that the links live on: `co_await async_wait(lock.acquire_within(3s),
/// asio::use_awaitable)`. Cancelling it cancels an acquisition, whose result then is the error
/// LockError::Code::cancelled; other operations go on to their end.
template <class T, class Token>
auto async_wait(Ongoing<T> operation, Token&& token) {
  return asio::async_initiate<Token, void(T)>(
      [](auto&& handler, Ongoing<T> awaited) {
        using Handler = std::decay_t<decltype(handler)>;
        static_assert(!std::is_same_v<asio::associated_executor_t<Handler>, asio::system_executor>,
                      "the handler needs an executor: asio::bind_executor(io, handler)");
        std::make_shared<asio_detail::Wait<T, Handler>>(std::move(awaited),
                                                        std::forward<decltype(handler)>(handler))
            ->start();
      },
      token, std::move(operation));
}

}  // namespace picklock

#pragma GCC visibility pop
