// What handles and links have when the state beneath them goes back, or a fault strikes.
#include <picklock/local_loop.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace replies;

struct Counter final : Link::Listener {
  void on_event() override { ++events; }
  int events = 0;
};

TEST_CASE("a request sent after a restored wait has its own reply") {
  Emulator redis;
  Client alice = redis.connect(), bob = redis.connect();
  Pending served = alice.send("BLPOP", "l", 0);
  const Snapshot waits = redis.snapshot();
  bob.call("RPUSH", "l", "x");
  CHECK(served.reply() == array("l", "x"));
  redis.restore(waits);
  Pending set = alice.send("SET", "k", "v");
  bob.call("RPUSH", "l", "y");
  CHECK(set.reply() == status("OK"));
}

TEST_CASE("a wait that a restored snapshot knows nothing of is not given another one's reply") {
  Emulator redis;
  Client alice = redis.connect(), bob = redis.connect();
  Pending served = alice.send("BLPOP", "l", 0);
  const Snapshot waits = redis.snapshot();
  bob.call("RPUSH", "l", "x");
  CHECK(served.reply() == array("l", "x"));
  Pending later = alice.send("BLPOP", "other", 0);
  redis.restore(waits);
  bob.call("RPUSH", "l", "y");
  CHECK_THROWS_AS(later.reply(), std::logic_error);
}

TEST_CASE("a wait that has gone once does not come back with its snapshot") {
  Emulator redis;
  Client alice = redis.connect(), bob = redis.connect();
  const Snapshot idle = redis.snapshot();
  Pending gone = alice.send("BLPOP", "l", 0);
  const Snapshot waits = redis.snapshot();
  redis.restore(idle);
  redis.restore(waits);
  bob.call("RPUSH", "l", "x");
  CHECK_THROWS_AS(gone.reply(), std::logic_error);
  CHECK(alice.call("GET", "k") == nil);
}

TEST_CASE("a link whose request a restored snapshot does not know has lost it") {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  const Snapshot before = redis.snapshot();
  const std::vector<std::string_view> words{"BLPOP", "l", "0"};
  const auto ticket = link->send(words);
  loop.advance(1ms);
  redis.restore(before);
  CHECK_NOTHROW(loop.advance(1ms));
  CHECK(link->is_lost(ticket));
}

TEST_CASE("a loop breaks no link but its own") {
  Emulator redis;
  LocalLoop loop, other;
  const auto link = loop.connect(redis);
  CHECK_THROWS_AS(other.disconnect(*link), std::invalid_argument);
  CHECK_NOTHROW(loop.disconnect(*link));
}

TEST_CASE("a link that was cut off may be listened to") {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  redis.restart();
  Counter counter;
  CHECK_NOTHROW(link->listen(&counter));
  const std::vector<std::string_view> words{"PING"};
  const auto ticket = link->send(words);
  loop.advance(1ms);
  CHECK(link->reply(ticket) == status("PONG"));
  link->listen(nullptr);
}

TEST_CASE("a fault that strikes a link's HELLO throws nothing at its user") {
  using Action = RequestFault::Action;
  for (const Action action : {Action::delay, Action::drop_request, Action::drop_reply,
                              Action::close, Action::close_after}) {
    CAPTURE(static_cast<int>(action));
    Emulator redis;
    LocalLoop loop;
    const auto link = loop.connect(redis);
    redis.add_fault({.action = action, .delay = 5ms, .times = 0});
    Counter counter;
    CHECK_NOTHROW(link->listen(&counter));
    const std::vector<std::string_view> words{"PING"};
    CHECK_NOTHROW(link->send(words));
    CHECK_NOTHROW(loop.advance(1ms));
    link->listen(nullptr);
  }
}

TEST_CASE("a client speaks again the version that it spoke") {
  Emulator redis;
  Client client = redis.connect();
  const Snapshot old = redis.snapshot();
  client.call("HELLO", 3);
  const Snapshot fresh = redis.snapshot();
  const auto version_now = [&client] {
    return client.call("HGETALL", "h").type() == Reply::Type::map ? 3 : 2;
  };
  CHECK(version_now() == 3);
  redis.restore(old);
  CHECK(version_now() == 2);
  redis.restore(fresh);
  CHECK(version_now() == 3);
  client.call("RESET");
  CHECK(version_now() == 2);
  redis.restore(fresh);
  CHECK(version_now() == 3);
}

TEST_CASE("time stops again for who waits again") {
  Emulator redis;
  Client waiting = redis.connect();
  const Snapshot idle = redis.snapshot();
  waiting.send("BLPOP", "l", 1);
  const Snapshot waits = redis.snapshot();
  const Instant deadline = redis.next_event().value();
  redis.restore(idle);
  CHECK_FALSE(redis.next_event());
  redis.restore(waits);
  CHECK(redis.next_event() == deadline);
  CHECK(waiting.is_blocked());
  redis.set_time(deadline);
  CHECK_FALSE(waiting.is_blocked());
  CHECK_FALSE(redis.next_event());
}

TEST_CASE("statistics of commands are what they were, in whichever order more have come") {
  Emulator redis;
  Client client = redis.connect();
  const auto used = [&client] { return client.call("INFO", "commandstats").text(); };
  client.call("SET", "a", 1);
  client.call("GET", "a");
  const Snapshot before = redis.snapshot();
  const std::string known = used();
  client.call("DEL", "a");
  client.call("INCR", "b");
  redis.restore(before);
  CHECK(used() == known);
  client.call("INCR", "b");  // In another order than the first time.
  client.call("DEL", "a");
  const Snapshot after = redis.snapshot();
  CHECK(client.call("INFO", "commandstats").text().find("cmdstat_incr:calls=1,") !=
        std::string::npos);
  Emulator other;
  Client stranger = other.connect();
  for (const char* word : {"DBSIZE", "TIME", "ROLE"}) stranger.call(word);
  other.restore(after);  // Of its own commands nothing is left.
  const std::string taken = other.connect().call("INFO", "commandstats").text();
  CHECK(taken.find("cmdstat_dbsize") == std::string::npos);
  CHECK(taken.find("cmdstat_del:calls=1,") != std::string::npos);
  redis.restore(before);
  CHECK(used() == known);
}

}  // namespace
}  // namespace picklock
