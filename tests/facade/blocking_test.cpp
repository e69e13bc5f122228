// Clients that wait for keys, seen by a C++ caller.
#include <optional>
#include <vector>

#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace picklock::replies;

TEST_CASE("fifty clients that wait for one key are served in the order in which they came") {
  Emulator redis;
  std::vector<Client> clients;
  std::vector<Pending> waiting;
  for (int i = 0; i < 50; ++i) clients.push_back(redis.connect());
  // They come in another order than they connected.
  for (int i = 0; i < 50; ++i)
    waiting.push_back(clients[static_cast<std::size_t>(i * 7 % 50)].send("BLPOP", "q", 0));
  CHECK(redis.blocked_clients() == 50);
  auto producer = redis.connect();
  for (int i = 0; i < 50; ++i) {
    CHECK(producer.call("RPUSH", "q", i) == 1);
    CHECK(waiting[static_cast<std::size_t>(i)].reply() == array("q", std::to_string(i)));
    CHECK(redis.blocked_clients() == static_cast<std::size_t>(49 - i));
  }
  CHECK(producer.call("RPUSH", "q", "left") == 1);
  CHECK(producer.call("LLEN", "q") == 1);
}

TEST_CASE("a wait for a key times out to the millisecond") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("BLPOP", "q", "0.25");
  CHECK(redis.next_event() == kDefaultStart + 250ms);
  redis.advance(249ms);
  CHECK(waiting.is_blocked());
  redis.advance(1ms);
  CHECK_FALSE(waiting.is_blocked());
  CHECK(waiting.reply() == nil);
  CHECK_FALSE(redis.next_event());
  CHECK(client.call("RPUSH", "q", "a") == 1);
  CHECK(client.call("LLEN", "q") == 1);
}

TEST_CASE("a wait of 0 seconds never times out") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("BLMOVE", "a", "b", "LEFT", "RIGHT", 0);
  CHECK_FALSE(redis.next_event());
  redis.advance(24h * 365);
  CHECK(waiting.is_blocked());
  redis.connect().call("RPUSH", "a", "x");
  CHECK(waiting.reply() == "x");
}

TEST_CASE("who waits is served after the script that filled the list") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("BLPOP", "q", 0);
  auto other = redis.connect();
  CHECK(other.call("EVAL",
                   "redis.call('RPUSH', 'q', 'a', 'b'); redis.call('DEL', 'q'); "
                   "redis.call('RPUSH', 'q', 'c'); return redis.call('LLEN', 'q')",
                   0) == 1);
  CHECK(waiting.reply() == array("q", "c"));
  CHECK(other.call("EXISTS", "q") == 0);
}

TEST_CASE("who waits for two keys is served by the one that is made first, once") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("BLPOP", "one", "two", 0);
  auto other = redis.connect();
  other.call("MULTI");
  other.call("RPUSH", "two", 2);
  other.call("RPUSH", "one", 1);
  other.call("EXEC");
  CHECK(waiting.reply() == array("two", "2"));
  CHECK(other.call("LLEN", "one") == 1);
  CHECK(redis.blocked_clients() == 0);
}

TEST_CASE("a client that disconnects or is killed while it waits loses no element") {
  Emulator redis;
  auto patient = redis.connect();
  auto killed = redis.connect();
  auto producer = redis.connect();
  std::optional<Client> gone = redis.connect();
  gone->send("BLPOP", "q", 0);
  killed.send("BLPOP", "q", 0);
  auto waiting = patient.send("BLPOP", "q", 0);
  gone.reset();
  CHECK(producer.call("CLIENT", "KILL", "ID", killed.id()) == 1);
  CHECK(redis.blocked_clients() == 1);
  CHECK(producer.call("RPUSH", "q", "a") == 1);
  CHECK(waiting.reply() == array("q", "a"));
}

TEST_CASE("a call that waits for a key is withdrawn and takes no element later") {
  Emulator redis;
  auto client = redis.connect();
  CHECK_THROWS_WITH(client.call("BLPOP", "q", 0), Catch::Contains("BLPOP q 0 blocks"));
  CHECK_FALSE(client.is_blocked());
  CHECK(client.call("RPUSH", "q", "a") == 1);
  CHECK(client.call("BLPOP", "q", 0) == array("q", "a"));
}

TEST_CASE("what was sent behind a wait runs once all have been served") {
  Emulator redis;
  auto first = redis.connect();
  auto second = redis.connect();
  auto served = first.send("BLPOP", "q", 0);
  auto behind = first.send("RPUSH", "q", "again");
  auto next = second.send("BLPOP", "q", 0);
  CHECK(redis.connect().call("RPUSH", "q", "a", "b") == 2);
  CHECK(served.reply() == array("q", "a"));
  CHECK(next.reply() == array("q", "b"));
  CHECK(behind.reply() == 1);
}

