// Handles of blocking locks that were moved, handed over, or that go in a callback.
#include <future>
#include <string>

#include <picklock/blocking_locks.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using picklock::test::shared_server;

TEST_CASE("a blocking hold that was moved from is not held") {
  BlockingLocks locks{shared_server().endpoint()};
  auto lock = locks.make<Lock>("moved", LockOptions{.ttl = 10s});
  auto held = lock.try_acquire();
  REQUIRE(held);
  BlockingHold taken = std::move(*held);
  CHECK_FALSE(held->is_held());
  CHECK(held->release() == Released::not_owner);
  CHECK(held->hand_over().empty());
  CHECK_FALSE(held->extend());
  held->on_lost([](Loss) {});
  CHECK(taken.is_held());
}

TEST_CASE("a thread that releases a level is not kept once another level was handed over") {
  BlockingLocks locks{shared_server().endpoint()};
  auto lock = locks.make<ReentrantLock>("handed over", LockOptions{.ttl = 500ms});
  auto outer = lock.acquire();
  auto inner = lock.acquire();
  REQUIRE(inner);
  CHECK_FALSE(inner->hand_over().empty());
  CHECK(outer->release() == Released::not_owner);
}

TEST_CASE("whoever hears of a loss may let go of the hold, the lock and the locks") {
  auto locks = std::make_unique<BlockingLocks>(shared_server().endpoint());
  auto lock = std::make_unique<BlockingLock>(locks->make<Lock>("all go", LockOptions{.ttl = 30ms}));
  auto held = std::make_unique<BlockingHold>(*lock->acquire());
  std::promise<void> gone;
  held->on_lost([&](Loss) {
    held.reset();
    lock.reset();
    locks.reset();
    gone.set_value();
  });
  CHECK(gone.get_future().wait_for(5s) == std::future_status::ready);
}
