// The well-known protocols by a majority of several servers: what holds them, and what breaks them.
#include <set>

#include "lockclient/protocols/script_protocol.hpp"
#include "tests/lockclient/two_clients.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using test::TwoClients;

TEST_CASE("a lock by a majority lives on three servers, not on fewer") {
  for (const std::size_t size : {1, 2}) {
    TwoClients cluster{size};
    ScriptLock lock{*cluster.alice, "lock", well_known_protocol("redlock")};
    CHECK(lock.acquire().get().error().code == LockError::Code::invalid_argument);
  }
  TwoClients cluster{3};
  ScriptLock plain{*cluster.alice, "lock", well_known_protocol("set-nx-px")};
  CHECK(plain.acquire().get().error().code == LockError::Code::invalid_argument);
  ScriptLock confirmed{*cluster.alice, "lock", well_known_protocol("redlock"), {.replicas = 1}};
  CHECK(confirmed.acquire().get().error().code == LockError::Code::invalid_argument);
  CHECK(cluster.votes() == 0);
}

TEST_CASE("a redlock has one value for all nodes, or one for each; it needs the right one") {
  for (const auto& [name, distinct] :
       {std::pair{"redlock", std::size_t{1}}, {"redlock-value-per-node", std::size_t{5}}}) {
    INFO(name);
    TwoClients cluster{5};
    ScriptLock lock{*cluster.alice, "lock", well_known_protocol(name), {.ttl = 2s}};
    auto held = lock.acquire().get();
    REQUIRE(held);
    std::set<std::string> values;
    for (const Emulator& server : cluster.servers)
      values.emplace(server.inspect().string("lock").value());
    CHECK(values.size() == distinct);
    CHECK(held->release().get() == Released::released);
    CHECK(cluster.votes() == 0);
  }
  // The published misreading: every node is sent the same value, which is none of theirs.
  TwoClients cluster{5};
  ScriptProtocol confused = well_known_protocol("redlock-value-per-node");
  confused.release = well_known_protocol("redlock").release;
  ScriptLock lock{*cluster.alice, "lock", confused, {.ttl = 2s}};
  auto held = lock.acquire().get();
  REQUIRE(held);
  CHECK(held->release().get() == Released::not_owner);
  CHECK(cluster.votes() == 5);
}

TEST_CASE("a redlock holds while two of five nodes are down, and a lost majority is given back") {
  TwoClients cluster{5};
  const auto take_down = [&](std::size_t server) {
    cluster.servers[server].connect().call("CONFIG", "SET", "min-replicas-to-write", "1");
  };
  ScriptLock lock{*cluster.alice, "lock", well_known_protocol("redlock"), {.ttl = 2s}};
  take_down(0);
  take_down(3);
  auto held = lock.acquire().get();
  REQUIRE(held);
  CHECK(cluster.votes() == 3);
  CHECK(held->release().get() == Released::released);
  take_down(4);
  const auto refused = lock.try_acquire().get();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == LockError::Code::quorum_not_reached);
  cluster.loop.advance(100ms);
  CHECK(cluster.votes() == 0);
}

TEST_CASE("a redlock's node that restarts empty, or whose clock jumps, votes twice") {
  for (const bool restarts : {false, true}) {
    TwoClients cluster{3};
    ScriptLock first{*cluster.alice, "lock", well_known_protocol("redlock"), {.ttl = 2s}};
    ScriptLock second{*cluster.bob, "lock", well_known_protocol("redlock"), {.ttl = 2s}};
    // One node is out of reach for the first client, and another forgets its vote.
    cluster.servers[2].connect().call("SET", "lock", "another");
    auto held = first.acquire().get();
    REQUIRE(held);
    cluster.servers[2].connect().call("DEL", "lock");
    CHECK_FALSE(second.try_acquire().get());
    restarts ? static_cast<void>(cluster.servers[1].connect().call("FLUSHALL"))
             : cluster.servers[1].advance(2001ms);
    auto other = second.try_acquire().get();
    CHECK(other);
    CHECK(held->is_held());
  }
}
