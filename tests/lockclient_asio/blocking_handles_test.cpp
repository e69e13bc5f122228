// Handles of blocking locks that were moved, handed over, or that go in a callback; and what
// threads wait for.
#include <functional>
#include <future>
#include <string>
#include <utility>

#include <picklock/blocking_locks.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using picklock::test::shared_server;

namespace {

thread_local bool is_loop = false;

/// An operation that is done at once. Notes whether it ended on the loop's thread.
class Operation {
 public:
  explicit Operation(bool& ended_there) : ended_there_(&ended_there) {}
  Operation(Operation&& other) : ended_there_(std::exchange(other.ended_there_, nullptr)) {}
  ~Operation() {
    if (ended_there_ != nullptr) *ended_there_ = is_loop;
  }
  int take() { return 7; }
  void when_done(std::function<void()> callback) { callback(); }
  void cancel() {}

 private:
  bool* ended_there_;
};

}  // namespace

TEST_CASE("what a thread has waited for ends on the loop's thread, before the wait does") {
  const auto thread = LoopThread::start({shared_server().endpoint()});
  bool ended_there = false;
  const auto start = [&ended_there](LockClient&) {
    is_loop = true;
    return Operation{ended_there};
  };
  CHECK(thread->wait(start, [](int taken) { return taken; }) == 7);
  CHECK(ended_there);
}

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
