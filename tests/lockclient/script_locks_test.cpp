// The scripts of the lock and the fenced lock: every branch of their contracts, by what they answer
// and what they leave.
#include "tests/lockclient/script_server.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using replies::array;
using replies::integer;
using replies::nil;
using test::ScriptServer;

namespace {

/// The mark of `owner`'s row, of which its acquisition is the fifth.
std::string mark(const std::string& owner) { return "over:" + owner; }
constexpr const char* kNumber = "000000000000005";

struct Locks : ScriptServer {
  Reply acquire(const char* owner) {
    return run("lock_acquire", 3, mark(owner), "a", "over", owner, 1000, kNumber);
  }
  Reply acquire_both(const char* owner) {
    return run("multi_acquire", 5, mark(owner), "a", "b", "over", "over b", owner, 1000, kNumber);
  }
  template <class Ttl>
  Reply extend_both(const char* owner, Ttl ttl, const std::string& heard) {
    return run("lock_extend", 2, "a", "b", owner, ttl, heard);
  }
  Reply release(const char* owner, int memory = 1000) {
    return run("lock_release", 3, mark(owner), "a", "over", owner, memory, kNumber);
  }
  Reply release_both(const char* owner) {
    return run("multi_release", 5, mark(owner), "a", "b", "over", "over b", owner, 1000, kNumber);
  }
  Reply held(std::int64_t left, std::int64_t deadline) const {
    return array(1, left, start_ms + deadline);
  }
  /// Of one name, with all of its ttl left.
  Reply taken(std::int64_t deadline) const { return integer(start_ms + deadline); }
};

}  // namespace

TEST_CASE("script lock_acquire: one name") {
  Locks server;
  CHECK(server.acquire("me") == server.taken(1000));
  CHECK(server.acquire("me") == server.taken(1000));
  CHECK(server.everything().find("over") == std::string::npos);
  CHECK(server.ask("GET", "a") == "me");
  CHECK(server.deadline("a") == 1000);
  server.redis.advance(100ms);
  CHECK(server.acquire("me") == server.held(900, 1000));
  CHECK(server.acquire("you") == array(0, 900, "me"));
  CHECK(server.deadline("a") == 1000);
  server.ask("SET", "a", "stuck");
  CHECK(server.acquire("you") == array(0, -1, "stuck"));
}

TEST_CASE("script lock_acquire: what is over, or was ended by force, is over") {
  for (const bool held : {false, true}) {
    for (const char* value :
         {"000000000000005", "000000000000005.5", "000000000000006", "000000000000012.5"}) {
      Locks server;
      server.ask("SET", mark("me"), value);
      if (held) server.ask("SET", "a", "me");
      const std::string before = server.everything();
      CHECK(server.acquire("me") == array(-1));
      CHECK(server.everything() == before);
      server.ask("DEL", "a");
      CHECK(server.acquire("you") == server.taken(1000));
    }
  }
  Locks server;
  server.ask("ZADD", "over", 1, "0me");
  CHECK(server.acquire("me") == array(-1));
  CHECK(server.ask("EXISTS", "a") == integer(0));
  CHECK(server.acquire("you") == server.taken(1000));
}

TEST_CASE("scripts of locks: an acquisition is over once a later one of its row is") {
  for (const std::string script : {"lock_acquire", "multi_acquire", "fenced_acquire"}) {
    Locks server;
    const auto digits = [](int number) {
      const std::string text = std::to_string(number);
      return std::string(15 - text.size(), '0') + text;
    };
    const auto acquire = [&](int number) {
      if (script == "fenced_acquire")
        return server.run(script.c_str(), 4, "row", "a", "over", "fence", "me", 1000,
                          digits(number), 0, 0);
      return server.run(script.c_str(), 3, "row", "a", "over", "me", 1000, digits(number));
    };
    const auto release = [&](int number, const char* owner, int memory = 1000) {
      return server.run("lock_release", 3, "row", "a", "over", owner, memory, digits(number));
    };
    for (const int number : {1, 2, 9, 10}) {
      CHECK(acquire(number) != array(-1));
      CHECK(release(number, "me") == integer(1));
    }
    // What comes late of an earlier one takes nothing, and does not bring it back.
    CHECK(acquire(9) == array(-1));
    CHECK(release(9, "me") == integer(0));
    server.ask("SET", "a", "late");
    CHECK(release(9, "late", 100) == integer(1));
    CHECK(server.ask("GET", "row") == digits(10));
    CHECK(server.deadline("row") == 1000);
    CHECK(acquire(10) == array(-1));
    CHECK(acquire(11) != array(-1));
    CHECK(server.run("multi_release", 3, "row", "a", "over", "me", 1000, digits(9)) == integer(1));
    CHECK(server.ask("GET", "row") == digits(10));
    CHECK(server.run("multi_release", 3, "row", "a", "over", "me", 1000, digits(9)) == integer(0));
    CHECK(release(11, "me") == integer(0));
    CHECK(server.ask("GET", "row") == digits(11) + ".5");
    CHECK(acquire(11) == array(-1));
    CHECK(acquire(12) != array(-1));
  }
}

