// SET IFEQ/IFNE/IFDEQ/IFDNE, DELEX, DIGEST, MSETEX (Redis 8.4), DELIFEQ and SET IFEQ (Valkey):
// documented, not recorded.
#include "tests/newer/newer_server.hpp"

namespace picklock::test {
namespace {

const Reply kSyntax = error("ERR syntax error");
const Reply kBadDigest = error("ERR must be exactly 16 hexadecimal characters");

}  // namespace

// "The hash digest is the XXH3 hash of the value, a fixed-length hexadecimal string."
TEST_CASE("DIGEST answers the XXH3-64 of a string in 16 digits") {
  NewerServer redis;
  redis.client().call("SET", "k", "Hello world");
  CHECK(redis("DIGEST k") == "b6acb9d84a38ff74");
  redis("SET k ''");
  CHECK(redis("DIGEST k") == "2d06800538d394c2");
  redis("SET k v8");
  CHECK(redis("DIGEST k") == "0cc76dbb41381419");
  redis("SET k 123");
  CHECK(redis("DIGEST k") == "404a763b3f4c8c9a");
  CHECK(redis("DIGEST missing") == nil);
  redis("RPUSH l a");
  CHECK(redis("DIGEST l") == kWrongType);
  CHECK(redis("DIGEST") == error("ERR wrong number of arguments for 'digest' command"));
  CHECK(redis("DIGEST k k") == error("ERR wrong number of arguments for 'digest' command"));
}

// "IFEQ: set the key only if its value equals the given one; a missing key is not created."
TEST_CASE("SET IFEQ sets what has the value and makes nothing") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0", "all"));
  CHECK(redis("SET k new IFEQ old") == nil);
  CHECK(redis("EXISTS k") == 0);
  redis("SET k old");
  CHECK(redis("SET k new ifeq other") == nil);
  CHECK(redis("GET k") == "old");
  CHECK(redis("SET k new IFEQ old PX 50") == kOk);
  CHECK(redis("GET k") == "new");
  CHECK(redis("PTTL k") == 50);
  CHECK(redis("SET k newer IFEQ new KEEPTTL") == kOk);
  CHECK(redis("PTTL k") == 50);
  CHECK(redis("SET k newest IFEQ newer") == kOk);
  CHECK(redis("PTTL k") == -1);
}

// "IFNE: set the key only if its value differs; a missing key is created."
TEST_CASE("SET IFNE sets what differs and makes what is missing") {
  NewerServer redis;
  CHECK(redis("SET k a IFNE x") == kOk);
  CHECK(redis("SET k b IFNE a") == nil);
  CHECK(redis("SET k b IFNE x") == kOk);
  CHECK(redis("GET k") == "b");
}

TEST_CASE("SET IFDEQ and IFDNE compare digests in any case of letters") {
  NewerServer redis;
  CHECK(redis("SET k hello IFDEQ 9555e8555c62dcfd") == nil);
  CHECK(redis("EXISTS k") == 0);
  CHECK(redis("SET k hello IFDNE 9555e8555c62dcfd") == kOk);
  CHECK(redis("SET k x IFDNE 9555E8555C62DCFD") == nil);
  CHECK(redis("SET k x IFDEQ 0000000000000000") == nil);
  CHECK(redis("SET k x IFDEQ 9555E8555C62dcfd") == kOk);
  CHECK(redis("GET k") == "x");
  CHECK(redis("SET k y IFDEQ 123") == kBadDigest);
  CHECK(redis("SET k y IFDNE ''") == kBadDigest);
  CHECK(redis("SET k y IFDNE 09555e8555c62dcfd") == kBadDigest);
  CHECK(redis("SET k y IFDEQ zzzzzzzzzzzzzzzz") == nil);
  CHECK(redis("GET k") == "x");
}

// "GET: return the old string, or nil if the key did not exist", whether it was set or not.
TEST_CASE("SET with a condition and GET answers the old value either way") {
  NewerServer redis;
  CHECK(redis("SET k a IFEQ x GET") == nil);
  CHECK(redis("EXISTS k") == 0);
  CHECK(redis("SET k a GET IFNE x") == nil);
  CHECK(redis("SET k b IFEQ x GET") == "a");
  CHECK(redis("SET k b IFEQ a GET") == "a");
  CHECK(redis("GET k") == "b");
}

