// The scripts of permits (fair lock, read-write lock, semaphore): every branch of their contracts,
// by what they answer and what they leave.
#include "tests/lockclient/script_server.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using replies::array;
using replies::integer;

namespace {

struct Permits : test::ScriptServer {
  Reply take(const char* owner, int want, int ttl = 1000, int queue = 0, int limit = 3) {
    return run("permits_acquire", 3, "seats", "queue", "over", owner, want, limit, ttl, queue);
  }
  Reply extend(const char* owner, int ttl, const std::string& heard) {
    return run("permits_extend", 1, "seats", owner, ttl, heard);
  }
  Reply keep(const char* owner, int kept, int memory = 1000) {
    return run("permits_reduce", 3, "seats", "queue", "over", owner, kept, memory);
  }
  void hold(const char* owner, int permits, std::int64_t deadline) {
    ask("HSET", "seats", "limit", 3, owner, std::to_string(permits) + ' ' + time(deadline));
  }
  void wait(const char* owner, int ticket, int want, std::int64_t deadline, int limit = 3) {
    ask("HSET", "queue", owner,
        std::to_string(ticket) + ' ' + std::to_string(want) + ' ' + time(deadline) + ' ' +
            std::to_string(limit));
  }
  Reply held(std::int64_t left, std::int64_t deadline) const {
    return array(1, left, start_ms + deadline);
  }
};

}  // namespace

TEST_CASE("script permits_acquire: taken, and sent again") {
  Permits server;
  CHECK(server.take("me", 2) == server.held(1000, 1000));
  CHECK(server.hash("seats") == "limit=3 me=2,@1000");
  CHECK(server.deadline("seats") == 1000);
  CHECK(server.ask("EXISTS", "queue", "over") == integer(0));
  server.redis.advance(100ms);
  const std::string before = server.everything();
  CHECK(server.take("me", 2) == server.held(900, 1000));
  CHECK(server.everything() == before);
  CHECK(server.announced().empty());
}

TEST_CASE("script permits_acquire: what is over is over") {
  for (const char* mark : {"0", "1"}) {
    Permits server;
    server.ask("ZADD", "over", 1, std::string{mark} + "me");
    CHECK(server.take("me", 1, 1000, 5000) == array(-1));
    CHECK(server.ask("EXISTS", "seats", "queue") == integer(0));
    CHECK(server.take("you", 1) == server.held(1000, 1000));
  }
}

TEST_CASE("script permits_acquire: as many as there are, whose keys live as long as the longest") {
  Permits server;
  CHECK(server.take("a", 1, 500) == server.held(500, 500));
  CHECK(server.take("b", 1, 2000) == server.held(2000, 2000));
  CHECK(server.take("c", 1, 700) == server.held(700, 700));
  CHECK(server.deadline("seats") == 2000);
  // The one that ends first is named, by its time; of the holders the first one.
  CHECK(server.take("d", 1) == array(0, 500, "a"));
  CHECK(server.ask("EXISTS", "queue") == integer(0));
  CHECK(server.hash("seats") == "a=1,@500 b=1,@2000 c=1,@700 limit=3");
}

TEST_CASE("script permits_acquire: a hold lives at its deadline, and not after it") {
  Permits server;
  server.hold("at", 1, 0);
  server.hold("after", 2, -1);
  CHECK(server.take("big", 3) == array(0, 0, "at"));
  CHECK(server.hash("seats") == "at=1,@0 limit=3");
  CHECK(server.take("fits", 2) == server.held(1000, 1000));
}

TEST_CASE("script permits_acquire: another limit") {
  Permits server;
  server.take("me", 1);
  CHECK(server.take("you", 1, 1000, 5000, 4) == array(-2, 3));
  CHECK(server.ask("EXISTS", "queue") == integer(0));
  server.redis.advance(1001ms);
  CHECK(server.take("you", 1, 1000, 0, 4) == server.held(1000, 2001));
  CHECK(server.hash("seats") == "limit=4 you=1,@2001");
  // Where nobody holds any more, a limit that is left says nothing.
  Permits other;
  other.hold("late", 1, -1);
  CHECK(other.take("you", 1, 1000, 0, 4) == other.held(1000, 1000));
  CHECK(other.hash("seats") == "limit=4 you=1,@1000");
}

TEST_CASE("script permits_acquire: more than there can be is never given") {
  Permits server;
  CHECK(server.take("me", 4) == array(0, -1, Reply{}));
  CHECK(server.take("me", 3) == server.held(1000, 1000));
}

