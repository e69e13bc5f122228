// Requests beside acquiring, extending and releasing, lost, answered in vain, cut off or carried
// out twice, at every position: counting a latch down, forcing a release, downgrading.
#include <iostream>

#include <picklock/lock.hpp>

#include "tests/lockclient/faulty_link.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

const LockOptions kOptions{.ttl = 1000ms, .answer_within = 40ms, .give_up_after = 800ms};

}  // namespace

namespace {

/// Two clients count a latch down, and one of them waits for it.
void count_down(test::SpoilPlan& plan) {
  Emulator redis;
  LocalLoop loop;
  const auto alice_inner = loop.connect(redis);
  const auto bob_inner = loop.connect(redis);
  test::FaultyLink alice_link{loop, *alice_inner, plan};
  test::FaultyLink bob_link{loop, *bob_inner, plan};
  CountDownLatch latch{alice_link, "gate", kOptions};
  CountDownLatch same{bob_link, "gate", kOptions};
  CHECK(latch.try_set_count(3).get().value());
  CHECK_FALSE(same.try_set_count(3).get().value());
  auto waiting = same.wait_within(900ms);
  for (const std::int64_t left : {2, 1}) CHECK(latch.count_down().get().value() == left);
  loop.advance(5ms);
  CHECK_FALSE(waiting.is_done());
  CHECK(same.count_down().get().value() == 0);
  CHECK(waiting.get());
}

}  // namespace

TEST_CASE("no spoilt request makes a latch count wrongly") {
  test::SpoilPlan undisturbed;
  count_down(undisturbed);
  constexpr std::size_t kPositions = 16;
  CHECK(undisturbed.requests + 4 <= kPositions);
  const std::size_t cases = test::spoil_each(kPositions, count_down);
  std::cout << "reply-loss closure, latch: " << cases << " cases\n";
  CHECK(cases == 216);
}

namespace {

/// Spoils every request of `play` in every way; gives how often that was.
std::size_t spoil_all(const std::function<void(test::SpoilPlan&)>& play) {
  test::SpoilPlan undisturbed;
  play(undisturbed);
  return test::spoil_each(undisturbed.requests + 4, play);
}

/// A client ends another's hold by force, and takes the lock itself.
template <class Lock>
void force_release(test::SpoilPlan& plan) {
  Emulator redis;
  LocalLoop loop;
  const auto alice_inner = loop.connect(redis);
  const auto bob_inner = loop.connect(redis);
  test::FaultyLink alice_link{loop, *alice_inner, plan};
  test::FaultyLink bob_link{loop, *bob_inner, plan};
  LockClient bob{bob_link};
  Lock first{LockClient{alice_link}, "name", kOptions};
  Lock second{bob, "name", kOptions};
  auto held = first.acquire().get();
  REQUIRE(held);
  CHECK(bob.force_release("name").get().value() == std::vector{held->owner()});
  auto next = second.try_acquire().get();
  REQUIRE(next);
  // The second carrying out of a request that came late must not end what was taken since.
  for (int i = 0; i < 4; ++i) CHECK(next->extend().get());
  CHECK(held->release().get() == Released::not_owner);
  CHECK(next->release().get() == Released::released);
  if (plan.resend) std::exchange(plan.resend, nullptr)();
  loop.advance(100s);
  for (const std::string& key : redis.inspect().keys()) CHECK(key.find("fence") != key.npos);
}

/// A writer becomes a reader; another reader comes in, no writer does.
void downgrade(test::SpoilPlan& plan) {
  Emulator redis;
  LocalLoop loop;
  const auto alice_inner = loop.connect(redis);
  const auto bob_inner = loop.connect(redis);
  test::FaultyLink alice_link{loop, *alice_inner, plan};
  test::FaultyLink bob_link{loop, *bob_inner, plan};
  ReadWriteLock first{LockClient{alice_link}, "name", kOptions};
  ReadWriteLock second{LockClient{bob_link}, "name", kOptions};
  auto writer = first.write().acquire().get();
  REQUIRE(writer);
  CHECK(first.downgrade(*writer).get());
  CHECK_FALSE(second.write().try_acquire().get());
  auto reader = second.read().try_acquire().get();
  REQUIRE(reader);
  CHECK(writer->release().get() == Released::released);
  auto other_writer = second.write().acquire_within(5s);
  CHECK(reader->release().get() == Released::released);
  auto next = other_writer.get();
  REQUIRE(next);
  CHECK(next->extend().get());
  CHECK(next->release().get() == Released::released);
  if (plan.resend) std::exchange(plan.resend, nullptr)();
  loop.advance(10s);
  CHECK(redis.inspect().keys().empty());
}

}  // namespace

TEST_CASE("no spoilt request of a forced release ends more than it should") {
  std::size_t cases = spoil_all(force_release<Lock>);
  cases += spoil_all(force_release<FencedLock>);
  cases += spoil_all(force_release<FairLock>);
  std::cout << "reply-loss closure, forced release: " << cases << " cases\n";
  CHECK(cases > 400);
}

TEST_CASE("no spoilt request of a downgrade opens a gap, or lets a permit go astray") {
  const std::size_t cases = spoil_all(downgrade);
  std::cout << "reply-loss closure, downgrade: " << cases << " cases\n";
  CHECK(cases > 150);
}
