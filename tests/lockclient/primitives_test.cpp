#include "tests/support/catch.hpp"

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

using namespace std::chrono_literals;
using picklock::LockError;
using picklock::Released;

namespace {

struct Table {
  picklock::Emulator redis;
  picklock::LocalLoop loop;
  std::unique_ptr<picklock::Link> alice_link = loop.connect(redis);
  std::unique_ptr<picklock::Link> bob_link = loop.connect(redis);
  std::unique_ptr<picklock::Link> carol_link = loop.connect(redis);
  picklock::LockClient alice{*alice_link};
  picklock::LockClient bob{*bob_link};
  picklock::LockClient carol{*carol_link};
};

}  // namespace

TEST_CASE("a reentrant lock counts its levels and is one hold at the server") {
  Table table;
  picklock::ReentrantLock lock{table.alice, "ledger", {.ttl = 500ms}};
  auto outer = lock.acquire().get();
  auto inner = lock.try_acquire().get();
  REQUIRE(inner);
  CHECK(lock.levels() == 2);
  CHECK(table.alice.counters().acquired == 1);
  CHECK(inner->release().get() == Released::still_held);
  CHECK(outer->is_held());
  CHECK(outer->release().get() == Released::released);
  CHECK(lock.levels() == 0);
  CHECK_FALSE(table.redis.inspect().exists("ledger"));
}

TEST_CASE("fencing tokens grow from holder to holder, past a forced release and a flush") {
  Table table;
  picklock::FencedLock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::FencedLock second{table.bob, "ledger", {.ttl = 500ms}};
  auto one = first.acquire().get();
  const auto early = one->token();
  CHECK(early.sequence == 1);
  CHECK(table.bob.force_release("ledger").get().value().size() == 1);
  auto two = second.acquire().get();
  CHECK(two->token() > early);
  const auto late = two->token();
  CHECK(two->release().get() == Released::released);
  CHECK(table.redis.connect().call("FLUSHALL") == picklock::replies::status("OK"));
  auto three = second.acquire().get();
  CHECK(three->token() > late);

  picklock::FencedResource resource;
  CHECK(resource.admit(late));
  CHECK_FALSE(resource.admit(early));
}

TEST_CASE("a fair lock is served in the order of asking, and a waiter that leaves steps aside") {
  Table table;
  picklock::FairLock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::FairLock second{table.bob, "ledger", {.ttl = 500ms}};
  picklock::FairLock third{table.carol, "ledger", {.ttl = 500ms}};
  auto held = first.acquire().get();
  auto bob_waits = second.acquire_within(100ms);
  table.loop.advance(10ms);
  auto carol_waits = third.acquire_within(10s);
  table.loop.advance(10ms);
  CHECK_FALSE(bob_waits.is_done());
  table.loop.advance(100ms);
  REQUIRE(bob_waits.is_done());
  CHECK(bob_waits.take().error().code == LockError::Code::timed_out);
  CHECK_FALSE(carol_waits.is_done());
  CHECK(held->release().get() == Released::released);
  table.loop.advance(0ms);
  REQUIRE(carol_waits.is_done());
  CHECK(carol_waits.take());
}

TEST_CASE("readers share, writers exclude, and a waiting writer is not passed by") {
  Table table;
  picklock::ReadWriteLock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::ReadWriteLock second{table.bob, "ledger", {.ttl = 500ms}};
  picklock::ReadWriteLock third{table.carol, "ledger", {.ttl = 500ms}};
  auto reader = first.read().acquire().get();
  auto other_reader = second.read().try_acquire().get();
  REQUIRE(other_reader);
  auto writer_waits = third.write().acquire_within(10s);
  table.loop.advance(1ms);
  CHECK_FALSE(first.read().try_acquire().get());
  CHECK(reader->release().get() == Released::released);
  CHECK(other_reader->release().get() == Released::released);
  table.loop.advance(0ms);
  REQUIRE(writer_waits.is_done());
  auto writer = writer_waits.take();
  REQUIRE(writer);
  CHECK_FALSE(first.read().try_acquire().get());
  CHECK(third.downgrade(*writer).get());
  auto beside_it = first.read().try_acquire().get();
  CHECK(beside_it);
  CHECK_FALSE(second.write().try_acquire().get());
}

