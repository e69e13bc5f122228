#include <thread>

#include <picklock/blocking_locks.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using picklock::BlockingLocks;
using picklock::LockError;
using picklock::LockOptions;
using picklock::Released;
using picklock::test::shared_server;

TEST_CASE("eight threads that take from one stock under a lock lose no decrement") {
  auto& server = shared_server();
  constexpr int kThreads = 8;
  constexpr int kEach = 1000;
  server.ask({"SET", "stock", std::to_string(kThreads * kEach)});
  std::atomic<int> failures = 0;
  std::atomic<int> below_zero = 0;
  // Half of the threads share one client, the others have one each: both must exclude each other.
  BlockingLocks shared{server.endpoint()};
  const auto work = [&](int number) {
    std::optional<BlockingLocks> own;
    if (number % 2 == 1) own.emplace(server.endpoint());
    auto lock = (own ? *own : shared).make<picklock::Lock>("stock:lock", LockOptions{.ttl = 20s});
    picklock::test::RawClient stock{server.redis.socket_path()};
    for (int i = 0; i < kEach; ++i) {
      auto hold = lock.acquire();
      if (!hold) {
        ++failures;
        continue;
      }
      // Not atomic on purpose: only the lock keeps two threads from reading the same number.
      const int left = std::stoi(stock.call({"GET", "stock"}).text()) - 1;
      if (left < 0) ++below_zero;
      stock.call({"SET", "stock", std::to_string(left)});
      if (hold->release() != Released::released) ++failures;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(below_zero == 0);
  CHECK(server.ask({"GET", "stock"}) == "0");
  CHECK(server.ask({"EXISTS", "stock:lock"}) == 0);
}

TEST_CASE("a blocked thread is woken by a release in another thread") {
  BlockingLocks locks{shared_server().endpoint()};
  auto lock = locks.make<picklock::Lock>("ledger", LockOptions{.ttl = 10s});
  auto held = lock.try_acquire();
  REQUIRE(held);
  std::optional<picklock::Outcome<picklock::BlockingHold>> got;
  std::thread waiter{[&] { got.emplace(lock.acquire_within(5s)); }};
  CHECK(held->release() == Released::released);
  waiter.join();
  REQUIRE(got);
  CHECK(got->has_value());
}

TEST_CASE("the watchdog renews while its owner's thread is busy, and loss is signalled to it") {
  auto& server = shared_server();
  BlockingLocks locks{server.endpoint()};
  auto lock = locks.make<picklock::Lock>("ledger", LockOptions{.ttl = 600ms, .renew = true});
  auto held = lock.acquire();
  REQUIRE(held);
  const auto lost = held->lost_token();
  std::promise<picklock::Loss> loss;
  held->on_lost([&](picklock::Loss why) { loss.set_value(why); });
  server.redis.pass(1500ms);
  CHECK(held->is_held());
  CHECK_FALSE(lost.stop_requested());
  CHECK(locks.counters().extended >= 3);
  CHECK(server.ask({"DEL", "ledger"}) == 1);
  CHECK(loss.get_future().get() == picklock::Loss::not_owner);
  CHECK(lost.stop_requested());
  CHECK_FALSE(held->is_held());
  CHECK(held->valid_for() == 0s);
  CHECK(held->release() == Released::not_owner);
}

TEST_CASE("a thread's wait is cancelled by its stop token") {
  BlockingLocks locks{shared_server().endpoint()};
  auto lock = locks.make<picklock::FairLock>("ledger", LockOptions{.ttl = 10s});
  auto held = lock.acquire();
  std::stop_source stop;
  std::optional<picklock::Outcome<picklock::BlockingHold>> got;
  std::thread waiter{[&] { got.emplace(lock.acquire(stop.get_token())); }};
  stop.request_stop();
  waiter.join();
  REQUIRE_FALSE(*got);
  CHECK(got->error().code == LockError::Code::cancelled);
  CHECK(held->is_held());
}

TEST_CASE("a hold that is destroyed is given back, even as the last thing of all") {
  auto& server = shared_server();
  {
    std::optional<picklock::BlockingHold> held;
    {
      BlockingLocks locks{server.endpoint()};
      held.emplace(*locks.make<picklock::FencedLock>("ledger", LockOptions{.ttl = 10s}).acquire());
    }
    CHECK(held->is_held());
    CHECK(held->token().sequence == 1);
    CHECK(held->extend(20s));
    CHECK(held->valid_for() > 10s);
  }
  CHECK(server.ask({"EXISTS", "ledger"}) == 0);
}

TEST_CASE("a guard runs its body on the thread that waits, and gives back what it throws over") {
  auto& server = shared_server();
  BlockingLocks locks{server.endpoint()};
  auto lock = locks.make<picklock::Lock>("ledger", LockOptions{.ttl = 5s});
  static thread_local bool is_here = false;
  is_here = true;
  bool was_here = false;
  const auto released = lock.guard(1s, [&](picklock::BlockingHold& hold) {
    was_here = is_here;
    CHECK(server.ask({"GET", "ledger"}) == hold.owner());
    CHECK(lock.guard(10ms, [](auto&) {}).error().code == LockError::Code::timed_out);
  });
  CHECK(released.value() == Released::released);
  CHECK(was_here);
  CHECK_THROWS_AS(lock.guard(1s, [](auto&) { throw std::runtime_error{"in the body"}; }),
                  std::runtime_error);
  CHECK(lock.guard(1s, [](auto&) {}).value() == Released::released);
}

TEST_CASE("every primitive is there for threads that block") {
  auto& server = shared_server();
  BlockingLocks locks{server.endpoint()};
  const LockOptions options{.ttl = 5s};

  auto reentrant = locks.make<picklock::ReentrantLock>("again", options);
  auto outer = reentrant.acquire();
  auto inner = reentrant.acquire();
  REQUIRE(inner);
  CHECK(inner->release() == Released::still_held);
  CHECK(outer->release() == Released::released);

  auto seats = locks.make<picklock::Semaphore>("seats", 2, options);
  auto one = seats.acquire();
  auto two = seats.acquire();
  CHECK_FALSE(seats.try_acquire());
  CHECK(locks.who_holds("seats").value().size() == 2);

  auto rw = locks.make<picklock::ReadWriteLock>("pages", options);
  auto writer = rw.write().acquire();
  REQUIRE(writer);
  CHECK_FALSE(rw.read().try_acquire());
  CHECK(rw.downgrade(*writer));
  CHECK(rw.read().try_acquire());

  auto several = locks.make<picklock::MultiLock>(std::vector<std::string>{"a", "b"}, options);
  auto both = several.acquire();
  REQUIRE(both);
  CHECK(locks.force_release("again").value().empty());

  auto gate = locks.make<picklock::CountDownLatch>("gate", options);
  CHECK(gate.try_set_count(1).value());
  std::int64_t left = -1;
  std::thread opener{[&] { left = gate.count_down().value(); }};
  CHECK(gate.wait_within(5s));
  opener.join();
  CHECK(left == 0);
  CHECK(gate.count().value() == 0);
}

TEST_CASE("a callback that waits for a lock is refused instead of hanging for ever") {
  BlockingLocks locks{shared_server().endpoint()};
  auto lock = locks.make<picklock::Lock>("ledger", LockOptions{.ttl = 5s});
  std::string refusal;
  locks.on_event([&](const picklock::LockEvent&) {
    try {
      (void)lock.acquire();
    } catch (const std::logic_error& error) {
      refusal = error.what();
    }
  });
  CHECK(lock.try_acquire());
  CHECK(refusal.find("wait for itself") != std::string::npos);
  locks.on_event({});
}
