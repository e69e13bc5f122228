// CLIENT NO-TOUCH, CLIENT SETINFO and WAITAOF (Redis 7.2): documented, not recorded.
#include "tests/newer/newer_server.hpp"

namespace picklock::test {

TEST_CASE("the commands of 7.2 are unknown to 7.0") {
  NewerServer old("redis-7.0");
  CHECK(old("CLIENT NO-TOUCH on") == error("ERR unknown subcommand 'NO-TOUCH'. Try CLIENT HELP."));
  CHECK(old("CLIENT SETINFO lib-name x") ==
        error("ERR unknown subcommand 'SETINFO'. Try CLIENT HELP."));
  CHECK_THAT(old("WAITAOF 0 0 0").text(), Catch::StartsWith("ERR unknown command 'WAITAOF'"));
  CHECK_THAT(old("CLIENT INFO").text(), !Catch::Contains("lib-name"));
  CHECK(old("COMMAND INFO client|setinfo") == array(nil));
}

// "When turned on, the current client will not change the LRU or LFU stats of the keys it accesses,
// unless it sends the TOUCH command."
TEST_CASE("CLIENT NO-TOUCH lets looks leave no trace but for TOUCH") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0"));
  redis("SET k v");
  redis("RPUSH l a");
  redis.redis().advance(10s);
  CHECK(redis("CLIENT NO-TOUCH on") == kOk);
  CHECK_THAT(redis("CLIENT INFO").text(), Catch::Contains(" flags=T "));
  redis("GET k");
  redis("RPUSH l b");
  CHECK(redis("OBJECT IDLETIME k") == 10);
  CHECK(redis("OBJECT IDLETIME l") == 10);
  redis("TOUCH k");
  CHECK(redis("OBJECT IDLETIME k") == 0);
  CHECK(redis("CLIENT NO-TOUCH off") == kOk);
  redis("LLEN l");
  CHECK(redis("OBJECT IDLETIME l") == 0);
  CHECK(redis("CLIENT NO-TOUCH maybe") == error("ERR syntax error"));
  CHECK(redis("CLIENT NO-TOUCH").is_error());
  redis("CLIENT NO-TOUCH on");
  redis("RESET");
  CHECK_THAT(redis("CLIENT INFO").text(), Catch::Contains(" flags=N "));
}

// "Client libraries set lib-name and lib-ver; an empty value clears; RESET does not."
TEST_CASE("CLIENT SETINFO names the library for CLIENT LIST") {
  NewerServer redis;
  CHECK_THAT(redis("CLIENT INFO").text(), Catch::EndsWith(" lib-name= lib-ver=\n"));
  CHECK(redis("CLIENT SETINFO LIB-NAME picky(v1)") == kOk);
  CHECK(redis("CLIENT SETINFO lib-ver 1.2.3") == kOk);
  redis("RESET");
  CHECK_THAT(redis("CLIENT LIST").text(), Catch::EndsWith(" lib-name=picky(v1) lib-ver=1.2.3\n"));
  CHECK(redis("CLIENT SETINFO lib-name ''") == kOk);
  CHECK_THAT(redis("CLIENT INFO").text(), Catch::EndsWith(" lib-name= lib-ver=1.2.3\n"));
  CHECK(redis.client().call("CLIENT", "SETINFO", "lib-name", "a b") ==
        error("ERR lib-name cannot contain spaces, newlines or special characters."));
  CHECK(redis.client().call("CLIENT", "SETINFO", "LIB-VER", "a\n") ==
        error("ERR LIB-VER cannot contain spaces, newlines or special characters."));
  CHECK(redis("CLIENT SETINFO color red") == error("ERR Unrecognized option 'color'"));
  CHECK(redis("CLIENT SETINFO lib-name").is_error());
}

// "Returns the number of local and of replica Redises that have fsynced all writes."
TEST_CASE("WAITAOF answers as a lone primary does") {
  NewerServer redis;
  redis("SET k v");
  CHECK(redis("WAITAOF 0 0 0") == array(0, 0));
  CHECK(redis("WAITAOF 0 0 500") == array(0, 0));
  CHECK(redis("WAITAOF 1 0 0") ==
        error("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."));
  auto waiting = redis.client().send("WAITAOF", 0, 1, 500);
  CHECK(waiting.is_blocked());
  redis.redis().advance(500ms);
  CHECK(waiting.reply() == array(0, 0));
  CHECK(redis.client().call("EVAL", "return redis.call('WAITAOF', 0, 1, 0)", 0) == array(0, 0));
  redis("MULTI");
  redis("WAITAOF 0 1 0");
  CHECK(redis("EXEC") == array(array(0, 0)));
}

TEST_CASE("WAITAOF reports its errors in order") {
  NewerServer redis;
  const Reply range = error("ERR value is out of range, value must between 0 and 1");
  CHECK(redis("WAITAOF x x x") == error("ERR value is not an integer or out of range"));
  CHECK(redis("WAITAOF 2 x x") == range);
  CHECK(redis("WAITAOF -1 x x") == range);
  const Reply positive = error("ERR value is out of range, must be positive");
  CHECK(redis("WAITAOF 1 x x") == positive);
  CHECK(redis("WAITAOF 1 -1 x") == positive);
  CHECK(redis("WAITAOF 1 0 x") == error("ERR timeout is not an integer or out of range"));
  CHECK(redis("WAITAOF 1 0 -1") == error("ERR timeout is negative"));
  CHECK(redis("WAITAOF 0 0 9223372036854775807") == error("ERR timeout is out of range"));
  CHECK(redis("WAITAOF 0 0") == error("ERR wrong number of arguments for 'waitaof' command"));
}

}  // namespace picklock::test