TEST_CASE("script permits_acquire: queues by tickets, keeps places, and lets nobody pass by") {
  Permits server;
  server.hold("holder", 2, 700);
  CHECK(server.take("first", 2, 1000, 5000) == array(0, 700, "holder"));
  CHECK(server.hash("queue") == "first=1,2,@5000,3");
  CHECK(server.deadline("queue") == 5000);
  // One is free, but somebody was there before: behind the holder, and behind the one who waits.
  CHECK(server.take("second", 1, 1000, 600) == array(0, 700, "holder"));
  CHECK(server.hash("queue") == "first=1,2,@5000,3 second=2,1,@600,3");
  CHECK(server.deadline("queue") == 5000);
  server.redis.advance(100ms);
  CHECK(server.take("first", 2, 1000, 5000) == array(0, 600, "holder"));
  CHECK(server.take("third", 1, 1000, 5000) == array(0, 500, "holder"));
  CHECK(server.hash("queue") == "first=1,2,@5100,3 second=2,1,@600,3 third=3,1,@5100,3");
  CHECK(server.deadline("queue") == 5100);
  CHECK(server.announced().empty());
  // Who asks without queueing has no place, and passes nobody by.
  CHECK(server.take("passer", 1) == array(0, 500, "holder"));
  CHECK(server.ask("HLEN", "queue") == integer(3));
}

TEST_CASE("script permits_acquire: the first in the queue goes, and tells the next") {
  Permits server;
  server.hold("holder", 1, 5000);
  // In the hash they stand in another order.
  server.wait("third", 9, 1, 700);
  server.wait("second", 5, 1, 800);
  server.wait("first", 4, 2, 900);
  CHECK(server.take("second", 1, 1000, 5000) == array(0, 900, "holder"));
  CHECK(server.take("first", 2, 1000, 5000) == server.held(1000, 1000));
  CHECK(server.announced() == "[second]");
  CHECK(server.hash("queue") == "second=5,1,@5000,3 third=9,1,@700,3");
  CHECK(server.hash("seats") == "first=2,@1000 holder=1,@5000 limit=3");
  CHECK(server.take("late", 1, 1000, 5000) == array(0, 700, "holder"));
  // In whatever order they stand, it is the one with the lowest ticket.
  server.ask("DEL", "seats");
  server.ask("HSET", "seats", "first", "1 " + server.time(1000), "limit", 3);
  CHECK(server.take("second", 1) == server.held(1000, 1000));
  CHECK(server.announced() == "[third]");
  server.wait("second", 5, 1, 5000);
  CHECK(server.hash("queue") == "late=10,1,@5000,3 second=5,1,@5000,3 third=9,1,@700,3");
}

TEST_CASE("script permits_acquire: behind one who waits for what is free") {
  Permits server;
  server.wait("first", 1, 2, 900);
  CHECK(server.take("big", 2, 1000, 5000) == array(0, 900, "first"));
  // Beside it there is room for one.
  CHECK(server.take("small", 1) == array(0, 900, "first"));
  server.ask("HDEL", "queue", "big");
  CHECK(server.take("small", 1) == server.held(1000, 1000));
  CHECK(server.announced() == "[first]");
}

TEST_CASE("script permits_acquire: who waits is kept at its deadline, and not after it") {
  Permits server;
  server.wait("at", 7, 2, 0);
  server.wait("after", 8, 3, -1);
  CHECK(server.take("me", 2, 1000, 5000) == array(0, 0, "at"));
  // Tickets go on after the highest.
  CHECK(server.hash("queue") == "at=7,2,@0,3 me=9,2,@5000,3");
  server.redis.advance(1ms);
  CHECK(server.take("me", 2, 1000, 5000) == server.held(1000, 1001));
  CHECK(server.ask("EXISTS", "queue") == integer(0));
}

TEST_CASE("script permits_acquire: one's own place is kept although its time is over") {
  Permits server;
  server.hold("holder", 3, 5000);
  server.wait("me", 3, 1, -1);
  server.wait("next", 4, 1, 100);
  CHECK(server.take("me", 1, 1000, 600) == array(0, 5000, "holder"));
  CHECK(server.hash("queue") == "me=3,1,@600,3 next=4,1,@100,3");
}

TEST_CASE("script permits_extend: prolongs what is held, once a request, never shorter") {
  Permits server;
  CHECK(server.extend("me", 1000, "") == array(0));
  CHECK(server.ask("EXISTS", "seats") == integer(0));
  server.take("me", 2);
  server.take("you", 1, 1500);
  server.redis.advance(100ms);
  CHECK(server.extend("me", 1000, server.time(1000)) == server.held(1000, 1100));
  CHECK(server.hash("seats") == "limit=3 me=2,@1100 you=1,@1500");
  CHECK(server.deadline("seats") == 1500);
  const std::string before = server.everything();
  CHECK(server.extend("me", 9000, server.time(1000)) == server.held(1000, 1100));
  CHECK(server.extend("me", 500, "") == server.held(1000, 1100));
  CHECK(server.everything() == before);
  CHECK(server.extend("me", 2000, "") == server.held(2000, 2100));
  CHECK(server.deadline("seats") == 2100);
}

