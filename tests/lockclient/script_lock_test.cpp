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

TEST_CASE("every well-known protocol excludes, waits and releases") {
  for (const std::string_view name : well_known_protocols()) {
    INFO(name);
    Table table;
    const LockOptions options{.ttl = 2s};
    ScriptLock first{*table.alice, "lock", well_known_protocol(name), options};
    ScriptLock second{*table.bob, "lock", well_known_protocol(name), options};
    auto held = first.acquire().get();
    REQUIRE(held);
    CHECK(second.try_acquire().get().error().code == LockError::Code::not_acquired);
    auto waiting = second.acquire_within(5s);
    CHECK(held->release().get() == Released::released);
    auto next = waiting.get();
    REQUIRE(next);
    CHECK(table.redis.inspect().exists("lock"));
    CHECK(next->release().get() == Released::released);
    CHECK_FALSE(table.redis.inspect().exists("lock"));
  }
  CHECK_THROWS_AS(well_known_protocol("no such"), std::out_of_range);
}

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
  ScriptProtocol protocol = well_known_protocol("reentrant-hash");
  protocol.release.script =
      "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return false end\n"
      "if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then return 0 end\n"
      "redis.call('DEL', KEYS[1]) return 1";
  protocol.release.failure = {replies::nil};
  protocol.release.still_held = {integer(0)};
  ScriptLock lock{*table.alice, "lock", protocol, {.ttl = 5s}};
  auto outer = lock.acquire().get();
  auto inner = lock.acquire().get();
  REQUIRE(inner);
  CHECK(inner->release().get() == Released::still_held);
  CHECK(outer->release().get() == Released::released);
  CHECK_FALSE(table.redis.inspect().exists("lock"));
}

TEST_CASE("a script lock without its steps, or renewed without extending, is refused at once") {
  Table table;
  ScriptLock empty{*table.alice, "lock", {}};
  CHECK(empty.acquire().get().error().code == LockError::Code::invalid_argument);
  ScriptLock renewed{*table.alice, "lock", well_known_protocol("set-nx-px"), {.renew = true}};
  CHECK(renewed.acquire().get().error().code == LockError::Code::invalid_argument);
  CHECK(table.redis.inspect().keys().empty());
}
