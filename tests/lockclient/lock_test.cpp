#include <picklock/emulator.hpp>
#include <picklock/local_loop.hpp>

#include "tests/lockclient/place.hpp"

using namespace std::chrono_literals;
using picklock::LockError;
using picklock::Released;
using picklock::test::Table;

PICKLOCK_TEST_EVERYWHERE("a lock is held by one client at a time, and freed by its release") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};

  auto held = first.acquire().get();
  REQUIRE(held);
  CHECK(held->is_held());
  CHECK(table.place->ask({"GET", "ledger"}) == held->owner());
  const auto refused = second.try_acquire().get();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == LockError::Code::not_acquired);
  CHECK(refused.error().holder == held->owner());
  CHECK(held->release().get() == Released::released);
  CHECK_FALSE(table.place->exists("ledger"));
  CHECK(second.try_acquire().get());
}

PICKLOCK_TEST_EVERYWHERE("a waiter gets the lock as soon as it is released") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};

  auto held = first.acquire().get();
  auto waiting = second.acquire_within(10s);
  table.place->pass(200ms);
  CHECK_FALSE(waiting.is_done());
  auto releasing = held->release();
  REQUIRE(table.place->soon([&] { return releasing.is_done() && waiting.is_done(); }));
  auto second_hold = waiting.take();
  REQUIRE(second_hold);
  CHECK(table.place->is_about(second_hold->valid_for(), 500ms - 7ms));
}

PICKLOCK_TEST_EVERYWHERE("a waiter gets the lock in the millisecond after its holder's deadline") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};

  auto held = first.acquire().get();
  const auto started = table.place->now();
  auto second_hold = second.acquire_within(10s).get();
  REQUIRE(second_hold);
  const auto waited = table.place->now() - started;
  CHECK(waited >= (table.place->is_exact() ? 500ms : 400ms));  // Counted from after the request.
  CHECK(waited <= (table.place->is_exact() ? 501ms : 900ms));
  CHECK_FALSE(held->is_held());
  CHECK(held->release().get() == Released::expired);
  CHECK(second_hold->is_held());
}

PICKLOCK_TEST_EVERYWHERE("the watchdog keeps a hold alive until it is released") {
  Table table{place};
  // A busy machine may not let real clients run for a while.
  picklock::Lock lock{table.alice, "ledger", {.ttl = 1500ms, .renew = true}};
  auto held = lock.acquire().get();
  table.place->pass(table.place->is_exact() ? 10s : 4s);
  CHECK(held->is_held());
  CHECK(table.place->exists("ledger"));
  CHECK(held->release().get() == Released::released);
  table.place->pass(2s);
  CHECK(table.alice.under_way() == 0);
  CHECK(table.place->ask({"DBSIZE"}) == 0);
}

TEST_CASE("what is over is remembered for at least a millisecond") {
  picklock::Emulator redis;
  picklock::LocalLoop loop;
  const auto link = loop.connect(redis);
  picklock::Lock lock{*link, "ledger", {.memory = 1us}};
  CHECK(lock.acquire().get()->release().get() == Released::released);
}

PICKLOCK_TEST_EVERYWHERE("a lock that was taken away is reported as lost") {
  Table table{place};
  picklock::Lock lock{table.alice, "ledger", {.ttl = 600ms, .renew = true}};
  auto held = lock.acquire().get();
  std::vector<picklock::Loss> losses;
  held->on_lost([&](picklock::Loss loss) { losses.push_back(loss); });
  CHECK(table.bob.force_release("ledger").get().value() == std::vector{held->owner()});
  table.place->pass(300ms);
  CHECK(table.place->soon([&] { return !losses.empty(); }));
  CHECK(losses == std::vector{picklock::Loss::not_owner});
  CHECK(held->lost_token().stop_requested());
  CHECK(held->release().get() == Released::not_owner);
}
