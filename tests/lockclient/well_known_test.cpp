// The protocols that people run: what each does, and what goes wrong with the bad ones and not with
// their twins.
#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "lockclient/protocols/script_protocol.hpp"
#include "tests/lockclient/machine_step.hpp"
#include "tests/lockclient/stepped.hpp"
#include "tests/lockclient/two_clients.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using lock::Notice;
using replies::integer;
using test::TwoClients;

namespace {

struct Table {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> alice = loop.connect(redis);
  std::unique_ptr<Link> bob = loop.connect(redis);
};

/// Two clients whose requests are carried out one by one.
struct Steps {
  Emulator redis;
  test::SteppedClient alice{redis, "alice"};
  test::SteppedClient bob{redis, "bob"};
  LockOptions options{.ttl = 2s};

  void acquire(test::SteppedClient& client, std::string_view protocol) {
    acquire(client, well_known_protocol(protocol));
  }
  void acquire(test::SteppedClient& client, const ScriptProtocol& protocol) {
    client.acquire(lock::make_script_protocol("lock", protocol), options, Duration{}, redis.now());
  }
  void release(test::SteppedClient& client) {
    client.core.release(client.slot, redis.now());
    client.collect();
  }
  /// One request and its answer.
  void step(test::SteppedClient& client) {
    client.execute();
    client.deliver(redis.now());
  }
  void finish(test::SteppedClient& client) {
    while (!client.requests.empty()) step(client);
  }
  static bool holds(const test::SteppedClient& client) {
    const lock::HoldMachine* hold = client.core.hold(client.slot);
    return hold != nullptr && hold->is_held();
  }
};

}  // namespace

TEST_CASE("every well-known protocol excludes, waits and releases") {
  for (const WellKnownProtocol& known : well_known_protocols()) {
    INFO(known.name);
    const std::size_t size = known.make().by_majority ? 3 : 1;
    TwoClients cluster{size};
    const LockOptions options{.ttl = 2s};
    ScriptLock first{*cluster.alice, "lock", known.make(), options};
    ScriptLock second{*cluster.bob, "lock", known.make(), options};
    auto held = first.acquire().get();
    REQUIRE(held);
    CHECK(cluster.votes() == size);
    CHECK(second.try_acquire().get().error().code == LockError::Code::not_acquired);
    auto waiting = second.acquire();
    const Instant before = cluster.loop.now();
    CHECK(held->release().get() == (known.usable ? Released::released : Released::unknown));
    auto next = waiting.get();
    REQUIRE(next);
    CHECK(cluster.votes() == size);
    if (!known.usable) {
      CHECK(cluster.loop.now() - before >= 2s);
      continue;
    }
    CHECK(cluster.loop.now() - before < 1s);
    CHECK(next->release().get() == Released::released);
    CHECK(cluster.votes() == 0);
  }
  CHECK_THROWS_AS(well_known_protocol("no such"), std::out_of_range);
}

TEST_CASE("the well-known protocols stand in order, and each twin is one that is not bad itself") {
  std::string_view last;
  for (const WellKnownProtocol& known : well_known_protocols()) {
    INFO(known.name);
    CHECK(known.name > last);
    last = known.name;
    CHECK_FALSE(known.summary.empty());
    if (known.twin.empty()) continue;
    CHECK_FALSE(known.weakness.empty());
    CHECK(known.twin != known.name);
    CHECK_NOTHROW(well_known_protocol(known.twin));
  }
}

TEST_CASE("GET, then DEL: the lock changes hands in between, and the next holder loses it") {
  for (const auto& [name, survives] : {std::pair{"get-then-del", false}, {"set-nx-px", true}}) {
    INFO(name);
    Steps steps;
    steps.acquire(steps.alice, name);
    steps.finish(steps.alice);
    REQUIRE(Steps::holds(steps.alice));
    steps.release(steps.alice);
    steps.step(steps.alice);
    if (!steps.redis.inspect().exists("lock")) steps.alice.requests.clear();
    steps.redis.advance(2001ms);
    steps.acquire(steps.bob, name);
    steps.finish(steps.bob);
    REQUIRE(Steps::holds(steps.bob));
    steps.finish(steps.alice);
    CHECK(Steps::holds(steps.bob));
    CHECK(steps.redis.inspect().exists("lock") == survives);
  }
}

TEST_CASE("GET, then DEL: what is another's is not touched") {
  Steps steps;
  steps.acquire(steps.alice, "get-then-del");
  steps.finish(steps.alice);
  steps.redis.connect().call("SET", "lock", "another");
  steps.release(steps.alice);
  steps.finish(steps.alice);
  CHECK(steps.redis.inspect().string("lock") == "another");
  REQUIRE(steps.alice.has_heard(Notice::Kind::released));
  CHECK(steps.alice.heard.back().released == Released::not_owner);
}

