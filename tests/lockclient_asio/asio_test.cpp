#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>
#include <thread>
#include <vector>

#include <picklock/asio.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using picklock::async_wait;
using picklock::Hold;
using picklock::Lock;
using picklock::LockError;
using picklock::Outcome;
using picklock::Released;
using picklock::test::shared_server;

namespace {

/// What a coroutine that needs a lock of its own connection does: its link goes when it ends.
asio::awaitable<void> take_and_count(picklock::RedisLoop& loop, picklock::Endpoint endpoint,
                                     int& inside, int& most, int& done) {
  auto link = loop.connect(endpoint);
  picklock::Lock lock{*link, "ledger", {.ttl = 5s}};
  for (int i = 0; i < 20; ++i) {
    auto acquiring = lock.acquire_within(5s);
    auto held = co_await async_wait(std::move(acquiring), asio::use_awaitable);
    if (!held) co_return;
    most = std::max(most, ++inside);
    // Others run meanwhile.
    asio::steady_timer pause{co_await asio::this_coro::executor, 1ms};
    co_await pause.async_wait(asio::use_awaitable);
    --inside;
    auto releasing = held->release();
    const Released released = co_await async_wait(std::move(releasing), asio::use_awaitable);
    done += released == Released::released ? 1 : 0;
  }
}

}  // namespace

TEST_CASE("asio coroutines on one io_context exclude each other") {
  auto& server = shared_server();
  asio::io_context io;
  auto loop = picklock::redis_loop_on(io);
  int inside = 0;
  int most = 0;
  int done = 0;
  for (int i = 0; i < 5; ++i)
    asio::co_spawn(io, take_and_count(loop, server.endpoint(), inside, most, done), asio::detached);
  io.run();  // Ends by itself: nothing is left behind, no timer and no connection.
  CHECK(done == 100);
  CHECK(most == 1);
  CHECK(server.ask({"EXISTS", "ledger"}) == 0);
}

TEST_CASE("a loop on the caller's io_context leaves that as it was") {
  asio::io_context io;
  auto loop = picklock::redis_loop_on(io);
  loop.run_for(1ms);
  bool done = false;
  asio::post(io, [&] { done = true; });
  io.run();
  CHECK(done);
  io.restart();
  const auto began = loop.now();
  loop.run_for(20ms);
  CHECK(loop.now() - began >= 20ms);
}

TEST_CASE("several threads run an io_context whose locks are used on one strand") {
  auto& server = shared_server();
  asio::io_context io;
  const auto strand = asio::make_strand(io);
  auto loop = picklock::redis_loop_on(strand);
  int inside = 0;
  int most = 0;
  int done = 0;
  for (int i = 0; i < 5; ++i)
    asio::co_spawn(strand, take_and_count(loop, server.endpoint(), inside, most, done),
                   asio::detached);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { io.run(); });
  for (auto& thread : threads) thread.join();
  CHECK(done == 100);
  CHECK(most == 1);
}

TEST_CASE("cancelling an asio operation cancels the acquisition") {
  auto& server = shared_server();
  asio::io_context io;
  auto loop = picklock::redis_loop_on(io);
  auto link = loop.connect(server.endpoint());
  CHECK(server.ask({"SET", "ledger", "somebody"}) == picklock::replies::status("OK"));
  Lock lock{*link, "ledger", {.ttl = 5s}};
  asio::cancellation_signal signal;
  std::optional<LockError> error;
  async_wait(lock.acquire(), asio::bind_cancellation_slot(
                                 signal.slot(), asio::bind_executor(io, [&](Outcome<Hold> outcome) {
                                   error.emplace(outcome.error());
                                   io.stop();  // The link must outlive its lock.
                                 })));
  asio::steady_timer timer{io, 50ms};
  timer.async_wait([&](const asio::error_code&) { signal.emit(asio::cancellation_type::all); });
  io.run();
  REQUIRE(error);
  CHECK(error->code == LockError::Code::cancelled);
}

TEST_CASE("an acquisition loses a race against a timer, and takes no lock later") {
  auto& server = shared_server();
  asio::io_context io;
  auto loop = picklock::redis_loop_on(io);
  auto link = loop.connect(server.endpoint());
  auto holder_link = loop.connect(server.endpoint());
  Lock lock{*link, "ledger", {.ttl = 5s}};
  Lock holder{*holder_link, "ledger", {.ttl = 5s}};
  std::size_t winner = 99;
  const auto race = [&]() -> asio::awaitable<void> {
    using namespace asio::experimental::awaitable_operators;
    auto first = holder.acquire();
    auto held = co_await async_wait(std::move(first), asio::use_awaitable);
    asio::steady_timer timer{io, 50ms};
    auto acquiring = lock.acquire();
    auto waiting = async_wait(std::move(acquiring), asio::use_awaitable);
    auto ringing = timer.async_wait(asio::use_awaitable);
    auto either = co_await (std::move(waiting) || std::move(ringing));
    winner = either.index();
    auto releasing = held->release();
    (void)co_await async_wait(std::move(releasing), asio::use_awaitable);
    io.stop();
  };
  asio::co_spawn(io, race, asio::detached);
  io.run();
  CHECK(winner == 1);
  CHECK(server.ask({"EXISTS", "ledger"}) == 0);
}

TEST_CASE("get() on a link of the user's own io_context says what to do instead") {
  asio::io_context io;
  auto loop = picklock::redis_loop_on(io);
  auto link = loop.connect(shared_server().endpoint());
  Lock lock{*link, "ledger", {.ttl = 5s}};
  CHECK_FALSE(loop.run_one());
  CHECK_THROWS_WITH(lock.acquire().get(), Catch::Contains("co_await"));
}
