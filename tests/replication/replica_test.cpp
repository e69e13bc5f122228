// A replica in the process: what it takes over, what it may do, what WAIT sees of it, and what is
// lost when it is promoted. What the answers are is checked beside redis-server in
// replica_beside_redis_test.cpp.
#include <picklock/replica.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace replies;

struct Pair {
  Emulator primary;
  Emulator standby;
  Client alice = primary.connect();
  Client bob = standby.connect();
};

TEST_CASE("a replica takes over all data, and then what is let through") {
  Pair pair;
  pair.alice.call("SET", "before", "1");
  pair.alice.call("SELECT", 3);
  pair.alice.call("HSET", "hash", "field", "value");
  Replica link{pair.primary, pair.standby};
  CHECK(pair.bob.call("GET", "before") == "1");
  CHECK(pair.standby.inspect(3).field("hash", "field") == "value");

  pair.alice.call("SET", "lock", "alice", "NX", "PX", 1500);
  CHECK(link.pending() == std::vector<std::string>{"SELECT 3; SET lock alice PXAT 1577836801500"});
  CHECK(pair.standby.inspect(3).exists("lock") == false);
  CHECK(link.apply() == 1);
  CHECK(pair.standby.inspect(3).string("lock") == "alice");
  CHECK(pair.standby.inspect(3).deadline("lock") == pair.primary.inspect(3).deadline("lock"));
  CHECK(link.behind() == 0);
}

TEST_CASE("a script is one unit, and a replica applies the oldest first") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  pair.alice.call("EVAL", "redis.call('SET', KEYS[1], 'a') redis.call('INCR', KEYS[2])", 2, "k",
                  "n");
  pair.alice.call("SET", "later", "x");
  REQUIRE(link.behind() == 2);
  CHECK(link.pending()[0] == "SELECT 0; MULTI; SET k a; INCR n; EXEC");
  CHECK(link.apply(1) == 1);
  CHECK(pair.bob.call("MGET", "k", "n", "later") == array("a", "1", nil));
  CHECK(link.apply(5) == 1);
  CHECK(pair.bob.call("GET", "later") == "x");
}

TEST_CASE("a replica hides what has expired, and deletes it when the primary says so") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  pair.alice.call("SET", "lock", "alice", "PX", 100);
  link.apply();
  pair.standby.advance(101ms);
  CHECK(pair.bob.call("GET", "lock") == nil);
  CHECK(pair.bob.call("DBSIZE") == 1);
  CHECK(link.behind() == 0);
  pair.primary.advance(101ms);
  REQUIRE(link.pending() == std::vector<std::string>{"DEL lock"});
  link.apply();
  CHECK(pair.bob.call("DBSIZE") == 0);
}

TEST_CASE("what the primary sends knows better than the replica's own clock") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  pair.alice.call("SET", "n", "5", "PX", 100);
  pair.alice.call("INCR", "n");
  pair.alice.call("PERSIST", "n");
  pair.standby.advance(1h);
  link.apply();
  CHECK(pair.bob.call("GET", "n") == "6");
}

TEST_CASE("a replica refuses writes, and takes them once it may") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  CHECK(pair.bob.call("SET", "k", "v") ==
        error("READONLY You can't write against a read only replica."));
  pair.bob.call("CONFIG", "SET", "replica-read-only", "no");
  CHECK(pair.bob.call("SET", "k", "v") == status("OK"));
  link.promote();
  CHECK(pair.bob.call("SET", "k", "w") == status("OK"));
  CHECK(pair.bob.call("ROLE").elements()[0] == "master");
}

TEST_CASE("a replica that may be written to expires what its own clients gave a deadline only") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  pair.bob.call("CONFIG", "SET", "replica-read-only", "no");
  pair.alice.call("SET", "primary's", "1", "PX", 100);
  link.apply();
  pair.bob.call("SET", "own", "1", "PX", 100);
  CHECK(pair.bob.call("DBSIZE") == 2);
  pair.standby.advance(101ms);
  CHECK(pair.bob.call("DBSIZE") == 1);
  CHECK(pair.bob.call("EXISTS", "primary's") == 0);
  CHECK(pair.bob.call("DBSIZE") == 1);
}

TEST_CASE("WAIT counts what has been applied, up to the caller's own last write") {
  Pair pair;
  Emulator third;
  Replica one{pair.primary, pair.standby};
  Replica two{pair.primary, third, {}, {.port = 6381}};
  CHECK(pair.alice.call("WAIT", 2, 0) == 2);
  pair.alice.call("SET", "lock", "alice");
  auto waiting = pair.alice.send("WAIT", 1, 500);
  CHECK(waiting.is_blocked());
  one.apply();
  CHECK(waiting.reply() == 1);
  auto again = pair.alice.send("WAIT", 2, 500);
  pair.primary.advance(499ms);
  CHECK(again.is_blocked());
  pair.primary.advance(1ms);
  CHECK(again.reply() == 1);
  // Another client's writes are no concern of alice's.
  auto carol = pair.primary.connect();
  two.apply();
  carol.call("SET", "other", "1");
  CHECK(pair.alice.call("WAIT", 2, 0) == 2);
  // After any command of hers that are writes before her own, too (Redis: processCommand).
  CHECK(pair.alice.call("WAIT", 0, 0) == 0);
}