TEST_CASE("SET with a condition wants a string and only one condition") {
  NewerServer redis;
  redis("HSET h f v");
  for (const char* line : {"SET h v IFEQ v", "SET h v IFNE v", "SET h v IFEQ v GET",
                           "SET h v IFDEQ 9555e8555c62dcfd", "SET h v IFDNE 9555e8555c62dcfd"}) {
    INFO(line);
    CHECK(redis(line) == kWrongType);
  }
  for (const char* line : {"SET k v IFEQ", "SET k v IFEQ a NX", "SET k v XX IFNE a",
                           "SET k v IFEQ a IFNE b", "SET k v IFDEQ a IFDNE b", "GETEX k IFEQ a"}) {
    INFO(line);
    CHECK(redis(line) == kSyntax);
  }
}

TEST_CASE("the conditions of SET belong to their profiles") {
  NewerServer old("redis-7.0");
  for (const char* line : {"SET k v IFEQ a", "SET k v IFNE a", "SET k v IFDEQ 9555e8555c62dcfd"})
    CHECK(old(line) == kSyntax);
  NewerServer valkey("valkey-9.0");
  CHECK(valkey("SET k v IFNE a") == kSyntax);
  CHECK(valkey("SET k v IFDEQ 9555e8555c62dcfd") == kSyntax);
}

TEST_CASE("DELEX deletes any key, and with a condition a string that meets it") {
  NewerServer redis;
  CHECK(redis("DELEX k") == 0);
  redis("RPUSH k a");
  CHECK(redis("DELEX k") == 1);
  redis("SET k hello");
  CHECK(redis("DELEX k IFEQ other") == 0);
  CHECK(redis("DELEX k IFNE hello") == 0);
  CHECK(redis("DELEX k IFDEQ 0000000000000000") == 0);
  CHECK(redis("DELEX k IFDNE 9555E8555c62dcfd") == 0);
  CHECK(redis("EXISTS k") == 1);
  CHECK(redis("DELEX k ifeq hello") == 1);
  for (const char* condition : {"IFNE other", "IFDEQ 9555E8555c62dcfd", "IFDNE zzzzzzzzzzzzzzzz"}) {
    redis("SET k hello");
    CHECK(redis(std::string{"DELEX k "} + condition) == 1);
    CHECK(redis("EXISTS k") == 0);
  }
}

TEST_CASE("DELEX compares bytes, not numbers") {
  NewerServer redis;
  redis("SET k 0123");
  CHECK(redis("DELEX k IFEQ 123") == 0);
  CHECK(redis("DELEX k IFEQ 0123") == 1);
}

// A missing key is 0 before the condition is looked at; a wrong number of words comes even before.
TEST_CASE("DELEX reports its errors in order") {
  NewerServer redis;
  CHECK(redis("DELEX missing FOO bar") == 0);
  CHECK(redis("DELEX missing IFDEQ bar") == 0);
  redis("RPUSH l a");
  for (const char* condition : {"IFEQ", "IFNE", "IFDEQ", "IFDNE", "FOO"})
    CHECK(redis(std::string{"DELEX l "} + condition + " a") ==
          error("ERR Key should be of string type if conditions are specified"));
  redis("SET k hello");
  CHECK(redis("DELEX k FOO hello") ==
        error("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE"));
  for (const char* digest : {"''", "0123", "9555e8555c62dcf", "09555e8555c62dcfd"}) {
    CHECK(redis(std::string{"DELEX k IFDEQ "} + digest) == kBadDigest);
    CHECK(redis(std::string{"DELEX k IFDNE "} + digest) == kBadDigest);
  }
  for (const char* line : {"DELEX", "DELEX k IFEQ", "DELEX k IFEQ hello x", "DELEX missing IFEQ"})
    CHECK(redis(line) == error("ERR wrong number of arguments for 'delex' command"));
  CHECK(redis("GET k") == "hello");
}

TEST_CASE("DELIFEQ deletes a string that has the value") {
  NewerServer redis(GENERATE("valkey-9.0", "all"));
  CHECK(redis("DELIFEQ k v") == 0);
  redis("SET k v");
  CHECK(redis("DELIFEQ k V") == 0);
  CHECK(redis("DELIFEQ k v") == 1);
  CHECK(redis("EXISTS k") == 0);
  redis("RPUSH l v");
  CHECK(redis("DELIFEQ l v") == kWrongType);
  CHECK(redis("DELIFEQ l") == error("ERR wrong number of arguments for 'delifeq' command"));
}

