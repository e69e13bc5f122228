#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace picklock::replies;

TEST_CASE("a lock is held up to its deadline and free one millisecond later") {
  Emulator redis;
  auto alice = redis.connect();
  auto bob = redis.connect();

  CHECK(alice.call("SET", "lock", "alice", "NX", "PX", 1500) == status("OK"));
  redis.advance(1500ms);
  CHECK(bob.call("SET", "lock", "bob", "NX", "PX", 1500) == nil);
  redis.advance(1ms);
  CHECK(bob.call("SET", "lock", "bob", "NX", "PX", 1500) == status("OK"));
}

TEST_CASE("two emulators share nothing") {
  Emulator one;
  Emulator two;
  auto client = one.connect();
  client.call("SET", "k", "v");
  CHECK(two.connect().call("EXISTS", "k") == 0);
  CHECK(client.call("EXISTS", "k") == 1);
}

TEST_CASE("integers and floating numbers are sent in decimal") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("ECHO", -12) == "-12");
  CHECK(client.call("ECHO", 0.5) == "0.5");
  CHECK(client.call("ECHO", std::string{"a\0b", 3}) == std::string{"a\0b", 3});
  CHECK(client.call("ECHO", "") == "");
}

TEST_CASE("time passes only when it is told to") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(redis.now() == kDefaultStart);
  CHECK(client.call("TIME") == array("1577836800", "0"));
  redis.advance(1'500'001us);
  CHECK(client.call("TIME") == array("1577836801", "500001"));
  redis.set_time(kDefaultStart);
  CHECK(client.call("TIME") == array("1577836800", "0"));
}

TEST_CASE("advance deletes what expires, without anybody's look") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "a", "1", "PX", 10);
  client.call("SET", "b", "1", "PX", 20);
  redis.advance(11ms);
  CHECK(client.call("DBSIZE") == 1);
  redis.advance(10ms);
  CHECK(client.call("DBSIZE") == 0);
}

TEST_CASE("the next event is the millisecond after the first deadline") {
  Emulator redis;
  auto client = redis.connect();
  CHECK_FALSE(redis.next_event());
  client.call("SET", "a", "1", "PX", 20);
  client.call("SET", "b", "1", "PX", 10);
  CHECK(redis.next_event() == kDefaultStart + 11ms);
  redis.advance(11ms);
  CHECK(redis.next_event() == kDefaultStart + 21ms);
}

TEST_CASE("a blocking command is answered when its timeout ends") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("WAIT", 1, 500);
  CHECK(waiting.is_blocked());
  CHECK(client.is_blocked());
  CHECK(redis.blocked_clients() == 1);
  CHECK_THROWS_AS(waiting.reply(), WouldBlock);
  redis.advance(499ms);
  CHECK(waiting.is_blocked());
  redis.advance(1ms);
  CHECK_FALSE(waiting.is_blocked());
  CHECK(waiting.reply() == 0);
}

TEST_CASE("a call that would block throws and leaves the client usable") {
  Emulator redis;
  auto client = redis.connect();
  CHECK_THROWS_WITH(client.call("WAIT", 1, 500), Catch::Contains("WAIT 1 500 blocks"));
  CHECK_FALSE(client.is_blocked());
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("requests sent behind a blocked one wait for it and are answered in order") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("WAIT", 1, 10);
  auto set = client.send("SET", "k", "v");
  auto get = client.send("GET", "k");
  CHECK(set.is_blocked());
  CHECK_FALSE(redis.inspect().exists("k"));
  redis.advance(10ms);
  CHECK(get.reply() == "v");
  CHECK(set.reply() == status("OK"));
  CHECK(waiting.reply() == 0);
}

TEST_CASE("a request without a word is refused") {
  Emulator redis;
  auto client = redis.connect();
  const std::span<const std::string_view> nothing;
  CHECK_THROWS_AS(client.call(nothing), std::invalid_argument);
  CHECK_THROWS_AS(client.send(nothing), std::invalid_argument);
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("a client that was moved from says so") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("BLPOP", "queue", 0);
  const auto taken_client = std::move(client);
  const auto taken_waiting = std::move(waiting);
  CHECK_FALSE(client.is_connected());
  CHECK_THROWS_WITH(client.call("PING"), Catch::Contains("was moved from"));
  CHECK_THROWS_AS(client.send("PING"), std::logic_error);
  CHECK_THROWS_AS(client.id(), std::logic_error);
  CHECK_THROWS_AS(waiting.reply(), std::logic_error);
  CHECK_THROWS_AS(waiting.is_blocked(), std::logic_error);
  CHECK(taken_client.is_connected());
  CHECK(taken_waiting.is_blocked());
}