TEST_CASE("script permits_extend: a hold lives at its deadline, and not after it") {
  Permits server;
  server.hold("me", 1, 0);
  CHECK(server.extend("me", 500, "") == server.held(500, 500));
  server.hold("me", 1, -1);
  const std::string before = server.everything();
  CHECK(server.extend("me", 500, "") == array(0));
  CHECK(server.everything() == before);
}

TEST_CASE("script permits_reduce: down to none, and sent again") {
  Permits server;
  server.take("me", 2);
  CHECK(server.keep("me", 0) == integer(1));
  CHECK(server.ask("EXISTS", "seats") == integer(0));
  CHECK(server.scores("over") == "1me=@1000");
  CHECK(server.deadline("over") == 1000);
  server.redis.advance(10ms);
  const std::string before = server.everything();
  CHECK(server.keep("me", 0) == integer(1));
  CHECK(server.keep("me", 1) == integer(0));
  CHECK(server.everything() == before);
  CHECK(server.announced().empty());
}

TEST_CASE("script permits_reduce: not held, and sent again") {
  Permits server;
  server.take("you", 2);
  CHECK(server.keep("me", 0) == integer(0));
  CHECK(server.scores("over") == "0me=@1000");
  server.redis.advance(10ms);
  const std::string before = server.everything();
  CHECK(server.keep("me", 0) == integer(0));
  CHECK(server.everything() == before);
  CHECK(server.hash("seats") == "limit=3 you=2,@1000");
  // Nothing is kept of nothing, and nothing remembered.
  CHECK(server.keep("he", 1) == integer(0));
  CHECK(server.scores("over") == "0me=@1000");
}

TEST_CASE("script permits_reduce: down to some, never up") {
  Permits server;
  server.take("me", 3);
  CHECK(server.keep("me", 3) == integer(1));
  CHECK(server.keep("me", 5) == integer(1));
  CHECK(server.hash("seats") == "limit=3 me=3,@1000");
  CHECK(server.keep("me", 1) == integer(1));
  CHECK(server.hash("seats") == "limit=3 me=1,@1000");
  CHECK(server.keep("me", 1) == integer(1));
  CHECK(server.ask("EXISTS", "over") == integer(0));
}

TEST_CASE("script permits_reduce: a hold lives at its deadline, and not after it") {
  Permits server;
  server.hold("at", 1, 0);
  server.hold("after", 1, -1);
  CHECK(server.keep("after", 1) == integer(0));
  CHECK(server.keep("after", 0) == integer(0));
  CHECK(server.hash("seats") == "at=1,@0 limit=3");
  CHECK(server.keep("at", 0) == integer(1));
  CHECK(server.ask("EXISTS", "seats") == integer(0));
  // Where only late ones are left, nothing is.
  server.hold("late", 1, -1);
  CHECK(server.keep("nobody", 0) == integer(0));
  CHECK(server.ask("EXISTS", "seats") == integer(0));
}

TEST_CASE("script permits_reduce: the memory keeps what is not old, and is not shortened") {
  Permits server;
  server.keep("long", 0, 5000);
  server.ask("ZADD", "over", server.start_ms - 1, "0old", server.start_ms, "0new");
  CHECK(server.keep("short", 0, 100) == integer(0));
  CHECK(server.scores("over") == "0long=@5000 0new=@0 0short=@100");
  CHECK(server.deadline("over") == 5000);
  server.keep("longer", 0, 7000);
  CHECK(server.deadline("over") == 7000);
}

TEST_CASE("script permits_reduce: wakes as many as there is room for, in the order of tickets") {
  Permits server;
  server.hold("holder", 2, 5000);
  server.hold("other", 1, 5000);
  server.hold("late", 3, -1);
  server.wait("fourth", 10, 1, 900);
  server.wait("gone", 1, 1, -1);
  server.wait("third", 9, 1, 900);
  server.wait("first", 2, 1, 0);
  server.wait("second", 5, 1, 900);
  CHECK(server.keep("holder", 1) == integer(1));
  CHECK(server.announced() == "[first]");
  CHECK(server.keep("holder", 0) == integer(1));
  CHECK(server.announced() == "[first second]");
  CHECK(server.keep("first", 0) == integer(0));
  CHECK(server.announced() == "[second third]");
  CHECK(server.hash("queue") ==
        "fourth=10,1,@900,3 gone=1,1,@-1,3 second=5,1,@900,3 third=9,1,@900,3");
  // Nobody passes by one for whom there is no room.
  server.wait("second", 5, 3, 900);
  CHECK(server.keep("nobody", 0) == integer(0));
  CHECK(server.announced().empty());
}

TEST_CASE("script permits_reduce: each waiter goes by its own limit") {
  Permits server;
  server.hold("holder", 3, 5000);
  server.wait("wide", 1, 2, 900, 4);
  server.wait("narrow", 2, 1, 900, 1);
  CHECK(server.keep("holder", 2) == integer(1));
  CHECK(server.announced() == "[wide]");
}