TEST_CASE(
    "script lock_release: the mark of one that was given up meanwhile stays as long as it was to") {
  for (const std::string script : {"lock_release", "multi_release"}) {
    Locks server;
    const auto acquire = [&](const char* owner, const char* number) {
      return server.run("lock_acquire", 3, "row", "a", "over", owner, 9000, number);
    };
    const auto release = [&](const char* name, const char* owner, int memory, const char* number) {
      return server.run(name, 3, "row", "a", "over", owner, memory, number);
    };
    CHECK(acquire("me:9", "000000000000009") == server.taken(9000));
    CHECK(acquire("me:10", "000000000000010") == array(0, 9000, "me:9"));
    CHECK(release(script.c_str(), "me:10", 5000, "000000000000010") == integer(0));
    server.redis.advance(100ms);
    // The release of the first comes late, and is to be remembered for less.
    CHECK(release("lock_release", "me:9", 50, "000000000000009") == integer(1));
    CHECK(server.deadline("row") == 5000);
    for (const char* number : {"000000000000009", "000000000000010"})
      CHECK(acquire("me:10", number) == array(-1));
    CHECK(release("lock_release", "me:9", 50, "000000000000009") == integer(0));
    CHECK(release("lock_release", "me:10", 50, "000000000000010") == integer(0));
    CHECK(server.deadline("row") == 5000);
    server.redis.advance(6s);
    CHECK(acquire("me:11", "000000000000011") == server.taken(15'100));
  }
}

TEST_CASE("script multi_acquire: all or none") {
  Locks server;
  server.ask("SET", "b", "you", "PX", 700);
  CHECK(server.acquire_both("me") == array(0, 700, "you"));
  CHECK(server.ask("GET", "a").is_null());
  server.ask("DEL", "b");
  CHECK(server.acquire_both("me") == server.held(1000, 1000));
  CHECK(server.ask("MGET", "a", "b") == array("me", "me"));
  CHECK(server.deadline("b") == 1000);
  server.redis.advance(10ms);
  CHECK(server.acquire_both("me") == server.held(990, 1000));
  // Ended by force for one of the names: over for both, and nothing is taken anew.
  for (const char* gone : {"a", "b"}) {
    server.ask("MSET", "a", "me", "b", "me");
    server.ask("DEL", gone);
    const std::string before = server.everything();
    CHECK(server.acquire_both("me") == array(-1));
    CHECK(server.everything() == before);
  }
}

TEST_CASE("script multi_acquire: two of three names are not all") {
  Locks server;
  server.ask("MSET", "a", "me", "b", "me");
  CHECK(server.run("multi_acquire", 7, mark("me"), "a", "b", "c", "over", "over b", "over c", "me",
                   1000, kNumber) == array(-1));
  CHECK(server.ask("EXISTS", "c") == integer(0));
}

TEST_CASE("script lock_acquire: what is over, or was ended by force for one name, is over") {
  for (const bool held : {false, true}) {
    for (const char* value :
         {"000000000000005", "000000000000005.5", "000000000000006", "000000000000012.5"}) {
      Locks server;
      server.ask("SET", mark("me"), value);
      if (held) server.ask("MSET", "a", "me", "b", "me");
      CHECK(server.acquire_both("me") == array(-1));
      server.ask("DEL", "a", "b");
      CHECK(server.acquire_both("you") == server.held(1000, 1000));
    }
  }
  for (const char* memory : {"over", "over b"}) {
    Locks server;
    server.ask("ZADD", memory, 1, "0me");
    CHECK(server.acquire_both("me") == array(-1));
    CHECK(server.ask("EXISTS", "a", "b") == integer(0));
    CHECK(server.acquire_both("you") == server.held(1000, 1000));
  }
}

TEST_CASE("script lock_extend: both names, only longer, once a request") {
  Locks server;
  server.acquire_both("me");
  server.redis.advance(100ms);
  CHECK(server.extend_both("me", 2000, server.time(1000)) == server.held(2000, 2100));
  CHECK(server.deadline("b") == 2100);
  CHECK(server.extend_both("me", 3000, server.time(1000)) == server.held(2000, 2100));
  CHECK(server.extend_both("me", 500, "") == server.held(2000, 2100));
  CHECK(server.extend_both("me", 3000, "") == server.held(3000, 3100));
  CHECK(server.deadline("b") == 3100);
  // Another's, or nobody's: nothing is prolonged, not even the name that is held.
  for (const char* lost : {"a", "b"}) {
    for (const bool taken : {false, true}) {
      server.ask("SET", "a", "me", "PX", 1000);
      server.ask("SET", "b", "me", "PX", 1000);
      if (taken) server.ask("SET", lost, "you", "PX", 1000);
      if (!taken) server.ask("DEL", lost);
      const std::string before = server.everything();
      CHECK(server.extend_both("me", 9000, "") == array(0));
      CHECK(server.everything() == before);
    }
  }
}

TEST_CASE("script lock_release: held, and sent again") {
  Locks server;
  server.acquire("me");
  CHECK(server.release("me") == integer(1));
  CHECK(server.announced() == "[]");
  CHECK(server.ask("EXISTS", "a") == integer(0));
  CHECK(server.ask("GET", mark("me")) == kNumber);
  CHECK(server.deadline(mark("me")) == 1000);
  server.redis.advance(10ms);
  const std::string before = server.everything();
  CHECK(server.release("me") == integer(1));
  CHECK(server.everything() == before);
  CHECK(server.announced().empty());
}

TEST_CASE("script lock_release: not held, and sent again") {
  Locks server;
  server.acquire("you");
  CHECK(server.release("me") == integer(0));
  CHECK(server.ask("GET", "a") == "you");
  CHECK(server.ask("GET", mark("me")) == std::string{kNumber} + ".5");
  CHECK(server.deadline(mark("me")) == 1000);
  server.redis.advance(10ms);
  const std::string before = server.everything();
  CHECK(server.release("me") == integer(0));
  CHECK(server.everything() == before);
  CHECK(server.announced().empty());
}

TEST_CASE("script lock_release: quietly") {
  Locks server;
  server.acquire("me");
  CHECK(server.run("lock_release", 3, mark("me"), "a", "over", "me", 1000, kNumber, "quiet") ==
        integer(1));
  CHECK(server.announced().empty());
  CHECK(server.ask("EXISTS", "a") == integer(0));
}

TEST_CASE("script lock_release: what is over is so for as long as is asked, and no longer") {
  Locks server;
  server.release("long", 5000);
  server.release("short", 100);
  server.redis.advance(100ms);
  CHECK(server.release("long", 9000) == integer(0));
  CHECK(server.deadline(mark("long")) == 5000);
  CHECK(server.acquire("short") == array(-1));
  server.redis.advance(1ms);
  CHECK(server.acquire("short") == server.taken(1101));
  CHECK(server.acquire("long") == array(-1));
}

TEST_CASE("script lock_release: also while memory is short, which lets nobody take a lock") {
  Locks server;
  server.acquire("me");
  server.ask("CONFIG", "SET", "maxmemory", "1");
  CHECK(server.acquire("me") == server.taken(1000));
  CHECK(server.acquire("you") == array(0, 1000, "me"));
  CHECK(server.release("you") == integer(0));
  CHECK(server.release("me") == integer(1));
  CHECK(server.acquire("me") == array(-1));
  CHECK(server.acquire("he").text().starts_with("OOM"));
  CHECK(server.ask("MGET", mark("me"), mark("you"), "a") ==
        array(kNumber, std::string{kNumber} + ".5", nil));
}

TEST_CASE("script multi_release: also while memory is short, which lets nobody take a lock") {
  Locks server;
  server.acquire_both("me");
  server.ask("CONFIG", "SET", "maxmemory", "1");
  CHECK(server.acquire_both("me") == server.held(1000, 1000));
  CHECK(server.acquire_both("you") == array(0, 1000, "me"));
  CHECK(server.release_both("you") == integer(0));
  CHECK(server.release_both("me") == integer(1));
  CHECK(server.acquire_both("me") == array(-1));
  CHECK(server.acquire_both("he").text().starts_with("OOM"));
  CHECK(server.ask("MGET", mark("me"), mark("you"), "a") ==
        array(kNumber, std::string{kNumber} + ".5", nil));
}

TEST_CASE("script lock_release: a hold that was ended by force was not held") {
  Locks server;
  server.acquire("me");
  CHECK(server.run("lock_force_release", 4, "a", "over", "fence", "queue", 1000, "f") ==
        array("me"));
  CHECK(server.acquire("me") == array(-1));
  CHECK(server.release("me") == integer(0));
  CHECK(server.acquire("me") == array(-1));
  CHECK(server.acquire("you") == server.taken(1000));
}

TEST_CASE("script multi_release: all names are free, and held if all were") {
  Locks server;
  server.acquire_both("me");
  CHECK(server.release_both("me") == integer(1));
  CHECK(server.ask("EXISTS", "a", "b") == integer(0));
  CHECK(server.ask("GET", mark("me")) == kNumber);
  CHECK(server.announced() == "[]");
  CHECK(server.release_both("me") == integer(1));
  for (const char* lost : {"a", "b"}) {
    server.acquire_both("next");
    server.ask("DEL", lost);
    CHECK(server.release_both("next") == integer(0));
    CHECK(server.release_both("next") == integer(0));
    CHECK(server.ask("EXISTS", "a", "b") == integer(0));
    server.ask("DEL", mark("next"));
  }
}

namespace {

struct Fence : ScriptServer {
  Fence() {
    const std::string info = client.call("INFO", "replication").text();
    const std::size_t at = info.find("master_replid:") + 14;
    server = info.substr(at, 40);
  }
  Reply acquire(const char* owner, std::int64_t epoch = 0, std::int64_t sequence = 0) {
    return run("fenced_acquire", 4, mark(owner), "a", "over", "fence", owner, 1000, kNumber, epoch,
               sequence);
  }
  /// The token that `owner` gets once the lock is free.
  std::pair<std::int64_t, std::int64_t> token(const char* owner, std::int64_t epoch = 0,
                                              std::int64_t sequence = 0) {
    ask("DEL", "a");
    const Reply taken = acquire(owner, epoch, sequence);
    REQUIRE(taken.size() == 5);
    return {taken[3].integer() - start_ms, taken[4].integer()};
  }
  using Token = std::pair<std::int64_t, std::int64_t>;
  std::string server;
};

}  // namespace

TEST_CASE("script fenced_acquire: takes and mints, and repeats its answer") {
  Fence server;
  const Reply first = server.acquire("me");
  CHECK(first == array(1, 1000, server.start_ms + 1000, server.start_ms, 1));
  CHECK(server.hash("fence") == "epoch=@0 owner=me sequence=1 server=" + server.server);
  CHECK(server.deadline("fence") == -1);
  CHECK(server.ask("GET", "a") == "me");
  server.redis.advance(100ms);
  const std::string before = server.everything();
  CHECK(server.acquire("me") == array(1, 900, server.start_ms + 1000, server.start_ms, 1));
  CHECK(server.acquire("you") == array(0, 900, "me"));
  CHECK(server.everything() == before);
}

TEST_CASE("script fenced_acquire: what is over, or has another's token, is over") {
  for (const bool forced : {false, true}) {
    Fence server;
    if (forced) server.ask("ZADD", "over", 1, "0me");
    if (!forced) server.ask("SET", mark("me"), kNumber);
    CHECK(server.acquire("me") == array(-1));
    CHECK(server.ask("EXISTS", "a") == integer(0));
    CHECK(server.token("you") == Fence::Token{0, 1});
  }
  Fence server;
  server.acquire("me");
  server.ask("HSET", "fence", "owner", "you");
  CHECK(server.acquire("me") == array(-1));
  server.ask("DEL", "fence");
  CHECK(server.acquire("me") == array(-1));
}

TEST_CASE("script fenced_acquire: tokens count up, and an epoch is later than any that is known") {
  Fence server;
  using Token = Fence::Token;
  const auto known = [&](std::int64_t ms) { return server.start_ms + ms; };
  CHECK(server.token("a") == Token{0, 1});
  server.redis.advance(10ms);
  CHECK(server.token("b") == Token{0, 2});
  CHECK(server.token("c", known(0), 2) == Token{0, 3});
  CHECK(server.token("d", known(-1), 99) == Token{0, 4});
  // The client knows of later ones than the server.
  CHECK(server.token("e", known(0), 5) == Token{10, 1});
  CHECK(server.token("f", known(11), 0) == Token{12, 1});
  CHECK(server.token("g", known(12), 2) == Token{13, 1});
  // The server is another than minted last; its clock may be behind.
  server.ask("HSET", "fence", "server", "another");
  CHECK(server.token("h") == Token{14, 1});
  CHECK(server.token("i") == Token{14, 2});
  server.redis.advance(90ms);
  server.ask("DEL", "fence");
  CHECK(server.token("j") == Token{100, 1});
}