TEST_CASE("a client that the server has closed says so") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("QUIT") == status("OK"));
  CHECK_FALSE(client.is_connected());
  CHECK_THROWS_WITH(client.call("PING"), Catch::Contains("connect a new client"));
}

TEST_CASE("a client that outlives its emulator says so") {
  auto redis = std::make_unique<Emulator>();
  auto client = redis->connect();
  auto waiting = client.send("BLPOP", "queue", 0);
  redis.reset();
  CHECK_FALSE(client.is_connected());
  CHECK_THROWS_AS(client.call("PING"), std::logic_error);
  CHECK(client.id() == 1);
  CHECK_FALSE(client.is_blocked());
  CHECK_FALSE(waiting.is_blocked());
  CHECK(waiting.is_lost());
  CHECK_THROWS_WITH(waiting.reply(), Catch::Contains("the emulator of this client is gone"));
}

TEST_CASE("a request whose connection the server closes is lost, and no longer held back") {
  Emulator redis;
  auto waits = redis.connect();
  auto blocked = waits.send("BLPOP", "queue", 0);
  auto behind = waits.send("GET", "k");
  CHECK(redis.connect().call("CLIENT", "KILL", "ID", waits.id()) == 1);
  redis.add_fault({.action = RequestFault::Action::close, .command = "set"});
  auto struck = redis.connect();
  auto closed = struck.send("SET", "lock", "alice", "NX");
  for (Pending* pending : {&blocked, &behind, &closed}) {
    CHECK_FALSE(pending->is_blocked());
    CHECK(pending->is_lost());
    CHECK_THROWS_WITH(pending->reply(), Catch::Contains("has closed this connection"));
  }
}

TEST_CASE("who polls gets a reply once it has come, and nothing before and after") {
  Emulator redis;
  auto waits = redis.connect();
  auto first = waits.send("INCR", "count");
  auto second = waits.send("INCR", "count");
  auto blocked = waits.send("BLPOP", "queue", 0);
  auto behind = waits.send("INCR", "count");
  CHECK(second.is_there());
  CHECK(second.poll().value() == 2);  // In any order.
  CHECK_FALSE(second.is_there());
  CHECK(first.is_there());
  CHECK(first.poll().value() == 1);
  CHECK_FALSE(first.poll());
  CHECK(first.is_lost());
  CHECK_FALSE(blocked.poll());
  CHECK_FALSE(behind.poll());
  CHECK_FALSE(blocked.is_lost());
  CHECK_FALSE(blocked.is_there());
  CHECK(redis.connect().call("RPUSH", "queue", "job") == 1);
  CHECK(blocked.is_there());
  CHECK(behind.poll().value() == 3);
  CHECK(blocked.poll().value() == array("queue", "job"));
  auto lost = waits.send("BLPOP", "queue", 0);
  CHECK(redis.connect().call("CLIENT", "KILL", "ID", waits.id()) == 1);
  CHECK_FALSE(lost.poll());
  CHECK_FALSE(lost.is_there());
  CHECK(lost.is_lost());
  const auto taken = std::move(lost);
  CHECK_THROWS_AS(lost.poll(), std::logic_error);
}

TEST_CASE("the inspector looks without deleting what has expired") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "lock", "alice", "PX", 10);
  client.call("HSET", "h", "field", "1");
  const auto look = redis.inspect();
  CHECK(look.string("lock") == "alice");
  CHECK(look.deadline("lock") == kDefaultStart + 10ms);
  CHECK_FALSE(look.string("h"));
  CHECK(look.field("h", "field") == "1");
  CHECK(look.type("h") == "hash");
  CHECK(look.keys() == std::vector<std::string>{"lock", "h"});
  CHECK(look.key("lock").string == "alice");
  CHECK(look.key("lock").deadline == kDefaultStart + 10ms);
  CHECK((look.key("h").exists && !look.key("h").string && !look.key("h").deadline));
  client.call("DEBUG", "SET-ACTIVE-EXPIRE", 0);
  redis.advance(11ms);
  const auto changes = look.changes();
  CHECK_FALSE(look.exists("lock"));
  CHECK_FALSE(look.key("lock").exists);
  CHECK(look.type("lock") == "none");
  CHECK(look.changes() == changes);
  CHECK(client.call("DBSIZE") == 2);
}

