// The lock client's scripts by themselves, where their contracts have corners that a client seldom
// meets.
#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "lockclient/machine/protocol.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using replies::array;

namespace {

struct Server {
  template <class... Words>
  Reply run(const char* script, int keys, const Words&... words) {
    return client.call("EVAL", lock::embedded_script(script)->source, keys, words...);
  }
  Reply take_seats(const char* owner, int permits, int ttl_ms, int queue_ms = 0) {
    return run("permits_acquire", 3, "seats", "queue", "over", owner, permits, 3, ttl_ms, queue_ms);
  }
  Reply give_seats(const char* owner) {
    return run("permits_reduce", 3, "seats", "queue", "over", owner, 0, 1000);
  }

  Emulator redis;
  Client client = redis.connect();
};

}  // namespace

TEST_CASE("script: lock_extend prolongs nobody else's hold, all names, and once a request") {
  Server server;
  CHECK(server.run("lock_acquire", 4, "a", "a:over", "b", "b:over", "me", 1000)[0] == 1);
  const Reply before = server.client.call("PEXPIRETIME", "a");
  CHECK(server.run("lock_extend", 2, "a", "a:over", "you", 5000, "") == array(0));
  CHECK(server.client.call("PEXPIRETIME", "a") == before);
  const std::string heard = std::to_string(before.integer());
  const Reply first =
      server.run("lock_extend", 4, "a", "a:over", "b", "b:over", "me", 2000, heard);
  CHECK(server.client.call("PTTL", "a") == 2000);
  CHECK(server.client.call("PTTL", "b") == 2000);
  server.redis.advance(100ms);
  // The same request once more: the deadline that it names has been moved.
  CHECK(server.run("lock_extend", 4, "a", "a:over", "b", "b:over", "me", 2000, heard)[2] ==
        first[2]);
}

TEST_CASE("script: an acquisition that was released is over, held or not") {
  Server server;
  CHECK(server.run("lock_acquire", 2, "a", "a:over", "held", 1000)[0] == 1);
  CHECK(server.run("lock_release", 2, "a", "a:over", "held", 1000) == 1);
  CHECK(server.run("lock_release", 2, "a", "a:over", "never held", 1000) == 0);
  for (const char* owner : {"held", "never held"})
    CHECK(server.run("lock_acquire", 2, "a", "a:over", owner, 1000) == array(-1));
}

TEST_CASE("script: permits whose time is over are neither extended nor given back") {
  Server server;
  CHECK(server.take_seats("longer", 1, 10'000)[0] == 1);
  CHECK(server.take_seats("shorter", 1, 500)[0] == 1);
  server.redis.advance(501ms);
  CHECK(server.run("permits_extend", 1, "seats", "shorter", 5000, "") == array(0));
  CHECK(server.give_seats("shorter") == 0);
  CHECK(server.give_seats("longer") == 1);
  CHECK_FALSE(server.redis.inspect().exists("seats"));
}

TEST_CASE("script: permits_extend moves a deadline once a request") {
  Server server;
  const Reply held = server.take_seats("me", 1, 1000);
  const std::string heard = std::to_string(held[2].integer());
  const Reply first = server.run("permits_extend", 1, "seats", "me", 2000, heard);
  server.redis.advance(100ms);
  CHECK(server.run("permits_extend", 1, "seats", "me", 2000, heard)[2] == first[2]);
}

TEST_CASE("script: permits given back wake the first in the queue, as many as there is room for") {
  Server server;
  CHECK(server.take_seats("holder", 3, 10'000)[0] == 1);
  // Later places stand before earlier ones in the hash: the order is that of the tickets.
  for (const char* owner : {"first", "second", "third"})
    CHECK(server.take_seats(owner, owner[0] == 's' ? 2 : 1, 10'000, 5000)[0] == 0);
  const Reply place = server.client.call("HGET", "queue", "first");
  server.client.call("HDEL", "queue", "first");
  server.client.call("HSET", "queue", "first", place.text());
  Client listener = server.redis.connect();
  listener.call("HELLO", "3");
  listener.call("SUBSCRIBE", "over");
  CHECK(server.give_seats("holder") == 1);
  const auto message = listener.next_message();
  REQUIRE(message);
  CHECK((*message)[2] == "first second");
}

TEST_CASE("a forced release wakes who waits and moves the fence") {
  Emulator redis;
  LocalLoop loop;
  const auto alice = loop.connect(redis);
  const auto bob = loop.connect(redis);
  const auto carol = loop.connect(redis);
  FencedLock first{*alice, "name", {.ttl = 10min}};
  FencedLock second{*bob, "name", {.ttl = 10min}};
  auto held = first.acquire().get();
  auto waiting = second.acquire();
  loop.advance(10ms);
  CHECK(LockClient{*carol}.force_release("name").get().value().size() == 1);
  loop.advance(1ms);
  REQUIRE(waiting.is_done());
  // Not the next number: between the two there is one of nobody's.
  CHECK(waiting.take()->token().sequence == held->token().sequence + 2);
}

TEST_CASE("a latch lives as long as its ttl") {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  CountDownLatch latch{*link, "gate", {.ttl = 5s}};
  CHECK(latch.try_set_count(2).get().value());
  CHECK(redis.inspect().deadline("gate") == redis.now() + 5s);
}