TEST_CASE("SETNX, then EXPIRE: a crash in between blocks all for ever") {
  Steps steps;
  steps.acquire(steps.alice, "setnx-then-expire");
  steps.alice.execute();
  CHECK(steps.redis.inspect().exists("lock"));
  CHECK_FALSE(steps.redis.inspect().deadline("lock"));
  steps.redis.advance(24h);
  steps.acquire(steps.bob, "setnx-then-expire");
  steps.finish(steps.bob);
  CHECK(steps.bob.has_heard(Notice::Kind::not_acquired));
}

TEST_CASE("SETNX, then EXPIRE: an error at the second step gives back what the first one took") {
  Steps steps;
  ScriptProtocol protocol = well_known_protocol("setnx-then-expire");
  protocol.acquire.then[0].arguments[2] = "1.5";
  steps.acquire(steps.alice, protocol);
  steps.finish(steps.alice);
  REQUIRE(steps.alice.has_heard(Notice::Kind::not_acquired));
  REQUIRE(steps.alice.heard.back().error != nullptr);
  CHECK(steps.alice.heard.back().error->nodes.at(0).text.find("not an integer") !=
        std::string::npos);
  CHECK_FALSE(steps.redis.inspect().exists("lock"));
}

TEST_CASE("an answer to a step that is over does not count for the next one") {
  const auto protocol = lock::make_script_protocol("lock", well_known_protocol("get-then-del"));
  lock::Terms terms{.client_id = "me:1", .options = LockOptions{.ttl = 2s, .answer_within = 100ms}};
  lock::HoldMachine machine{protocol, lock::Terms{terms}, 1};
  const auto feed = [&machine](lock::Event::Kind what, Duration at, std::uint32_t request = 0,
                               const Reply& reply = replies::nil) {
    const test::Wanted actions = test::resume(
        machine, {.kind = what, .now = kDefaultStart + at, .request = request, .reply = &reply});
    return actions;
  };
  using Kind = lock::Event::Kind;
  feed(Kind::start, 0ms);
  feed(Kind::answer, 1ms, 1, replies::status("OK"));
  CHECK(feed(Kind::release, 2ms).sends.at(0).call->words()[0] == "GET");
  feed(Kind::time, 102ms);
  CHECK(feed(Kind::time, 102ms).sends.at(0).call->words()[0] == "GET");
  CHECK(feed(Kind::answer, 103ms, 2, replies::bulk("me:1")).sends.at(0).call->words()[0] == "DEL");
  CHECK(feed(Kind::answer, 104ms, 3, replies::bulk("me:1")).sends.empty());
  CHECK(machine.phase() == lock::HoldMachine::Phase::releasing);
  const auto done = feed(Kind::answer, 105ms, 4, integer(1));
  REQUIRE(done.notices.size() == 1);
  CHECK(done.notices[0].released == Released::released);
}

TEST_CASE("the lock of time stamps outlives a crash, and breaks when clocks differ") {
  for (const Duration ahead : {Duration{0ms}, Duration{1500ms}}) {
    INFO("bob's clock is ahead by " << ahead / 1ms << " ms");
    Steps steps;
    ScriptProtocol bobs = well_known_protocol("timestamp-getset");
    bobs.clock = [ahead](Instant now) { return now + ahead; };
    steps.acquire(steps.alice, "timestamp-getset");
    steps.finish(steps.alice);
    REQUIRE(Steps::holds(steps.alice));
    CHECK(steps.redis.inspect().string("lock") ==
          std::to_string(to_unix_ms(steps.redis.now() + 2s)));
    steps.redis.advance(1s);
    steps.acquire(steps.bob, bobs);
    steps.finish(steps.bob);
    // A second before the end of alice's time.
    CHECK(Steps::holds(steps.alice));
    CHECK(Steps::holds(steps.bob) == (ahead > 1s));
    if (Steps::holds(steps.bob)) continue;
    steps.redis.advance(1001ms);
    steps.acquire(steps.bob, bobs);
    steps.finish(steps.bob);
    CHECK(Steps::holds(steps.bob));
    // Alice comes late: it is not hers to free.
    steps.release(steps.alice);
    steps.finish(steps.alice);
    CHECK(steps.redis.inspect().exists("lock"));
    steps.release(steps.bob);
    steps.finish(steps.bob);
    CHECK_FALSE(steps.redis.inspect().exists("lock"));
  }
}