TEST_CASE("min-replicas-to-write refuses while too few follow") {
  Pair pair;
  pair.alice.call("CONFIG", "SET", "min-replicas-to-write", 1);
  CHECK(pair.alice.call("SET", "k", "v") == error("NOREPLICAS Not enough good replicas to write."));
  Replica link{pair.primary, pair.standby};
  CHECK(pair.alice.call("SET", "k", "v") == status("OK"));
  pair.primary.advance(1h);
  CHECK(pair.alice.call("SET", "k", "v") == status("OK"));
  link.cut();
  CHECK(pair.alice.call("SET", "k", "v") == error("NOREPLICAS Not enough good replicas to write."));
}

TEST_CASE("a promoted replica has lost what had not got through, and both hold the lock") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  CHECK(pair.alice.call("SET", "lock", "alice", "NX", "PX", 30'000) == status("OK"));
  link.promote();
  CHECK(pair.bob.call("SET", "lock", "bob", "NX", "PX", 30'000) == status("OK"));
  CHECK(pair.alice.call("GET", "lock") == "alice");
  CHECK(link.apply() == 0);
}

TEST_CASE("an old primary that follows the new one loses what only it had") {
  Pair pair;
  {
    Replica link{pair.primary, pair.standby};
    pair.alice.call("SET", "lock", "alice");
    link.promote();
  }
  pair.bob.call("SET", "lock", "bob");
  Replica back{pair.standby, pair.primary};
  CHECK(pair.alice.call("GET", "lock") == "bob");
  CHECK(pair.alice.call("ROLE").elements()[0] == "slave");
}

TEST_CASE("who waits at a server that becomes a replica is told so, and goes") {
  Pair pair;
  auto waiting = pair.bob.send("BLPOP", "queue", 0);
  Replica link{pair.primary, pair.standby};
  CHECK(waiting.reply().is_error());
  CHECK_FALSE(pair.bob.is_connected());
}

TEST_CASE("a replica of a replica follows, and takes over anew what that has taken over") {
  Pair pair;
  Emulator third;
  Replica one{pair.primary, pair.standby};
  Replica two{pair.standby, third, {.port = 6380}, {.port = 6381}};
  pair.alice.call("SET", "k", "v");
  one.apply();
  CHECK(third.inspect().exists("k") == false);
  two.apply();
  CHECK(third.inspect().string("k") == "v");
  one.cut();
  pair.alice.call("SET", "k", "w");
  one.reconnect();
  two.apply();
  CHECK(third.inspect().string("k") == "w");
  CHECK(third.connect().call("ROLE").elements()[4] == pair.alice.call("ROLE").elements()[1]);
}

TEST_CASE("functions come along, the script cache does not") {
  Pair pair;
  const Reply sha = pair.alice.call("SCRIPT", "LOAD", "return 1");
  Replica link{pair.primary, pair.standby};
  pair.alice.call("FUNCTION", "LOAD",
                  "#!lua name=lib\nredis.register_function{function_name='f',"
                  "callback=function() return 7 end, flags={'no-writes'}}");
  link.apply();
  CHECK(pair.bob.call("FCALL", "f", 0) == 7);
  CHECK(pair.bob.call("EVALSHA", sha.text(), 0).is_error());
}

TEST_CASE("a pause holds back what the primary sends") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  pair.bob.call("CLIENT", "PAUSE", 100, "WRITE");
  pair.alice.call("SET", "k", "v");
  CHECK(link.apply() == 0);
  pair.standby.advance(101ms);
  CHECK(link.apply() == 1);
}

TEST_CASE("no server follows itself, two, or a circle") {
  Pair pair;
  CHECK_THROWS_AS((Replica{pair.primary, pair.primary}), std::invalid_argument);
  Replica link{pair.primary, pair.standby};
  CHECK_THROWS_AS((Replica{pair.standby, pair.primary}), std::invalid_argument);
  CHECK_THROWS_AS((Replica{pair.primary, pair.standby}), std::invalid_argument);
  Emulator other;
  CHECK_THROWS_AS((Replica{pair.primary, other, {.port = 65536}}), std::invalid_argument);
  CHECK_THROWS_AS((Replica{pair.primary, other, {}, {.port = -1}}), std::invalid_argument);
}

TEST_CASE("WAIT with nonsense is refused as Redis refuses it, and never waits for ever") {
  Pair pair;
  Replica link{pair.primary, pair.standby};
  CHECK(pair.alice.call("WAIT", "x", 0).is_error());
  CHECK(pair.alice.call("WAIT", 1, -1) == error("ERR timeout is negative"));
  CHECK(pair.alice.call("WAIT", 1, "1.5").is_error());
  CHECK(pair.alice.call("WAIT", -5, 0) == 1);
  CHECK(pair.bob.call("WAIT", 0, 0).is_error());
  auto waiting = pair.alice.send("WAIT", 9, 1);
  pair.primary.advance(1ms);
  CHECK(waiting.reply() == 1);
}

}  // namespace
}  // namespace picklock
