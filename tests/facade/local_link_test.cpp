// A link of a local loop: when replies are there, and what becomes of them when its connection
// breaks.
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <picklock/local_loop.hpp>

#include "tests/support/catch.hpp"

using namespace picklock;

namespace {

using Words = std::initializer_list<std::string_view>;
Link::Ticket send(Link& link, Words words) {
  return link.send(std::span<const std::string_view>{words.begin(), words.size()});
}

struct Counter final : Link::Listener {
  int events = 0;
  void on_event() override { ++events; }
};

struct Place {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> link = loop.connect(redis);
};

}  // namespace

TEST_CASE("replies arrive when the loop runs, and are had once and in any order") {
  Place place;
  Link& link = *place.link;
  const auto first = send(link, {"INCR", "count"});
  const auto second = send(link, {"INCR", "count"});
  CHECK_FALSE(link.reply(first));
  CHECK(place.loop.run_one());
  const auto third = send(link, {"INCR", "count"});
  CHECK_FALSE(link.reply(third));
  CHECK(link.reply(second).value() == 2);
  CHECK_FALSE(link.reply(second));
  CHECK(link.reply(first).value() == 1);
  CHECK(place.loop.run_one());
  CHECK_FALSE(link.reply(first));
  CHECK(link.reply(third).value() == 3);
  CHECK_FALSE(link.reply(third + 1));
  CHECK_FALSE(place.loop.run_one());
}

TEST_CASE("what has arrived outlives the connection that has brought it") {
  Place place;
  Link& link = *place.link;
  const auto first = send(link, {"INCR", "count"});
  const auto second = send(link, {"INCR", "count"});
  CHECK(place.loop.run_one());
  const auto blocked = send(link, {"BLPOP", "queue", "0"});
  const auto behind = send(link, {"INCR", "count"});
  place.loop.disconnect(link);
  CHECK(place.loop.run_one());
  CHECK(link.connections() == 2);
  const auto next = send(link, {"INCR", "count"});
  CHECK(place.redis.blocked_clients() == 0);  // The old connection is closed.
  CHECK(link.reply(second).value() == 2);
  CHECK_FALSE(link.reply(next));
  CHECK(place.loop.run_one());
  CHECK(link.reply(next).value() == 3);
  CHECK(link.reply(first).value() == 1);
  CHECK_FALSE(link.reply(first));
  for (const auto ticket : {blocked, behind}) {
    CHECK(link.is_lost(ticket));
    CHECK_FALSE(link.reply(ticket));
  }
  for (const auto ticket : {first, second, next}) CHECK_FALSE(link.is_lost(ticket));
}

TEST_CASE("what the server has answered and the loop not delivered is lost with the connection") {
  Place place;
  Link& link = *place.link;
  const auto first = send(link, {"INCR", "count"});
  CHECK(place.loop.run_one());
  const auto second = send(link, {"INCR", "count"});
  const bool by_server = GENERATE(false, true);
  if (by_server)
    CHECK(place.redis.connect().call("CLIENT", "KILL", "TYPE", "normal") == 1);
  else
    place.loop.disconnect(link);
  CHECK(link.reply(first).value() == 1);  // Before the loop has noticed.
  CHECK(place.loop.run_one());
  CHECK(link.is_lost(second));
  CHECK_FALSE(link.reply(second));
  CHECK(place.redis.inspect().string("count") == "2");
}

TEST_CASE("replies of several broken connections are had in any order") {
  Place place;
  Link& link = *place.link;
  std::vector<Link::Ticket> tickets;
  for (int connection = 0; connection < 3; ++connection) {
    for (int i = 0; i < 2; ++i) tickets.push_back(send(link, {"INCR", "count"}));
    CHECK(place.loop.run_one());
    place.loop.disconnect(link);  // The next request is the first to notice.
  }
  for (const std::size_t i : {3, 0, 5, 2, 1, 4}) {
    CHECK(link.reply(tickets[i]).value() == static_cast<int>(i) + 1);
    CHECK_FALSE(link.reply(tickets[i]));
  }
  CHECK(link.connections() == 3);
  CHECK(place.loop.run_one());
  CHECK(link.connections() == 4);
}

TEST_CASE("what has arrived is had once, though the server has gone back") {
  Place place;
  Link& link = *place.link;
  const bool was_connected = GENERATE(false, true);
  const Snapshot early = was_connected ? place.redis.snapshot() : Emulator{}.snapshot();
  const auto first = send(link, {"INCR", "count"});
  const auto second = send(link, {"INCR", "count"});
  CHECK(place.loop.run_one());
  place.redis.restore(early);
  CHECK(link.reply(second).value() == 2);
  CHECK(place.loop.run_one() == !was_connected);
  CHECK(link.reply(first).value() == 1);
  CHECK_FALSE(link.reply(first));
  CHECK(link.connections() == (was_connected ? 1 : 2));
  CHECK_FALSE(place.redis.inspect().exists("count"));
}

TEST_CASE("a listener is told of each reply once, whether it is taken or left") {
  Place place;
  Link& link = *place.link;
  Counter counter;
  link.listen(&counter);
  const auto taken = send(link, {"PING"});
  const auto left = send(link, {"PING"});
  CHECK(place.loop.run_one());
  CHECK(counter.events == 1);
  CHECK(link.reply(taken).has_value());
  CHECK_FALSE(place.loop.run_one());
  CHECK(counter.events == 1);
  const auto later = send(link, {"PING"});
  CHECK(place.loop.run_one());
  CHECK(counter.events == 2);
  CHECK(link.reply(later).has_value());
  CHECK(link.reply(left).has_value());
  CHECK_FALSE(place.loop.run_one());
  link.listen(nullptr);
}
