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

}  // namespace
}  // namespace picklock
