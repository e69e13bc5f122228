// The scripts of the forced release, of looking and of the latch: every branch of their contracts,
// by what they answer and what they leave.
#include "tests/lockclient/script_server.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using replies::array;
using replies::integer;
using test::ScriptServer;

namespace {

struct Force : ScriptServer {
  Reply force(const char* id, int memory = 1000) {
    return run("lock_force_release", 4, "a", "over", "fence", "queue", memory, id);
  }
};

}  // namespace

TEST_CASE("script lock_force_release: a lock of one, its fence and its waiters") {
  Force server;
  server.ask("SET", "a", "me");
  server.ask("HSET", "fence", "sequence", 7);
  server.ask("HSET", "queue", "w1", "x");
  server.ask("HSET", "queue", "w2", "x");
  CHECK(server.force("1") == array("me"));
  CHECK(server.ask("EXISTS", "a") == integer(0));
  CHECK(server.hash("fence") == "sequence=8");
  CHECK(server.announced() == "[w1 w2]");
  CHECK(server.scores("over") == "0me=@1000 f1 me=@1000 f1=@1000");
  CHECK(server.deadline("over") == 1000);
  // Sent again it ends nothing of others'.
  server.ask("SET", "a", "you");
  const std::string before = server.everything();
  CHECK(server.force("1") == array("me"));
  CHECK(server.everything() == before);
  CHECK(server.announced().empty());
}

TEST_CASE("script lock_force_release: the memory keeps what is not old") {
  Force server;
  server.ask("ZADD", "over", server.start_ms - 1, "0old", server.start_ms, "0new");
  server.force("1");
  CHECK(server.scores("over") == "0new=@0 f1=@1000");
}

TEST_CASE("script lock_force_release: nothing to end") {
  Force server;
  server.ask("HSET", "fence", "sequence", 7);
  server.ask("HSET", "queue", "w1", "x");
  CHECK(server.force("1") == array());
  CHECK(server.hash("fence") == "sequence=7");
  CHECK(server.announced().empty());
  CHECK(server.scores("over") == "f1=@1000");
  server.ask("SET", "a", "you");
  CHECK(server.force("1") == array());
  CHECK(server.ask("GET", "a") == "you");
}

TEST_CASE(
    "script lock_force_release: all holders of permits, no fence made, memory not shortened") {
  Force server;
  server.ask("ZADD", "over", 1, "0x");
  server.ask("PEXPIRE", "over", 5000);
  server.ask("HSET", "a", "you", "1 " + server.time(10));
  server.ask("HSET", "a", "me", "2 " + server.time(10), "limit", 3);
  server.ask("HSET", "a", "he", "1 " + server.time(10));
  server.ask("HSET", "queue", "w", "x");
  CHECK(server.force("1") == array("he", "me", "you"));
  CHECK(server.ask("EXISTS", "a", "fence") == integer(0));
  CHECK(server.announced() == "[w]");
  CHECK(server.deadline("over") == 5000);
  server.ask("SET", "a", "other");
  CHECK(server.force("12", 7000) == array("other"));
  CHECK(server.deadline("over") == 7000);
  // Each request repeats its own answer, in the same order. Names sort by their scores first.
  server.ask("ZADD", "over", 1, "f1 me", 0, "f1 you", 2, "f1 he");
  CHECK(server.force("1") == array("he", "me", "you"));
  CHECK(server.force("12") == array("other"));
}

TEST_CASE("script lock_look: who holds, what, and for how long") {
  ScriptServer server;
  const auto look = [&] { return server.run("lock_look", 1, "a"); };
  CHECK(look() == array());
  server.ask("SET", "a", "me");
  CHECK(look() == array(array("me", 1, -1)));
  server.ask("PEXPIRE", "a", 700);
  CHECK(look() == array(array("me", 1, 700)));
  server.ask("DEL", "a");
  server.ask("HSET", "a", "you", "2 " + server.time(900), "limit", 5);
  server.ask("HSET", "a", "me", "1 " + server.time(0), "late", "1 " + server.time(-1));
  server.ask("HSET", "a", "he", "1 " + server.time(7));
  CHECK(look() == array(array("he", 1, 7), array("me", 1, 0), array("you", 2, 900)));
}

TEST_CASE("script latch_set: made once") {
  ScriptServer server;
  const auto set = [&](const char* id, int count) {
    return server.run("latch_set", 1, "gate", id, count, 1000);
  };
  CHECK(set("me", 2) == array(1, 2));
  CHECK(server.hash("gate") == "count=2 maker=me");
  CHECK(server.deadline("gate") == 1000);
  server.redis.advance(10ms);
  const std::string before = server.everything();
  CHECK(set("me", 2) == array(1, 2));
  CHECK(set("you", 9) == array(0, 2));
  CHECK(server.everything() == before);
  server.ask("HSET", "gate", "by:1", "");
  CHECK(set("you", 9) == array(0, 1));
  server.ask("HSET", "gate", "by:2", "", "by:3", "");
  CHECK(set("me", 2) == array(1, 0));
}

TEST_CASE(
    "script latch_count_down, latch_left: each request counts once, the last one is announced") {
  ScriptServer server;
  const auto down = [&](const char* id) {
    return server.run("latch_count_down", 1, "gate", id, "over");
  };
  const auto left = [&] { return server.run("latch_left", 1, "gate"); };
  CHECK(down("1").is_null());
  CHECK(left() == array(-1));
  CHECK(server.ask("EXISTS", "gate") == integer(0));
  server.run("latch_set", 1, "gate", "me", 3, 1000);
  CHECK(left() == array(0, 1000, 3));
  CHECK(down("1") == integer(2));
  CHECK(down("1") == integer(2));
  CHECK(left() == array(0, 1000, 2));
  CHECK(down("2") == integer(1));
  CHECK(left() == array(0, 1000, 1));
  CHECK(server.announced().empty());
  CHECK(down("3") == integer(0));
  CHECK(server.announced() == "[]");
  CHECK(down("3") == integer(0));
  CHECK(server.announced().empty());
  CHECK(left() == array(1));
  CHECK(server.hash("gate") == "by:1= by:2= by:3= count=3 maker=me");
  CHECK(down("4") == integer(0));
  CHECK(left() == array(1));
}
