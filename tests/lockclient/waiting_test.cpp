// Waiting: subscribing, publishing, expiring and giving up in every order.
#include <iostream>

#include "tests/lockclient/waiting_queue.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::test::waiting;

namespace {

struct Covered {
  std::uint64_t orders = 0;
  std::size_t states = 0;
  std::size_t runs = 0;
  Covered& operator+=(const Covered& other) {
    orders += other.orders, states += other.states, runs += other.runs;
    return *this;
  }
};
std::ostream& operator<<(std::ostream& out, const Covered& covered) {
  return out << covered.orders << " orders (" << covered.states << " states, " << covered.runs
             << " runs)";
}

Covered play_all(const Queue::Settings& settings) {
  const auto protocol = settings.fair ? lock::make_permits_protocol("name", 1, 1)
                                      : lock::make_lock_protocol({"name"});
  Emulator redis;
  Queue::prepare(redis);
  const Snapshot pristine = redis.snapshot();
  test::Enumerator enumerator;
  std::size_t runs = 0;
  do {
    redis.restore(pristine);
    Queue queue{redis, protocol, settings, enumerator};
    const std::string wrong = queue.play();
    ++runs;
    if (wrong.empty()) continue;
    enumerator.again();
    redis.restore(pristine);
    Queue once_more{redis, protocol, settings, enumerator};
    std::string story;
    once_more.tell(story);
    static_cast<void>(once_more.play());
    INFO("choices " << enumerator.to_string() << '\n' << story);
    CHECK(wrong == "");
    break;
  } while (enumerator.next());
  return {enumerator.orders(), enumerator.states(), runs};
}

}  // namespace

TEST_CASE("no order of subscribing, announcing, expiring and leaving loses a wake-up") {
  Covered lives;
  Covered deaths;
  for (const bool fair : {false, true}) {
    for (const End end : {End::release, End::expire, End::force}) {
      for (const bool one_leaves : {false, true}) {
        INFO("fair " << fair << ", end " << static_cast<int>(end) << ", leaves " << one_leaves);
        lives += play_all({fair, 1, end, one_leaves, true});
        lives += play_all({fair, 2, end, one_leaves, false});
      }
      INFO("fair " << fair << ", end " << static_cast<int>(end) << ", one dies");
      deaths += play_all({fair, 2, end, false, false, true});
    }
  }
  std::cout << "waiting: up to two waiters: " << lives << "; with a death: " << deaths
            << "; at most " << Queue::most_requests << " requests of one waiter\n";
  CHECK(lives.orders > 30'000);
  CHECK(deaths.orders > 40'000);
}

namespace {

void play_and_tell(const Queue::Settings& settings) {
  const Covered covered = play_all(settings);
  std::cout << "waiting: " << settings.waiters << " waiters, fair " << settings.fair << ", end "
            << static_cast<int>(settings.end) << ", leaves " << settings.one_leaves << ", dies "
            << settings.one_dies << ": " << covered << std::endl;
  CHECK(covered.orders > 10'000);
}

}  // namespace

TEST_CASE("no order of three waiters' steps loses a wake-up") {
  for (const bool fair : {false, true}) {
    play_and_tell({.fair = fair, .waiters = 3, .end = End::release});
    play_and_tell({.fair = fair, .waiters = 3, .end = End::release, .one_leaves = true});
    play_and_tell({.fair = fair, .waiters = 3, .end = End::release, .one_dies = true});
    play_and_tell({.fair = fair, .waiters = 3, .end = End::expire});
  }
}

TEST_CASE("nor if it expires or is ended by force, and one waiter leaves or dies", "[.all]") {
  for (const bool fair : {false, true}) {
    play_and_tell({.fair = fair, .waiters = 3, .end = End::force});
    for (const End end : {End::expire, End::force}) {
      play_and_tell({.fair = fair, .waiters = 3, .end = end, .one_leaves = true});
      play_and_tell({.fair = fair, .waiters = 3, .end = end, .one_dies = true});
    }
  }
}

TEST_CASE("nor if answers take their time", "[.soak]") {
  for (const bool fair : {false, true}) {
    for (const End end : {End::release, End::expire, End::force}) {
      play_and_tell({.fair = fair, .waiters = 2, .end = end, .one_leaves = true, .split = true});
      play_and_tell({.fair = fair, .waiters = 2, .end = end, .split = true, .one_dies = true});
      play_and_tell({.fair = fair, .waiters = 3, .end = end, .split = true});
    }
  }
}
