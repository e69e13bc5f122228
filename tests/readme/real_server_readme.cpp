// The README's locks on real servers; tests/lockclient_asio/readme_test.cpp calls them. `check_example` demands that
// what follows is the README's text, letter for letter.
#include <picklock/blocking_locks.hpp>  // for threads
#include <picklock/asio.hpp>            // for asio's coroutines
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>
using namespace std::chrono_literals;

bool in_a_thread(const picklock::Endpoint& server, void (*work)(std::stop_token)) {
  picklock::BlockingLocks locks{server};  // with a thread of their own, which renews what is held
  auto lock = locks.make<picklock::FencedLock>(
      "ledger", picklock::LockOptions{.ttl = 10s, .renew = true});
  auto hold = lock.acquire_within(3s);
  if (!hold) return false;   // hold.error() says why, and what to do about it
  work(hold->lost_token());  // stop_requested(): the lock is lost
  return hold->release() == picklock::Released::released;
}

asio::awaitable<bool> in_a_coroutine(asio::io_context& io, picklock::Endpoint server) {
  auto loop = picklock::redis_loop_on(io);
  auto link = loop.connect(server);
  picklock::Semaphore seats{*link, "seats", 3, {.ttl = 10s}};
  auto acquiring = seats.acquire_within(3s);
  auto hold = co_await picklock::async_wait(std::move(acquiring), asio::use_awaitable);
  if (!hold) co_return false;
  auto releasing = hold->release();
  co_return co_await picklock::async_wait(std::move(releasing), asio::use_awaitable) ==
      picklock::Released::released;
}