TEST_CASE("a dump shows keys in order of creation with their remaining time") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "lock", "al\nice", "PX", 1500);
  client.call("SELECT", 2);
  client.call("HSET", "h", "f", "1", "g", "2");
  redis.advance(500ms);
  CHECK(redis.dump() ==
        "db0 \"lock\" string \"al\\nice\" expires in 1000 ms\n"
        "db2 \"h\" hash {\"f\": \"1\", \"g\": \"2\"}\n");
}

TEST_CASE("a snapshot brings keyspace, clock and sessions back") {
  Emulator redis;
  auto client = redis.connect();
  client.call("CLIENT", "SETNAME", "worker");
  client.call("SELECT", 3);
  client.call("SET", "k", "before", "PX", 100);
  const Snapshot saved = redis.snapshot();

  client.call("SET", "k", "after");
  client.call("SELECT", 0);
  auto late = redis.connect();
  redis.advance(1h);
  redis.restore(saved);

  CHECK(redis.now() == kDefaultStart);
  CHECK(client.call("GET", "k") == "before");
  CHECK(client.call("PTTL", "k") == 100);
  CHECK(client.call("CLIENT", "GETNAME") == "worker");
  CHECK_FALSE(late.is_connected());
}

TEST_CASE("a fork goes its own way") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "k", "v", "PX", 100);
  auto waiting = client.send("WAIT", 1, 50);
  Emulator fork{redis.snapshot()};
  auto twin = fork.attach(client.id());
  CHECK(twin.is_blocked());
  fork.advance(50ms);
  CHECK_FALSE(twin.is_blocked());
  CHECK(twin.call("PTTL", "k") == 50);
  CHECK(waiting.is_blocked());
  CHECK_THROWS_AS(fork.attach(99), std::out_of_range);
}

TEST_CASE("a password must be given first") {
  Options options;
  options.password = "secret";
  Emulator redis{options};
  auto client = redis.connect();
  CHECK(client.call("GET", "k") == error("NOAUTH Authentication required."));
  CHECK(client.call("AUTH", "wrong") ==
        error("WRONGPASS invalid username-password pair or user is disabled."));
  CHECK(client.call("AUTH", "secret") == status("OK"));
  CHECK(client.call("GET", "k") == nil);
}

TEST_CASE("options out of range are refused by name") {
  Options options;
  options.profile = "redis-9.9";
  CHECK_THROWS_WITH(Emulator{options}, Catch::Contains("redis-9.9"));
  options = {};
  options.databases = 0;
  CHECK_THROWS_WITH(Emulator{options}, Catch::Contains("databases"));
}

TEST_CASE("DEBUG SLEEP moves the simulated clock") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "k", "v", "PX", 1000);
  CHECK(client.call("DEBUG", "SLEEP", "1.5") == status("OK"));
  CHECK(redis.now() == kDefaultStart + 1500ms);
  CHECK(client.call("EXISTS", "k") == 0);
}

TEST_CASE("PICKLOCK steers the clock and is not listed") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("PICKLOCK", "NOW") == 1'577'836'800'000);
  CHECK(client.call("PICKLOCK", "NEXT") == nil);
  client.call("SET", "k", "v", "PX", 10);
  CHECK(client.call("PICKLOCK", "NEXT") == 1'577'836'800'011);
  CHECK(client.call("EXISTS", "k") == 0);
  CHECK(client.call("PICKLOCK", "ADVANCE", 89) == 1'577'836'800'100);
  CHECK(client.call("PICKLOCK", "ADVANCE", -1).is_error());
  CHECK(client.call("COMMAND", "LIST", "FILTERBY", "PATTERN", "picklock*").size() == 0);
}

}  // namespace
}  // namespace picklock