TEST_CASE("of two who find a time stamp past, the quicker one gets the lock") {
  Steps steps;
  steps.redis.connect().call("SET", "lock", std::to_string(to_unix_ms(steps.redis.now()) - 1));
  for (test::SteppedClient* client : {&steps.alice, &steps.bob}) {
    steps.acquire(*client, "timestamp-getset");
    steps.step(*client);
    steps.step(*client);
    steps.redis.advance(1ms);
  }
  steps.finish(steps.alice);
  steps.finish(steps.bob);
  CHECK(Steps::holds(steps.alice));
  CHECK_FALSE(Steps::holds(steps.bob));
  // But the slower one has overwritten her stamp, and she cannot give the lock back.
  steps.release(steps.alice);
  steps.finish(steps.alice);
  CHECK(steps.alice.heard.back().released == Released::not_owner);
  CHECK(steps.redis.inspect().exists("lock"));
}

TEST_CASE("a doubtful taking over is left to its ttl: giving it back could end another's hold") {
  for (const bool leaves : {true, false}) {
    Steps steps;
    ScriptProtocol protocol = well_known_protocol("timestamp-getset");
    protocol.leaves_doubtful = leaves;
    steps.acquire(steps.alice, protocol);
    steps.alice.requests.clear();
    const Instant due = steps.alice.core.wake().value();
    steps.redis.advance(due - steps.redis.now());
    steps.alice.core.time(steps.redis.now());
    steps.alice.collect();
    CHECK(steps.alice.requests.empty() == leaves);
  }
}

TEST_CASE("timers that no release stops renew the next hold for ever; a watchdog's ends") {
  for (const auto& [name, haunted] :
       {std::pair{"reentrant-renew-client", true}, {"watchdog", false}}) {
    INFO(name);
    Table table;
    ScriptLock renewed{*table.alice, "lock", well_known_protocol(name), {.ttl = 3s, .renew = true}};
    ScriptLock plain{*table.alice, "lock", well_known_protocol(name), {.ttl = 3s}};
    auto first = renewed.acquire().get();
    CHECK(first->release().get() == Released::released);
    auto second = plain.acquire().get();
    REQUIRE(second);
    table.loop.advance(60s);
    CHECK_FALSE(second->is_held());
    CHECK(table.redis.inspect().exists("lock") == haunted);
    // Once it is gone, the timer hears so and ends.
    table.redis.connect().call("DEL", "lock");
    second.value().release().get();
    table.loop.advance(10s);
    CHECK(plain.client().under_way() == 0);
  }
}

TEST_CASE("a client that takes its waiting time for the ttl holds as long as it would wait") {
  for (const auto& [name, ttl] :
       {std::pair{"reentrant-renew-client", 50s}, {"reentrant-renew", 3s}}) {
    INFO(name);
    Table table;
    ScriptLock lock{*table.alice, "lock", well_known_protocol(name), {.ttl = 3s}};
    auto held = lock.acquire_within(50s).get();
    REQUIRE(held);
    CHECK(table.redis.inspect().deadline("lock") == table.redis.now() + ttl);
  }
}

TEST_CASE("a client that takes seconds for milliseconds waits a thousand times too short") {
  for (const auto& [name, waited] :
       {std::pair{"setex-unpack-client", Duration{5ms}}, {"setex-unpack", Duration{5s}}}) {
    INFO(name);
    Table table;
    ScriptLock lock{*table.alice, "lock", well_known_protocol(name), {.ttl = 100s}};
    ScriptLock other{*table.bob, "lock", well_known_protocol(name), {.ttl = 100s}};
    auto held = lock.acquire().get();
    const Instant before = table.loop.now();
    CHECK(other.acquire_within(5s).get().error().code == LockError::Code::timed_out);
    CHECK(table.loop.now() - before == waited);
  }
}

TEST_CASE("a release that does not compile is the server's error, with its one raw byte") {
  Table table;
  const std::string script = well_known_protocol("typo-release").release.script;
  const Reply reply = table.redis.connect().call("EVAL", script, 1, "lock", "token");
  REQUIRE(reply.is_error());
  CHECK(reply.text().find("'then' expected near '\xe5'") != std::string::npos);
}

TEST_CASE("a replica that is promoted too early gives the lock away; WAIT says so in time") {
  // The primary and what its replica has of it: nothing yet.
  Table table;
  Emulator replica;
  const auto after = table.loop.connect(replica);
  ScriptLock first{*table.alice, "lock", well_known_protocol("failover"), {.ttl = 2s}};
  ScriptLock second{*after, "lock", well_known_protocol("failover"), {.ttl = 2s}};
  auto held = first.acquire().get();
  auto other = second.try_acquire().get();
  REQUIRE(other);
  CHECK(held->is_held());
  CHECK(held->release().get() == Released::released);
  // Nobody confirms: whoever asks for one replica gets nothing, and leaves nothing.
  ScriptLock confirmed{
      *table.bob, "lock", well_known_protocol("failover"), {.ttl = 2s, .replicas = 1}};
  CHECK(confirmed.try_acquire().get().error().code == LockError::Code::node_failed);
  table.loop.advance(100ms);
  CHECK_FALSE(table.redis.inspect().exists("lock"));
}
