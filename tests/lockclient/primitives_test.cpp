#include "tests/lockclient/place.hpp"

using namespace std::chrono_literals;
using picklock::LockError;
using picklock::Released;
using picklock::test::Table;

PICKLOCK_TEST_EVERYWHERE("a reentrant lock counts its levels and is one hold at the server") {
  Table table{place};
  picklock::ReentrantLock lock{table.alice, "ledger", {.ttl = 5s}};
  auto outer = lock.acquire().get();
  auto inner = lock.try_acquire().get();
  REQUIRE(inner);
  CHECK(lock.levels() == 2);
  CHECK(table.alice.counters().acquired == 1);
  CHECK(inner->release().get() == Released::still_held);
  CHECK(outer->is_held());
  CHECK(outer->release().get() == Released::released);
  CHECK(lock.levels() == 0);
  CHECK_FALSE(table.place->exists("ledger"));
}

PICKLOCK_TEST_EVERYWHERE("each of several waits for one reentrant lock has its own limit") {
  Table table{place};
  picklock::Lock other{table.bob, "ledger", {.ttl = 5s}};
  picklock::ReentrantLock lock{table.alice, "ledger", {.ttl = 5s}};
  auto held = other.acquire().get();
  auto short_wait = lock.acquire_within(100ms);
  auto long_wait = lock.acquire();
  auto middle_wait = lock.acquire_within(300ms);
  auto a_try = lock.try_acquire();
  table.place->pass(50ms);
  REQUIRE(table.place->soon([&] { return a_try.is_done(); }));
  CHECK(a_try.take().error().code == LockError::Code::not_acquired);
  CHECK_FALSE(short_wait.is_done());
  table.place->pass(60ms);
  REQUIRE(table.place->soon([&] { return short_wait.is_done(); }));
  CHECK(short_wait.take().error().code == LockError::Code::timed_out);
  CHECK_FALSE(middle_wait.is_done());
  table.place->pass(200ms);
  REQUIRE(table.place->soon([&] { return middle_wait.is_done(); }));
  CHECK(middle_wait.take().error().code == LockError::Code::timed_out);
  CHECK_FALSE(long_wait.is_done());
  CHECK(held->release().get() == Released::released);
  REQUIRE(table.place->soon([&] { return long_wait.is_done(); }));
  CHECK(lock.levels() == 1);
  CHECK(long_wait.take().value().release().get() == Released::released);
}

PICKLOCK_TEST_EVERYWHERE("fencing tokens grow with every holder, past a forced end and a flush") {
  Table table{place};
  picklock::FencedLock first{table.alice, "ledger", {.ttl = 5s}};
  picklock::FencedLock second{table.bob, "ledger", {.ttl = 5s}};
  auto one = first.acquire().get();
  const auto early = one->token();
  CHECK(early.sequence == 1);
  CHECK(table.bob.force_release("ledger").get().value().size() == 1);
  auto two = second.acquire().get();
  CHECK(two->token() > early);
  const auto late = two->token();
  CHECK(two->release().get() == Released::released);
  CHECK(table.place->ask({"FLUSHALL"}) == picklock::replies::status("OK"));
  auto three = second.acquire().get();
  CHECK(three->token() > late);

  picklock::FencedResource resource;
  CHECK(resource.admit(late));
  CHECK_FALSE(resource.admit(early));
}

PICKLOCK_TEST_EVERYWHERE("a fair lock is served in the order of asking; who leaves steps aside") {
  Table table{place};
  picklock::FairLock first{table.alice, "ledger", {.ttl = 5s}};
  picklock::FairLock second{table.bob, "ledger", {.ttl = 5s}};
  picklock::FairLock third{table.carol, "ledger", {.ttl = 5s}};
  auto held = first.acquire().get();
  auto bob_waits = second.acquire_within(300ms);
  REQUIRE(table.place->soon([&] { return table.place->exists("picklock:{ledger}:queue"); }));
  auto carol_waits = third.acquire_within(10s);
  table.place->pass(10ms);
  CHECK_FALSE(bob_waits.is_done());
  table.place->pass(300ms);
  REQUIRE(table.place->soon([&] { return bob_waits.is_done(); }));
  CHECK(bob_waits.take().error().code == LockError::Code::timed_out);
  CHECK_FALSE(carol_waits.is_done());
  CHECK(held->release().get() == Released::released);
  REQUIRE(table.place->soon([&] { return carol_waits.is_done(); }));
  CHECK(carol_waits.take());
}

