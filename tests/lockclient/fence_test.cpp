// Fencing tokens: what may happen to a fence, and what a token must never do.
#include "lockclient/machine/protocol.hpp"
#include "tests/lockclient/place.hpp"

using namespace std::chrono_literals;
using picklock::FencingToken;
using picklock::test::Place;
using picklock::test::Table;

namespace {

const std::string kFence = "picklock:{ledger}:fence";

/// The token of a fresh hold.
FencingToken mint(picklock::LockClient& client) {
  picklock::FencedLock lock{client, "ledger", {.ttl = 5s}};
  auto held = lock.acquire_within(10s).get();
  REQUIRE(held);
  const FencingToken token = held->token();
  CHECK(held->release().get() == picklock::Released::released);
  return token;
}

}  // namespace

PICKLOCK_TEST_EVERYWHERE("tokens of one server's life count up in one epoch") {
  Table table{place};
  const FencingToken first = mint(table.alice);
  const FencingToken second = mint(table.bob);
  CHECK(second == FencingToken{first.epoch, first.sequence + 1});
}

PICKLOCK_TEST_EVERYWHERE("a fence that another server has minted last begins a new epoch") {
  Table table{place};
  const FencingToken before = mint(table.alice);
  place.ask({"HSET", kFence, "server", "the one that was here before"});
  const FencingToken after = mint(table.bob);  // Who has seen none of the tokens.
  CHECK(after.epoch > before.epoch);
  CHECK(after.sequence == 1);
}

PICKLOCK_TEST_EVERYWHERE("a fence that is gone begins a new epoch, also for who knows no token") {
  Table table{place};
  const FencingToken before = mint(table.alice);
  place.pass(2ms);
  place.ask({"DEL", kFence});
  const FencingToken after = mint(table.bob);
  CHECK(after.epoch > before.epoch);
}

PICKLOCK_TEST_EVERYWHERE("a fence that is behind what the client knows begins a new epoch") {
  Table table{place};
  mint(table.alice);
  const FencingToken known = mint(table.alice);
  place.ask({"HSET", kFence, "sequence", "0"});
  const FencingToken next = mint(table.alice);
  CHECK(next.epoch > known.epoch);
  place.ask({"HSET", kFence, "epoch", "5", "sequence", "1000000"});
  CHECK(mint(table.alice).epoch > next.epoch);
}

PICKLOCK_TEST_EVERYWHERE("an epoch is later than the last one, whatever the server's clock says") {
  Table table{place};
  mint(table.alice);
  // By a clock that was thousands of years ahead.
  place.ask({"HSET", kFence, "epoch", "100000000000000", "server", "the one with that clock"});
  CHECK(mint(table.alice).epoch == 100000000000001);
  // The same if only the client knows of it.
  place.ask({"DEL", kFence});
  CHECK(mint(table.alice).epoch == 100000000000002);
}

PICKLOCK_TEST_EVERYWHERE("an acquisition whose token is gone with the fence is over") {
  const auto script = picklock::lock::embedded_script("fenced_acquire");
  const std::vector<std::string> acquire{
      "EVAL",   script->source,           "4",    "picklock:{ledger}:over:me",
      "ledger", "picklock:{ledger}:over", kFence, "me",
      "5000",   "000000000000001",        "0",    "0"};
  const picklock::Reply first = place.ask(acquire);
  REQUIRE(first.size() == 5);
  CHECK(place.ask(acquire)[4] == first[4]);
  place.ask({"DEL", kFence});
  CHECK(place.ask(acquire) == picklock::replies::array(-1));
}