TEST_CASE("a conditional deletion is told, wakes EXEC, and works in scripts") {
  NewerServer redis("all");
  redis.watch_events();
  auto other = redis.redis().connect();
  for (const char* line : {"DELEX k IFEQ v", "DELIFEQ k v"}) {
    redis("SET k v");
    redis("WATCH k");
    redis.events();
    CHECK(NewerServer::ask(other, line) == 1);
    CHECK(redis.events() == "del k");
    redis("MULTI");
    redis("PING");
    CHECK(redis("EXEC") == nil);
  }
  redis("SET k v");
  CHECK(redis.client().call("EVAL", "return redis.call('DELEX', KEYS[1], 'IFEQ', ARGV[1])", 1, "k",
                            "v") == 1);
}

// "MSETEX numkeys key value ...: 0 if none of the keys were set, 1 if all of them were."
TEST_CASE("MSETEX sets all keys or none") {
  NewerServer redis;
  CHECK(redis("MSETEX 2 a 1 b 2") == 1);
  CHECK(redis("MGET a b") == array("1", "2"));
  CHECK(redis("MSETEX 2 a 3 c 3 NX") == 0);
  CHECK(redis("MSETEX 2 a 3 c 3 XX") == 0);
  CHECK(redis("MGET a b c") == array("1", "2", nil));
  CHECK(redis("MSETEX 1 c 3 nx EX 5") == 1);
  CHECK(redis("MSETEX 2 a 3 c 4 XX PX 70") == 1);
  CHECK(redis("PTTL a") == 70);
  CHECK(redis("MSETEX 2 a 5 b 5 KEEPTTL") == 1);
  CHECK(redis("PTTL a") == 70);
  CHECK(redis("PTTL b") == -1);
  CHECK(redis("MSETEX 1 a 5") == 1);
  CHECK(redis("PTTL a") == -1);
  const auto now = redis.now_ms();
  CHECK(redis("MSETEX 1 a 5 EXAT " + std::to_string(now / 1000 + 9)) == 1);
  CHECK(redis("EXPIRETIME a") == now / 1000 + 9);
  CHECK(redis("MSETEX 1 a 5 PXAT " + std::to_string(now + 9)) == 1);
  CHECK(redis("PEXPIRETIME a") == now + 9);
  redis("RPUSH l x");
  CHECK(redis("MSETEX 1 l 1 XX") == 1);
  CHECK(redis("TYPE l") == status("string"));
}

TEST_CASE("MSETEX refuses what does not fit") {
  NewerServer redis;
  CHECK(redis("MSETEX 1 k") == error("ERR wrong number of arguments for 'msetex' command"));
  for (const char* line : {"MSETEX key1 val1 ex 10", "MSETEX 0 a 1", "MSETEX -1 a 1",
                           "MSETEX 2147483648 key1 val1 ex 10"})
    CHECK(redis(line) == error("ERR invalid numkeys value"));
  for (const char* line : {"MSETEX 2 key1 val1 key2", "MSETEX 2147483647 key1 val1 ex 10"})
    CHECK(redis(line) == error("ERR wrong number of key-value pairs"));
  for (const char* line :
       {"MSETEX 1 a 1 invalid", "MSETEX 1 a 1 NX XX", "MSETEX 1 a 1 EX 10 PX 50",
        "MSETEX 1 a 1 KEEPTTL EX 1", "MSETEX 1 a 1 EX 1 KEEPTTL", "MSETEX 1 a 1 EX",
        "MSETEX 1 a 1 GET", "MSETEX 1 a 1 b 2", "MSETEX 1 a 1 IFEQ 2", "MSETEX 1 a 1 PERSIST"}) {
    INFO(line);
    CHECK(redis(line) == kSyntax);
  }
  CHECK(redis("MSETEX 1 a 1 EX x") == error("ERR value is not an integer or out of range"));
  for (const char* line : {"MSETEX 1 a 1 EX 0", "MSETEX 1 a 1 PX -5"})
    CHECK(redis(line) == error("ERR invalid expire time in 'msetex' command"));
  CHECK(redis("DBSIZE") == 0);
}

TEST_CASE("MSETEX tells of each key and names its keys") {
  NewerServer redis;
  redis.watch_events();
  redis("MSETEX 2 a 1 b 2 EX 5");
  CHECK(redis.events() == "set a, expire a, set b, expire b");
  CHECK(redis("COMMAND GETKEYS MSETEX 2 a 1 b 2 NX") == array("a", "b"));
}

}  // namespace picklock::test