PICKLOCK_TEST_EVERYWHERE("readers share, writers exclude, and a waiting writer is not passed by") {
  Table table{place};
  picklock::ReadWriteLock first{table.alice, "ledger", {.ttl = 5s}};
  picklock::ReadWriteLock second{table.bob, "ledger", {.ttl = 5s}};
  picklock::ReadWriteLock third{table.carol, "ledger", {.ttl = 5s}};
  auto reader = first.read().acquire().get();
  auto other_reader = second.read().try_acquire().get();
  REQUIRE(other_reader);
  auto writer_waits = third.write().acquire_within(10s);
  REQUIRE(table.place->soon([&] { return table.place->exists("picklock:{ledger}:queue"); }));
  CHECK_FALSE(first.read().try_acquire().get());
  CHECK(reader->release().get() == Released::released);
  CHECK(other_reader->release().get() == Released::released);
  REQUIRE(table.place->soon([&] { return writer_waits.is_done(); }));
  auto writer = writer_waits.take();
  REQUIRE(writer);
  CHECK_FALSE(first.read().try_acquire().get());
  CHECK(third.downgrade(*writer).get());
  auto beside_it = first.read().try_acquire().get();
  CHECK(beside_it);
  CHECK_FALSE(second.write().try_acquire().get());
}

PICKLOCK_TEST_EVERYWHERE("a semaphore gives no more than its permits, and notices another limit") {
  Table table{place};
  picklock::Semaphore two_of_three{table.alice, "seats", 3, {.ttl = 5s}, 2};
  picklock::Semaphore one_of_three{table.bob, "seats", 3, {.ttl = 5s}};
  auto pair = two_of_three.acquire().get();
  auto single = one_of_three.acquire().get();
  REQUIRE(single);
  CHECK_FALSE(one_of_three.try_acquire().get());
  picklock::Semaphore of_four{table.carol, "seats", 4, {.ttl = 5s}};
  CHECK(of_four.try_acquire().get().error().code == LockError::Code::conflict);
  const auto holders = table.carol.who_holds("seats").get().value();
  REQUIRE(holders.size() == 2);
  CHECK(holders[0].permits + holders[1].permits == 3);
  CHECK(pair->release().get() == Released::released);
  CHECK(one_of_three.try_acquire().get());
}

PICKLOCK_TEST_EVERYWHERE("a semaphore that nobody holds any more may be given another limit") {
  Table table{place};
  picklock::Semaphore of_three{table.alice, "seats", 3, {.ttl = 10s}};
  picklock::Semaphore briefly{table.bob, "seats", 3, {.ttl = 300ms}};
  picklock::Semaphore of_four{table.carol, "seats", 4, {.ttl = 5s}};
  auto longer = of_three.acquire().get();
  auto shorter = briefly.acquire().get();
  CHECK(longer->release().get() == Released::released);
  place.pass(400ms);
  // The server still has the limit of those who were here.
  CHECK(place.exists("seats"));
  CHECK(of_four.try_acquire().get());
}

PICKLOCK_TEST_EVERYWHERE("a latch opens for all who wait when it is counted down") {
  Table table{place};
  picklock::CountDownLatch latch{table.alice, "gate"};
  picklock::CountDownLatch same{table.bob, "gate"};
  CHECK(same.wait_within(1s).get().error().code == LockError::Code::conflict);
  CHECK(latch.try_set_count(2).get().value());
  CHECK_FALSE(same.try_set_count(5).get().value());
  auto waiting = same.wait();
  table.place->pass(100ms);
  CHECK_FALSE(waiting.is_done());
  CHECK(latch.count_down().get().value() == 1);
  CHECK(latch.count_down().get().value() == 0);
  REQUIRE(table.place->soon([&] { return waiting.is_done(); }));
  CHECK(waiting.take());
  CHECK(latch.count().get().value() == 0);
}