TEST_CASE("a semaphore gives no more than its permits, and notices another limit") {
  Table table;
  picklock::Semaphore two_of_three{table.alice, "seats", 3, {.ttl = 500ms}, 2};
  picklock::Semaphore one_of_three{table.bob, "seats", 3, {.ttl = 500ms}};
  auto pair = two_of_three.acquire().get();
  auto single = one_of_three.acquire().get();
  REQUIRE(single);
  CHECK_FALSE(one_of_three.try_acquire().get());
  picklock::Semaphore of_four{table.carol, "seats", 4, {.ttl = 500ms}};
  CHECK(of_four.try_acquire().get().error().code == LockError::Code::conflict);
  const auto holders = table.carol.who_holds("seats").get().value();
  REQUIRE(holders.size() == 2);
  CHECK(holders[0].permits + holders[1].permits == 3);
  CHECK(pair->release().get() == Released::released);
  CHECK(one_of_three.try_acquire().get());
}

TEST_CASE("a latch opens for all who wait when it is counted down") {
  Table table;
  picklock::CountDownLatch latch{table.alice, "gate"};
  picklock::CountDownLatch same{table.bob, "gate"};
  CHECK(same.wait_within(1s).get().error().code == LockError::Code::conflict);
  CHECK(latch.try_set_count(2).get().value());
  CHECK_FALSE(same.try_set_count(5).get().value());
  auto waiting = same.wait();
  table.loop.advance(1s);
  CHECK_FALSE(waiting.is_done());
  CHECK(latch.count_down().get().value() == 1);
  CHECK(latch.count_down().get().value() == 0);
  table.loop.advance(0ms);
  REQUIRE(waiting.is_done());
  CHECK(waiting.take());
  CHECK(latch.count().get().value() == 0);
}

TEST_CASE("several names are locked together or not at all") {
  Table table;
  picklock::Lock single{table.alice, "b", {.ttl = 500ms}};
  picklock::MultiLock several{table.bob, {"c", "a", "b"}, {.ttl = 500ms}};
  auto held = single.acquire().get();
  CHECK_FALSE(several.try_acquire().get());
  CHECK_FALSE(table.redis.inspect().exists("a"));
  CHECK(held->release().get() == Released::released);
  auto all = several.try_acquire().get();
  REQUIRE(all);
  CHECK(table.redis.inspect().exists("a"));
  CHECK(table.redis.inspect().exists("c"));
  CHECK(all->release().get() == Released::released);
  CHECK_FALSE(table.redis.inspect().exists("b"));
}

TEST_CASE("a hold is handed over to another client, which extends and releases it") {
  Table table;
  picklock::Lock first{table.alice, "ledger", {.ttl = 500ms}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 500ms}};
  auto held = first.acquire().get();
  const std::string letter = held->hand_over();
  CHECK_FALSE(held->is_held());
  table.loop.advance(100ms);
  auto adopted = second.adopt(letter).get();
  REQUIRE(adopted);
  CHECK(adopted->valid_for() == 493ms);
  CHECK(adopted->release().get() == Released::released);
  CHECK(second.adopt(letter).get().error().code == LockError::Code::not_owner);
}

TEST_CASE("a Redlock holds with one of five servers down, not with three") {
  std::array<picklock::Emulator, 5> servers;
  picklock::LocalLoop loop;
  std::vector<std::unique_ptr<picklock::Link>> links;
  std::vector<picklock::Link*> pointers;
  for (auto& server : servers) {
    links.push_back(loop.connect(server));
    pointers.push_back(links.back().get());
  }
  picklock::LockClient client{pointers};
  picklock::Redlock lock{client, "ledger", {.ttl = 500ms}};
  auto held = lock.acquire().get();
  REQUIRE(held);
  CHECK(held->release().get() == Released::released);
  loop.advance(0ms);
  for (auto& server : servers) CHECK_FALSE(server.inspect().exists("ledger"));
  servers[1].connect().call("CONFIG", "SET", "min-replicas-to-write", "1");
  auto with_four = lock.acquire().get();
  REQUIRE(with_four);
  CHECK(with_four->release().get() == Released::released);
  servers[2].connect().call("CONFIG", "SET", "min-replicas-to-write", "1");
  servers[3].connect().call("CONFIG", "SET", "min-replicas-to-write", "1");
  const auto refused = lock.try_acquire().get();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == LockError::Code::quorum_not_reached);
  CHECK(refused.error().nodes.size() == 3);
  loop.advance(1s);
  for (auto& server : servers) CHECK_FALSE(server.inspect().exists("ledger"));
}

TEST_CASE("a Redlock refuses a server that is named twice") {
  std::array<picklock::Emulator, 2> servers;
  picklock::LocalLoop loop;
  auto one = loop.connect(servers[0]);
  auto two = loop.connect(servers[1]);
  auto again = loop.connect(servers[1]);
  picklock::LockClient client{{one.get(), two.get(), again.get()}};
  picklock::Redlock lock{client, "ledger", {.ttl = 500ms}};
  CHECK(lock.acquire().get().error().code == LockError::Code::invalid_argument);
}
