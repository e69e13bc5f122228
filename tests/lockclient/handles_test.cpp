// Handles that were given up, moved and handed over, and clients that could not be made.
#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

struct Table {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> link = loop.connect(redis);
  std::unique_ptr<Link> other = loop.connect(redis);
  LockClient client{*link};
};

}  // namespace

TEST_CASE("a handle that was given up can still be asked") {
  Table table;
  auto hold = Lock{table.client, "ledger"}.acquire().get();
  CHECK(hold->name() == "ledger");
  CHECK(hold->release().get() == Released::released);
  CHECK(hold->name().empty());
  CHECK(hold->owner().empty());
  CHECK(hold->token() == FencingToken{});
  CHECK_FALSE(hold->is_held());
}

TEST_CASE("owner ids are the client's, a colon and the number of the acquisition") {
  Table table;
  Lock lock{table.client, "ledger"};
  for (int number = 1; number <= 1001; ++number) {
    const auto hold = lock.acquire().get();
    REQUIRE(hold->owner() == table.client.id() + ':' + std::to_string(number));
  }
}

TEST_CASE("what is assigned to gives back what it held") {
  Table table;
  Lock first{table.client, "first"};
  Lock second{table.client, "second"};
  auto one = first.acquire().get();
  auto two = second.acquire().get();
  *one = std::move(*two);
  table.loop.advance(1ms);
  CHECK_FALSE(two->is_held());
  CHECK(one->name() == "second");
  CHECK(first.try_acquire().get());

  auto waiting = second.acquire();
  waiting = first.acquire();  // The one before is dropped, and so cancelled.
  CHECK(one->release().get() == Released::released);
  table.loop.advance(1s);
  CHECK(second.try_acquire().get());
}

TEST_CASE("the release of a level ends after another was handed over") {
  Table table;
  ReentrantLock lock{table.client, "lock"};
  auto outer = lock.acquire().get();
  auto inner = lock.acquire().get();
  CHECK_FALSE(inner->hand_over().empty());
  CHECK(outer->release().get() == Released::not_owner);
}

TEST_CASE("handing over ends an extension that is under way") {
  Table table;
  auto hold = Lock{table.client, "lock"}.acquire().get();
  auto extending = hold->extend(60s);
  CHECK_FALSE(hold->hand_over().empty());
  table.loop.advance(1ms);
  REQUIRE(extending.is_done());
  CHECK(extending.take().error().code == LockError::Code::cancelled);
}

TEST_CASE("a client that could not be made hears no more of any link") {
  Table table;
  CHECK_THROWS_AS((LockClient{std::vector<Link*>{table.other.get(), table.link.get()}}),
                  std::logic_error);
  CHECK(table.other->listener() == nullptr);
  table.loop.disconnect(*table.other);
  table.loop.advance(1s);
  LockClient anew{*table.other};
  CHECK(Lock(anew, "lock").acquire().get());
}

TEST_CASE("of two requests for a reentrant lock that are both granted, none is kept by nobody") {
  Table table;
  LockClient warden{*table.other};
  ReentrantLock lock{table.client, "lock", {.ttl = 1s, .renew = true}};
  auto one = lock.acquire();
  auto forcing = warden.force_release("lock");
  auto two = lock.acquire();
  table.loop.advance(1ms);
  REQUIRE(one.is_done());
  REQUIRE(two.is_done());
  static_cast<void>(one.take());  // Both levels are given back.
  static_cast<void>(two.take());
  table.loop.advance(60s);
  CHECK(table.client.under_way() == 0);
  CHECK(Lock(warden, "lock").try_acquire().get());
}

TEST_CASE("a reentrant lock that is held adopts no hold that is over") {
  Table table;
  ReentrantLock first{table.client, "ledger"};
  const std::string old = first.acquire().get()->hand_over();
  table.redis.connect().call("DEL", "ledger");
  ReentrantLock second{*table.other, "ledger"};
  auto held = second.acquire().get();
  CHECK(second.adopt(old).get().error().code == LockError::Code::not_owner);
  CHECK(second.levels() == 1);
  CHECK(held->release().get() == Released::released);

  auto adopting = second.adopt(old);
  auto acquiring = second.acquire();
  const auto got = acquiring.get();
  CHECK(got);
  CHECK(adopting.get().error().code == LockError::Code::not_owner);
  CHECK(second.levels() == 1);
}

TEST_CASE("what stands in a result that nobody keeps is kept for a loop over it") {
  Table table;
  auto hold = Lock{table.client, "ledger"}.acquire().get();
  std::vector<std::string> owners;
  for (const Holder& holder : *table.client.who_holds(hold->name()).get())
    owners.push_back(holder.owner);
  for (const Holder& holder : table.client.who_holds(hold->name()).get().value())
    owners.push_back(holder.owner);
  CHECK(owners == std::vector{hold->owner(), hold->owner()});
}

TEST_CASE("a hold that was handed over is taken over once") {
  Table table;
  const auto hand_over = [&] { return Lock{table.client, "ledger"}.acquire().get()->hand_over(); };
  Lock plain{*table.other, "ledger"};
  ReentrantLock reentrant{*table.other, "ledger"};
  for (AnyLock* lock : std::initializer_list<AnyLock*>{&plain, &reentrant}) {
    const std::string letter = hand_over();
    auto first = lock->adopt(letter);
    auto second = lock->adopt(letter);
    auto held = first.get();
    REQUIRE(held);
    CHECK(second.get().error().code == LockError::Code::invalid_argument);
    CHECK(held->release().get() == Released::released);
    CHECK_FALSE(lock->adopt(letter).get());
  }
}

TEST_CASE("no lock over several servers pretends to wait for replicas") {
  Table table;
  Emulator second;
  const auto link = table.loop.connect(second);
  const LockClient both{{table.other.get(), link.get()}};
  const auto asked = MultiLock{both, {"a", "b"}, {.replicas = 1}}.try_acquire().get();
  REQUIRE_FALSE(asked);
  CHECK(asked.error().code == LockError::Code::invalid_argument);
  CHECK(both.counters().requests == 0);
}

TEST_CASE("who waits for a latch that does not open is told so") {
  Table table;
  CountDownLatch latch{table.client, "latch"};
  CHECK(latch.try_set_count(2).get());
  for (const Duration limit : {0ms, 100ms}) {
    const auto waited = latch.wait_within(limit).get();
    REQUIRE_FALSE(waited);
    CHECK(waited.error().code == LockError::Code::timed_out);
    CHECK(waited.error().message.starts_with("it did not open in time"));
  }
}