PICKLOCK_TEST_EVERYWHERE("several names are locked together or not at all") {
  Table table{place};
  picklock::Lock single{table.alice, "b", {.ttl = 5s}};
  picklock::MultiLock several{table.bob, {"c", "a", "b"}, {.ttl = 5s}};
  auto held = single.acquire().get();
  CHECK_FALSE(several.try_acquire().get());
  CHECK_FALSE(table.place->exists("a"));
  CHECK(held->release().get() == Released::released);
  auto all = several.try_acquire().get();
  REQUIRE(all);
  CHECK(table.place->exists("a"));
  CHECK(table.place->exists("c"));
  CHECK(all->release().get() == Released::released);
  CHECK_FALSE(table.place->exists("b"));
}

PICKLOCK_TEST_EVERYWHERE("a guard runs its body while the lock is held, or not at all") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 5s}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 5s}};
  std::string owner;
  bool was_held = false;
  const auto body = [&](picklock::Hold& hold) {
    owner = hold.owner();
    was_held = hold.is_held();
  };
  CHECK(first.guard(1s, body).get().value() == Released::released);
  CHECK(owner.starts_with(table.alice.id()));
  CHECK(was_held);
  CHECK_FALSE(place.exists("ledger"));

  auto held = first.acquire().get();
  owner.clear();
  const auto refused = second.guard(50ms, body).get();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == LockError::Code::timed_out);
  CHECK(second.guard(-1ms, body).get().error().code == LockError::Code::invalid_argument);
  auto cancelled = second.guard(10s, body);
  cancelled.cancel();
  CHECK(cancelled.get().error().code == LockError::Code::cancelled);
  CHECK(owner.empty());
  auto waiting = second.guard(10s, body);
  CHECK(held->release().get() == Released::released);
  CHECK(waiting.get().value() == Released::released);
  CHECK(owner.starts_with(table.bob.id()));
}

PICKLOCK_TEST_EVERYWHERE("a hold is handed over to another client, which extends and releases it") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 2s}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 2s}};
  auto held = first.acquire().get();
  const std::string letter = held->hand_over();
  CHECK_FALSE(held->is_held());
  table.place->pass(100ms);
  auto adopted = second.adopt(letter).get();
  REQUIRE(adopted);
  CHECK(table.place->is_about(adopted->valid_for(), 2s - 22ms));
  CHECK(adopted->release().get() == Released::released);
  CHECK(second.adopt(letter).get().error().code == LockError::Code::not_owner);
}

namespace {

/// One client of several servers.
struct Cluster {
  Cluster(picklock::test::Place& place, std::initializer_list<std::size_t> servers) {
    for (const std::size_t server : servers) {
      links.push_back(place.connect(server));
      pointers.push_back(links.back().get());
    }
  }
  std::vector<std::unique_ptr<picklock::Link>> links;
  std::vector<picklock::Link*> pointers;
};

}  // namespace

PICKLOCK_TEST_EVERYWHERE("a Redlock holds with one of five servers down, not with three") {
  const Cluster cluster{place, {0, 1, 2, 3, 4}};
  const auto take_down = [&](std::size_t server) {
    place.ask({"CONFIG", "SET", "min-replicas-to-write", "1"}, server);
  };
  const auto is_free_everywhere = [&] {
    for (std::size_t server = 0; server < 5; ++server) {
      if (place.exists("ledger", server)) return false;
    }
    return true;
  };
  picklock::LockClient client{cluster.pointers};
  picklock::Redlock lock{client, "ledger", {.ttl = 2s}};
  auto held = lock.acquire().get();
  REQUIRE(held);
  CHECK(held->release().get() == Released::released);
  CHECK(place.soon(is_free_everywhere));
  take_down(1);
  auto with_four = lock.acquire().get();
  REQUIRE(with_four);
  CHECK(with_four->release().get() == Released::released);
  CHECK(place.soon(is_free_everywhere));
  take_down(2);
  take_down(3);
  const auto refused = lock.try_acquire().get();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == LockError::Code::quorum_not_reached);
  CHECK(refused.error().nodes.size() == 3);
  place.pass(100ms);
  CHECK(is_free_everywhere());
}

PICKLOCK_TEST_EVERYWHERE("a Redlock refuses a server that is named twice") {
  const Cluster cluster{place, {0, 1, 1}};
  picklock::LockClient client{cluster.pointers};
  picklock::Redlock lock{client, "ledger", {.ttl = 2s}};
  const auto outcome = lock.acquire().get();
  // Who is not heard cannot be told from another server: then the others' votes must do.
  if (outcome) {
    CHECK(place.is_faulty());
    return;
  }
  CHECK(outcome.error().code == LockError::Code::invalid_argument);
}
