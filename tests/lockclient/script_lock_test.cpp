#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using replies::integer;

namespace {

struct Table {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> alice = loop.connect(redis);
  std::unique_ptr<Link> bob = loop.connect(redis);
};

}  // namespace

TEST_CASE("a script that says \"1\" where 1 is listed is a protocol error, never a hold") {
  Table table;
  ScriptProtocol protocol = well_known_protocol("simple-setnx");
  protocol.acquire.script = "redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) return '1'";
  ScriptLock lock{*table.alice, "lock", protocol};
  const auto outcome = lock.acquire().get();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == LockError::Code::node_failed);
  REQUIRE(outcome.error().nodes.size() == 1);
  CHECK(outcome.error().nodes[0].kind == NodeError::Kind::protocol);
}

TEST_CASE("a script that does not compile makes the lock unusable, with the server's words") {
  Table table;
  ScriptProtocol protocol = well_known_protocol("simple-setnx");
  protocol.acquire.script = "if redis.call('GET', KEYS[1]) == valu\xc3\xa9 then return 1 end";
  ScriptLock lock{*table.alice, "lock", protocol};
  const auto outcome = lock.acquire().get();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == LockError::Code::node_failed);
  CHECK(outcome.error().nodes[0].text.find("Error compiling script") != std::string::npos);
}

TEST_CASE("levels that the server counts are given back one by one") {
  Table table;
  ScriptLock lock{*table.alice, "lock", well_known_protocol("reentrant-renew"), {.ttl = 5s}};
  auto outer = lock.acquire().get();
  auto inner = lock.acquire().get();
  REQUIRE(inner);
  CHECK(inner->release().get() == Released::still_held);
  CHECK(outer->release().get() == Released::released);
  CHECK_FALSE(table.redis.inspect().exists("lock"));
}

TEST_CASE("a client that takes milliseconds for seconds holds a thousand times too long") {
  Table table;
  for (const auto& [name, ms] :
       {std::pair{"setex-unpack", 2'000}, {"setex-unpack-client", 2'000'000}}) {
    ScriptLock lock{*table.alice, name, well_known_protocol(name), {.ttl = 2s}};
    auto held = lock.acquire().get();
    REQUIRE(held);
    CHECK(held->valid_for() <= 2s);
    CHECK(table.redis.inspect().deadline(name) ==
          table.redis.now() + std::chrono::milliseconds{ms});
  }
}

TEST_CASE("a watchdog renews by the protocol's own script, and stops with the release") {
  Table table;
  ScriptLock lock{
      *table.alice, "lock", well_known_protocol("watchdog"), {.ttl = 3s, .renew = true}};
  auto held = lock.acquire().get();
  table.loop.advance(60s);
  CHECK(held->is_held());
  CHECK(held->release().get() == Released::released);
  const std::uint64_t requests = lock.client().counters().requests;
  table.loop.advance(60s);
  CHECK(lock.client().counters().requests == requests);
}

TEST_CASE("a script lock without its steps, or renewed without extending, is refused at once") {
  Table table;
  ScriptLock empty{*table.alice, "lock", {}};
  CHECK(empty.acquire().get().error().code == LockError::Code::invalid_argument);
  ScriptLock renewed{*table.alice, "lock", well_known_protocol("set-nx-px"), {.renew = true}};
  CHECK(renewed.acquire().get().error().code == LockError::Code::invalid_argument);
  for (ScriptStep wrong : {
           ScriptStep{.arguments = {"SETNX", "{name}", "x"}, .goes_on = {integer(1)}},
           ScriptStep{.arguments = {"SETNX", "{name}", "x"},
           .success = {integer(1)},
           .then = {{.arguments = {"GET", "{name}"}, .success = {integer(1)}}}},
           ScriptStep{.arguments = {"SETNX", "{name}", "x"},
           .goes_on = {integer(1)},
           .then = {{.arguments = {"GET", "{name}"}}}},
           ScriptStep{.arguments = {"SETNX", "{name}", "x"}},
       }) {
    ScriptProtocol protocol = well_known_protocol("set-nx-px");
    protocol.acquire = std::move(wrong);
    ScriptLock lock{*table.alice, "lock", protocol};
    CHECK(lock.acquire().get().error().code == LockError::Code::invalid_argument);
  }
  CHECK(table.redis.inspect().keys().empty());
}

TEST_CASE("a hold of a script lock without an extending step is neither extended nor adopted") {
  Table table;
  ScriptProtocol protocol = well_known_protocol("simple-setnx");
  protocol.extend = {};
  ScriptLock lock{*table.alice, "lock", protocol, {.ttl = 5s}};
  auto held = lock.acquire().get();
  const auto requests = lock.client().counters().requests;
  CHECK(held->extend().get().error().code == LockError::Code::invalid_argument);
  CHECK(held->is_held());
  ScriptLock other{*table.bob, "lock", protocol, {.ttl = 5s}};
  CHECK(other.adopt(held->hand_over()).get().error().code == LockError::Code::invalid_argument);
  CHECK(lock.client().counters().requests == requests);
  CHECK(other.client().counters().requests == 0);
}

TEST_CASE("a script lock's waiter is woken by keyspace events, whatever ended the hold") {
  const auto end = GENERATE(0, 1, 2);
  Table table;
  table.redis.connect().call("CONFIG", "SET", "notify-keyspace-events", "KA");
  ScriptProtocol protocol = well_known_protocol("set-nx-px");
  protocol.channel = "__keyspace@0__:{name}";
  ScriptLock first{*table.alice, "lock", protocol, {.ttl = 20s}};
  ScriptLock second{*table.bob, "lock", protocol, {.ttl = 20s}};
  auto held = first.acquire().get();
  REQUIRE(held);
  auto waiting = second.acquire();
  table.loop.advance(8s);
  const std::uint64_t before = second.client().counters().requests;
  // What is done to the key without ending the hold wakes nobody.
  table.redis.connect().call("PEXPIRE", "lock", 10'000);
  table.loop.advance(1ms);
  CHECK(second.client().counters().requests == before);
  if (end == 0) CHECK(held->release().get() == Released::released);
  if (end == 1) table.redis.connect().call("DEL", "lock");
  if (end == 2) table.loop.advance(10s);
  table.loop.advance(1ms);
  CHECK(waiting.is_done());
}
