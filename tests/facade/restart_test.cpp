// A server that ends and comes back: what it still has, and who is still there.
#include <picklock/replica.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace replies;

std::string line_of(const Reply& info, std::string_view name) {
  const std::string text = "\r\n" + info.text();
  const std::size_t at = text.find("\r\n" + std::string{name} + ":");
  return at == std::string::npos ? "" : text.substr(at + 2, text.find('\r', at + 2) - at - 2);
}

TEST_CASE("a restart keeps all data, and nothing that is in memory only") {
  Emulator redis;
  Client alice = redis.connect();
  alice.call("SET", "lock", "alice", "PX", 1500);
  alice.call("FUNCTION", "LOAD",
             "#!lua name=l\nredis.register_function('f', function() return 1 end)");
  const std::string sha1 = alice.call("SCRIPT", "LOAD", "return 1").text();
  alice.call("CONFIG", "SET", "hash-max-listpack-entries", 7);
  alice.call("SELECT", 3);
  alice.call("HSET", "h", "f", "v");
  const Reply before = alice.call("INFO");
  Client bob = redis.connect();
  bob.call("SUBSCRIBE", "news");
  Pending waits = bob.send("PING");
  redis.advance(1s);

  redis.restart();

  CHECK_FALSE(alice.is_connected());
  CHECK_FALSE(bob.is_connected());
  CHECK_THROWS_AS(alice.call("PING"), std::logic_error);
  CHECK(redis.inspect().string("lock") == "alice");
  CHECK(redis.inspect(3).field("h", "f") == "v");
  Client carol = redis.connect();
  CHECK(carol.call("PTTL", "lock") == 500);
  CHECK(carol.call("EVALSHA", sha1, 0) == error("NOSCRIPT No matching script. Please use EVAL."));
  CHECK(carol.call("FCALL", "f", 0) == 1);
  CHECK(carol.call("CONFIG", "GET", "hash-max-listpack-entries") ==
        array("hash-max-listpack-entries", "512"));
  CHECK(carol.call("PUBSUB", "NUMSUB", "news") == array("news", 0));
  const Reply info = carol.call("INFO");
  CHECK(line_of(info, "uptime_in_seconds") == "uptime_in_seconds:0");
  CHECK(line_of(info, "total_connections_received") == "total_connections_received:1");
  CHECK(line_of(info, "rdb_changes_since_last_save") == "rdb_changes_since_last_save:0");
  for (const char* name : {"run_id", "master_replid"}) {
    CHECK(line_of(info, name).size() == line_of(before, name).size());
    CHECK(line_of(info, name) != line_of(before, name));
  }
}

TEST_CASE("a restart loses everything, or what was written since the last second began") {
  Emulator redis;
  CHECK_THROWS_AS(redis.restart(Restart::keeps_synced), std::logic_error);
  redis.sync_every_second();
  Client alice = redis.connect();
  alice.call("SET", "first", "1");
  redis.advance(1'999ms);
  alice.call("SET", "second", "2");
  redis.advance(1ms);
  alice.call("SET", "third", "3");
  alice.call("INCR", "first");

  redis.restart(Restart::keeps_synced);
  CHECK(redis.inspect().keys() == std::vector<std::string>{"first", "second"});
  CHECK(redis.inspect().string("first") == "1");

  // What it comes back with is on the disk.
  redis.restart(Restart::keeps_synced);
  CHECK(redis.inspect().keys().size() == 2);

  redis.restart(Restart::loses_all);
  CHECK(redis.inspect().keys().empty());
  redis.restart(Restart::keeps_synced);
  CHECK(redis.inspect().keys().empty());

  redis.sync_every_second(false);
  CHECK_THROWS_AS(redis.restart(Restart::keeps_synced), std::logic_error);
}

TEST_CASE("nobody waits for what somebody waited for before the restart") {
  Emulator redis;
  redis.sync_every_second();
  {
    Client alice = redis.connect();
    const Pending waits = alice.send("BLPOP", "old", "0");
    Client writer = redis.connect();
    for (const char* value : {"1", "2", "3"}) {
      writer.call("SET", "x", value);
      redis.advance(1s);
    }
    redis.restart(Restart::keeps_synced);
    CHECK(waits.is_lost());
  }
  Client bob = redis.connect();  // Ids begin anew: he is called as alice was.
  const Pending waits = bob.send("BLPOP", "other", "0");
  redis.connect().call("RPUSH", "old", "v");
  CHECK(waits.is_blocked());
}

TEST_CASE("what a second has begun with is kept, whoever wrote since") {
  Emulator redis;
  redis.sync_every_second();
  Client alice = redis.connect();
  alice.call("SET", "a", "1");
  redis.advance(5s);
  alice.call("EVAL", "redis.call('SET', 'a', '2') redis.call('SET', 'b', '2')", 0);
  redis.restart(Restart::keeps_synced);
  CHECK(redis.inspect().string("a") == "1");
  CHECK_FALSE(redis.inspect().exists("b"));
}

TEST_CASE("keys that have expired meanwhile are gone after a restart") {
  SimClock clock;
  Emulator redis{{}, clock};
  redis.connect().call("SET", "lock", "alice", "PX", 100);
  clock.set(clock.now() + 101ms);
  redis.restart();
  CHECK(redis.connect().call("DBSIZE") == 0);
}

TEST_CASE("a restart breaks the link of a replica, at either end") {
  Emulator primary;
  Emulator standby;
  Client alice = primary.connect();
  Replica link{primary, standby};
  alice.call("SET", "lock", "alice");
  CHECK(link.behind() == 1);

  primary.restart();
  CHECK_FALSE(link.is_connected());
  CHECK(link.behind() == 0);
  CHECK(link.apply() == 0);
  Client bob = primary.connect();
  CHECK(line_of(bob.call("INFO", "replication"), "connected_slaves") == "connected_slaves:0");
  CHECK_FALSE(standby.inspect().exists("lock"));
  link.reconnect();
  CHECK(standby.inspect().string("lock") == "alice");

  standby.restart(Restart::loses_all);
  CHECK_FALSE(link.is_connected());
  CHECK(line_of(bob.call("INFO", "replication"), "connected_slaves") == "connected_slaves:0");
  Client carol = standby.connect();
  CHECK(line_of(carol.call("INFO", "replication"), "role") == "role:slave");
  CHECK(line_of(carol.call("INFO", "replication"), "master_link_status") ==
        "master_link_status:down");
  bob.call("SET", "later", "1");
  link.reconnect();
  CHECK(standby.inspect().keys().size() == 2);
  link.promote();
  CHECK(carol.call("SET", "own", "1") == status("OK"));
}

TEST_CASE("a restart ends a request that waits") {
  Emulator redis;
  Client alice = redis.connect();
  redis.add_fault({.action = RequestFault::Action::delay, .delay = 10ms, .command = "get"});
  Pending waits = alice.send("GET", "a");
  Pending blocked = redis.connect().send("BLPOP", "list", 0);
  CHECK(waits.is_blocked());
  redis.restart();
  CHECK_FALSE(alice.is_connected());
  CHECK(redis.blocked_clients() == 0);
  redis.advance(1s);
}

}  // namespace
}  // namespace picklock