TEST_CASE("waits that time out together all do, before one of them goes on") {
  Emulator redis;
  auto first = redis.connect();
  auto second = redis.connect();
  auto waiting = first.send("BLPOP", "q", 1);
  auto behind = first.send("RPUSH", "q", "late");
  auto also_waiting = second.send("BLPOP", "q", 1);
  redis.advance(1s);
  CHECK(waiting.reply() == nil);
  CHECK(also_waiting.reply() == nil);
  CHECK(behind.reply() == 1);
}

TEST_CASE("a fork with a client that waits serves it apart") {
  Emulator redis;
  auto client = redis.connect();
  auto waiting = client.send("BLPOP", "q", 5);
  Emulator fork{redis.snapshot()};
  auto twin = fork.attach(client.id());
  CHECK(twin.is_blocked());
  auto producer = fork.connect();
  CHECK(producer.call("RPUSH", "q", "forked") == 1);
  CHECK_FALSE(twin.is_blocked());
  CHECK(fork.inspect().exists("q") == false);
  CHECK(waiting.is_blocked());
  CHECK(redis.connect().call("RPUSH", "q", "original") == 1);
  CHECK(waiting.reply() == array("q", "original"));
}

TEST_CASE("a client whose blocked request a snapshot undoes is answered in step afterwards") {
  Emulator redis;
  Client waiting = redis.connect();
  Client other = redis.connect();
  const Snapshot before = redis.snapshot();
  Pending lost = waiting.send("BLPOP", "q", 0);
  Pending behind = waiting.send("PING");
  redis.restore(before);
  CHECK_FALSE(lost.is_blocked());
  CHECK_THROWS_AS(lost.reply(), std::logic_error);
  Pending again = waiting.send("BLPOP", "q", 0);
  CHECK(again.is_blocked());
  other.call("LPUSH", "q", "x");
  CHECK_FALSE(again.is_blocked());
  CHECK(again.reply()[1] == "x");
  CHECK_THROWS_AS(behind.reply(), std::logic_error);
  CHECK(waiting.call("ECHO", "y") == "y");
}

TEST_CASE("a restored snapshot blocks again who had been served since") {
  Emulator redis;
  auto client = redis.connect();
  auto producer = redis.connect();
  auto waiting = client.send("BLPOP", "q", 5);
  const Snapshot before = redis.snapshot();
  redis.advance(5s);
  CHECK(waiting.reply() == nil);
  redis.restore(before);
  CHECK(client.is_blocked());
  CHECK(redis.next_event() == kDefaultStart + 5s);
  producer.call("RPUSH", "q", "a");
  CHECK_FALSE(client.is_blocked());
  CHECK(redis.inspect().exists("q") == false);
}

TEST_CASE("a dump shows the elements of a list in order") {
  Emulator redis;
  redis.connect().call("RPUSH", "q", "a", "b \"c\"");
  CHECK(redis.dump() == "db0 \"q\" list [\"a\", \"b \\\"c\\\"\"]\n");
}

TEST_CASE("whoever has just been answered is not idle, however long the wait was") {
  Emulator redis;
  Client waits = redis.connect();
  Client other = redis.connect();
  other.call("CONFIG", "SET", "timeout", 1);
  auto timed_out = waits.send("BLPOP", "list", 5);
  for (int i = 0; i < 11; ++i) {
    redis.advance(500ms);
    other.call("PING");
  }
  CHECK(timed_out.reply().is_null());
  CHECK(waits.call("PING") == status("PONG"));
  auto served = waits.send("BLPOP", "list", 0);
  for (int i = 0; i < 11; ++i) {
    redis.advance(500ms);
    other.call("PING");
  }
  other.call("RPUSH", "list", "v");
  redis.advance(10ms);
  CHECK(served.reply()[1] == "v");
  CHECK(waits.call("PING") == status("PONG"));
}

TEST_CASE("whoever is told something is not idle, though he asks for nothing") {
  Emulator redis;
  Client tracks = redis.connect();
  Client listens = redis.connect();
  Client other = redis.connect();
  other.call("CONFIG", "SET", "timeout", 2);
  tracks.call("HELLO", 3);
  tracks.call("CLIENT", "TRACKING", "ON", "BCAST");
  const auto id = listens.call("CLIENT", "ID").integer();
  listens.call("SUBSCRIBE", "news");
  for (int i = 0; i < 3; ++i) {
    redis.advance(1500ms);
    other.call("SET", "key", i);
    other.call("PUBLISH", "news", i);
  }
  redis.advance(1500ms);
  CHECK(tracks.call("PING") == status("PONG"));
  const std::string line{other.call("CLIENT", "LIST", "ID", id).text()};
  CHECK(line.find(" idle=1 ") != std::string::npos);
}

}  // namespace
}  // namespace picklock
