// What a server keeps of acquisitions that are over: a number for each row of a client, not a key
// for each acquisition.
#include <algorithm>

#include <picklock/lock.hpp>

#include "tests/lockclient/place.hpp"

using namespace std::chrono_literals;
using picklock::Released;
using picklock::test::Table;

namespace {

/// The marks of `client`'s rows, without what they have in common.
std::vector<std::string> marks(picklock::test::Place& place, const std::string& client) {
  const std::string prefix = "picklock:{ledger}:over:" + client + ":";
  std::vector<std::string> rows;
  for (const picklock::Reply& key : place.ask({"KEYS", prefix + "*"}).elements())
    rows.push_back(key.text().substr(prefix.size()));
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string number(int value) {
  const std::string digits = std::to_string(value);
  return std::string(15 - digits.size(), '0') + digits;
}

using Rows = std::vector<std::string>;

}  // namespace

PICKLOCK_TEST_EVERYWHERE("one key remembers all that is over of acquisitions one after the other") {
  Table table{place};
  picklock::Lock lock{table.alice, "ledger", {.ttl = 5s}};
  for (int turn = 0; turn < 20; ++turn)
    REQUIRE(lock.acquire().get()->release().get() == Released::released);
  CHECK(marks(*table.place, table.alice.id()) == Rows{"1"});
  const std::string key = "picklock:{ledger}:over:" + table.alice.id() + ":1";
  CHECK(table.place->ask({"GET", key}) == number(20));
  CHECK(table.place->ask({"PTTL", key}).integer() > 4000);
}

PICKLOCK_TEST_EVERYWHERE(
    "acquisitions at the same time have rows of their own, which are used again") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 5s}};
  picklock::Lock second{table.alice, "ledger", {.ttl = 5s}};
  for (int turn = 0; turn < 5; ++turn) {
    auto held = first.acquire().get();
    REQUIRE(held);
    auto waiting = second.acquire_within(10s);
    CHECK(held->release().get() == Released::released);
    CHECK(waiting.get().value().release().get() == Released::released);
    REQUIRE(table.place->soon([&] { return table.alice.under_way() == 0; }));
  }
  CHECK(marks(*table.place, table.alice.id()) == Rows{"1", "2"});
  // Once they come one after the other again, one row will do.
  const auto number_in = [&](const char* row) {
    return table.place->ask({"GET", "picklock:{ledger}:over:" + table.alice.id() + row}).text();
  };
  const Rows before{number_in(":1"), number_in(":2")};
  for (int turn = 0; turn < 4; ++turn)
    REQUIRE(first.acquire().get()->release().get() == Released::released);
  CHECK((number_in(":1") == before[0]) != (number_in(":2") == before[1]));
}

PICKLOCK_TEST_EVERYWHERE(
    "nothing is forgotten earlier because of what is remembered for less long") {
  Table table{place};
  picklock::Lock careful{table.alice, "ledger", {.ttl = 5s, .memory = 60s}};
  picklock::Lock hasty{table.alice, "ledger", {.ttl = 5s, .memory = 1s}};
  for (int turn = 0; turn < 3; ++turn)
    for (picklock::Lock* lock : {&careful, &hasty})
      REQUIRE(lock->acquire().get()->release().get() == Released::released);
  CHECK(marks(*table.place, table.alice.id()) == Rows{"1", "2"});
  const std::string prefix = "picklock:{ledger}:over:" + table.alice.id();
  CHECK(table.place->ask({"PTTL", prefix + ":1"}).integer() > 50'000);
  CHECK(table.place->ask({"PTTL", prefix + ":2"}).integer() <= 1000);
}

PICKLOCK_TEST_EVERYWHERE("a hold that is handed over takes its row along") {
  Table table{place};
  picklock::Lock first{table.alice, "ledger", {.ttl = 5s}};
  picklock::Lock second{table.bob, "ledger", {.ttl = 5s}};
  REQUIRE(first.acquire().get()->release().get() == Released::released);
  auto adopted = second.adopt(first.acquire().get()->hand_over()).get();
  REQUIRE(adopted);
  CHECK(adopted->release().get() == Released::released);
  const std::string key = "picklock:{ledger}:over:" + table.alice.id() + ":1";
  CHECK(table.place->ask({"GET", key}) == number(2));
  CHECK(marks(*table.place, table.bob.id()).empty());
  // Nobody uses it any more: what comes late of the hold finds that it is over.
  REQUIRE(first.acquire().get()->release().get() == Released::released);
  REQUIRE(second.acquire().get()->release().get() == Released::released);
  CHECK(table.place->ask({"GET", key}) == number(2));
  CHECK(marks(*table.place, table.alice.id()) == Rows{"1", "2"});
  CHECK(marks(*table.place, table.bob.id()) == Rows{"1"});
}

PICKLOCK_TEST_EVERYWHERE(
    "a hold that is handed over is remembered as long as its first client promised") {
  Table table{place};
  picklock::Lock careful{table.alice, "ledger", {.ttl = 5s, .memory = 60s}};
  picklock::Lock hasty{table.bob, "ledger", {.ttl = 5s, .memory = 1s}};
  auto adopted = hasty.adopt(careful.acquire().get()->hand_over()).get();
  REQUIRE(adopted);
  CHECK(adopted->release().get() == Released::released);
  const std::string key = "picklock:{ledger}:over:" + table.alice.id() + ":1";
  CHECK(table.place->ask({"PTTL", key}).integer() > 50'000);
}
