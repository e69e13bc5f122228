#include "tests/support/catch.hpp"

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

using namespace std::chrono_literals;
using picklock::Duration;
using picklock::Hold;
using picklock::LockError;
using picklock::Released;

namespace {

/// An emulator and two clients of it, in simulated time.
struct Table {
  picklock::Emulator redis;
  picklock::LocalLoop loop;
  std::unique_ptr<picklock::Link> alice_link = loop.connect(redis);
  std::unique_ptr<picklock::Link> bob_link = loop.connect(redis);
  picklock::LockClient alice{*alice_link};
  picklock::LockClient bob{*bob_link};
};

}  // namespace

TEST_CASE("a lock is held by one client at a time, and freed by its release") {
  Table table;
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};

  auto held = first.acquire().get();
  REQUIRE(held);
  CHECK(held->is_held());
  CHECK(table.redis.inspect().string("ledger") == held->owner());
  const auto refused = second.try_acquire().get();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == LockError::Code::not_acquired);
  CHECK(refused.error().holder == held->owner());
  CHECK(held->release().get() == Released::released);
  CHECK_FALSE(table.redis.inspect().exists("ledger"));
  CHECK(second.try_acquire().get());
}

TEST_CASE("a waiter gets the lock as soon as it is released") {
  Table table;
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};

  auto held = first.acquire().get();
  auto waiting = second.acquire_within(10s);
  table.loop.advance(200ms);
  CHECK_FALSE(waiting.is_done());
  auto releasing = held->release();
  table.loop.advance(0ms);
  REQUIRE(releasing.is_done());
  REQUIRE(waiting.is_done());
  auto second_hold = waiting.take();
  REQUIRE(second_hold);
  CHECK(second_hold->valid_for() == 500ms - 7ms);
}

TEST_CASE("a waiter gets the lock in the millisecond after its holder's deadline") {
  Table table;
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};

  auto held = first.acquire().get();
  const auto started = table.loop.now();
  auto second_hold = second.acquire_within(10s).get();
  REQUIRE(second_hold);
  CHECK(table.loop.now() - started == 501ms);
  CHECK_FALSE(held->is_held());
  CHECK(held->release().get() == Released::expired);
  CHECK(second_hold->is_held());
}

TEST_CASE("the watchdog keeps a hold alive until it is released") {
  Table table;
  picklock::Lock lock{table.alice, "ledger", {.ttl = 300ms, .renew = true}};
  auto held = lock.acquire().get();
  table.loop.advance(10s);
  CHECK(held->is_held());
  CHECK(table.redis.inspect().exists("ledger"));
  CHECK(held->release().get() == Released::released);
  table.loop.advance(1s);
  CHECK(table.alice.under_way() == 0);
  CHECK(table.redis.inspect().keys().empty());
}

TEST_CASE("a lock that was taken away is reported as lost") {
  Table table;
  picklock::Lock lock{table.alice, "ledger", {.ttl = 300ms, .renew = true}};
  auto held = lock.acquire().get();
  std::vector<picklock::Loss> losses;
  held->on_lost([&](picklock::Loss loss) { losses.push_back(loss); });
  CHECK(table.bob.force_release("ledger").get().value() == std::vector{held->owner()});
  table.loop.advance(150ms);
  CHECK(losses == std::vector{picklock::Loss::not_owner});
  CHECK(held->lost_token().stop_requested());
  CHECK(held->release().get() == Released::not_owner);
}
