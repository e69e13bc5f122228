// HEXPIRE and its kin, HTTL and its kin, HPERSIST (Redis 7.4, Valkey 9.0): documented, not
// recorded.
#include "tests/newer/newer_server.hpp"

namespace picklock::test {
namespace {

const Reply kNoFields =
    error("ERR Mandatory argument FIELDS is missing or not at the right position");
const Reply kMismatch = error("ERR The `numfields` parameter must match the number of arguments");
const Reply kNotInteger = error("ERR value is not an integer or out of range");
const Reply kValkeyNumfields =
    error("ERR numfields should be greater than 0 and match the provided number of fields");

}  // namespace

// "-2: no such field or key; 0: the condition is not met; 1: set; 2: deleted, the time is past."
TEST_CASE("HEXPIRE answers a code for each field") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0", "all"));
  CHECK(redis("HEXPIRE missing 10 FIELDS 2 a b") == array(-2, -2));
  redis("HSET h a 1 b 2 c 3");
  CHECK(redis("HEXPIRE h 10 FIELDS 3 a x a") == array(1, -2, 1));
  CHECK(redis("HEXPIRE h 10 NX FIELDS 2 a b") == array(0, 1));
  CHECK(redis("HPEXPIRE h 0 FIELDS 2 b b") == array(2, -2));
  CHECK(redis("HPEXPIREAT h 1 FIELDS 1 c") == array(2));
  CHECK(redis("HGETALL h") == array("a", "1"));
  CHECK(redis("HEXPIREAT h 1 FIELDS 1 a") == array(2));
  CHECK(redis("EXISTS h") == 0);
}

TEST_CASE("HEXPIRE and its kin set the deadlines that HTTL and its kin show") {
  NewerServer redis;
  const auto now = redis.now_ms();
  redis("HSET h a 1 b 2 c 3 d 4 e 5");
  redis("HEXPIRE h 7 FIELDS 1 a");
  redis("HPEXPIRE h 7001 FIELDS 1 b");
  redis("HEXPIREAT h " + std::to_string(now / 1000 + 5) + " FIELDS 1 c");
  redis("HPEXPIREAT h " + std::to_string(now + 5400) + " FIELDS 1 d");
  CHECK(redis("HPTTL h FIELDS 6 a b c d e f") == array(7000, 7001, 5000, 5400, -1, -2));
  CHECK(redis("HTTL h FIELDS 6 a b c d e f") == array(7, 8, 5, 6, -1, -2));
  CHECK(redis("HPEXPIRETIME h FIELDS 2 b e") == array(now + 7001, -1));
  CHECK(redis("HEXPIRETIME h FIELDS 2 b x") == array(now / 1000 + 8, -2));
  for (const char* name : {"HTTL", "HPTTL", "HEXPIRETIME", "HPEXPIRETIME", "HPERSIST"})
    CHECK(redis(std::string{name} + " missing FIELDS 1 a") == array(-2));
}

TEST_CASE("Valkey rounds the seconds of HTTL to the nearest") {
  NewerServer valkey("valkey-9.0");
  valkey("HSET h a 1 b 2");
  valkey("HPEXPIRE h 7400 FIELDS 1 a");
  valkey("HPEXPIRE h 7500 FIELDS 1 b");
  CHECK(valkey("HTTL h FIELDS 2 a b") == array(7, 8));
}

// "NX: only if the field has no expiration; XX: only if it has one; GT: only if the new one is
// greater; LT: only if it is less", where none counts as infinite.
TEST_CASE("NX, XX, GT and LT decide for each field") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0"));
  redis("HSET h a 1 b 2");
  redis("HEXPIRE h 10 FIELDS 1 a");
  CHECK(redis("HEXPIRE h 20 NX FIELDS 2 a b") == array(0, 1));
  redis("HPERSIST h FIELDS 1 b");
  CHECK(redis("HEXPIRE h 20 xx FIELDS 2 a b") == array(1, 0));
  CHECK(redis("HEXPIRE h 20 GT FIELDS 2 a b") == array(0, 0));
  CHECK(redis("HEXPIRE h 21 GT FIELDS 2 a b") == array(1, 0));
  CHECK(redis("HEXPIRE h 21 LT FIELDS 1 a") == array(0));
  CHECK(redis("HEXPIRE h 19 LT FIELDS 2 a b") == array(1, 1));
  CHECK(redis("HTTL h FIELDS 2 a b") == array(19, 19));
  CHECK(redis("HPEXPIRE h 0 GT FIELDS 1 a") == array(0));
  CHECK(redis("HPEXPIRE h 0 LT FIELDS 1 a") == array(2));
}

TEST_CASE("HPERSIST takes deadlines away") {
  NewerServer redis;
  redis("HSET h a 1 b 2");
  redis("HEXPIRE h 10 FIELDS 1 a");
  CHECK(redis("HPERSIST h FIELDS 3 a b x") == array(1, -1, -2));
  CHECK(redis("HTTL h FIELDS 1 a") == array(-1));
  redis.redis().advance(11s);
  CHECK(redis("HLEN h") == 2);
  CHECK_FALSE(redis.redis().next_event());
}

TEST_CASE("Redis reports the errors of HEXPIRE in order") {
  NewerServer redis;
  redis("SET s v");
  redis("HSET h a 1");
  CHECK(redis("HEXPIRE h 10 FIELDS 1") ==
        error("ERR wrong number of arguments for 'hexpire' command"));
  CHECK(redis("HEXPIRE s x NO 0 a") == kWrongType);
  CHECK(redis("HEXPIRE h x NO 0 a") == kNotInteger);
  CHECK(redis("HEXPIRE h -1 NO 0 a") == error("ERR invalid expire time, must be >= 0"));
  const Reply too_late = error("ERR invalid expire time in 'hexpire' command");
  CHECK(redis("HEXPIRE h 9223372036854775807 NO 0 a") == too_late);
  CHECK(redis("HEXPIRE h 70368744177 NO 0 a") == too_late);
  CHECK(redis("HPEXPIREAT h 70368744177664 FIELDS 1 a") ==
        error("ERR invalid expire time in 'hpexpireat' command"));
  CHECK(redis("HPEXPIREAT h 70368744177663 FIELDS 1 a") == array(1));
  CHECK(redis("HEXPIRE h 10 NO 0 a") == kNoFields);
  CHECK(redis("HEXPIRE h 10 NX XX FIELDS 1 a") == kNoFields);
  CHECK(redis("HEXPIRE h 10 FIELDS 1 a NX") == kMismatch);
  const Reply bad_count = error("ERR Parameter `numFields` should be greater than 0");
  for (const char* count : {"0", "-1", "x"})
    CHECK(redis(std::string{"HEXPIRE h 10 FIELDS "} + count + " a") == bad_count);
  CHECK(redis("HEXPIRE h 10 NX FIELDS a") == bad_count);
  CHECK(redis("HEXPIRE h 10 FIELDS 2 a") == kMismatch);
  CHECK(redis("HEXPIRE h 10 FIELDS 1 a b") == kMismatch);
}

TEST_CASE("Redis reports the errors of HTTL and HPERSIST in order") {
  NewerServer redis;
  redis("SET s v");
  redis("HSET h a 1");
  for (const std::string name : {"HTTL", "HPTTL", "HEXPIRETIME", "HPEXPIRETIME", "HPERSIST"}) {
    INFO(name);
    CHECK(redis(name + " s NO 0 a") == kWrongType);
    CHECK(redis(name + " h NO 0 a") == kNoFields);
    for (const std::string count : {"0", "x", "-1"})
      CHECK(redis(name + " h FIELDS " + count + " a") ==
            error("ERR Number of fields must be a positive integer"));
    CHECK(redis(name + " h FIELDS 2 a") == kMismatch);
    CHECK(redis(name + " h FIELDS 1 a b") == kMismatch);
    CHECK(redis(name + " h FIELDS 1").is_error());
  }
}

TEST_CASE("Valkey reports the errors of its hash field commands") {
  NewerServer valkey("valkey-9.0");
  valkey("SET s v");
  valkey("HSET h a 1");
  CHECK(valkey("HEXPIRE h 10 NX 1 a") == kValkeyNumfields);
  CHECK(valkey("HEXPIRE h 10 FIELDS 0 a") == kValkeyNumfields);
  CHECK(valkey("HEXPIRE h 10 FIELDS 2 a") == kValkeyNumfields);
  CHECK(valkey("HEXPIRE h 10 FIELDS x a") == kNotInteger);
  CHECK(valkey("HEXPIRE h 10 FOO FIELDS 1 a") == error("ERR Unsupported option FOO"));
  CHECK(valkey("HEXPIRE h 10 NX GT FIELDS 1 a") ==
        error("ERR NX and XX, GT or LT options at the same time are not compatible"));
  CHECK(valkey("HEXPIRE h 10 LT GT FIELDS 1 a") ==
        error("ERR GT and LT options at the same time are not compatible"));
  CHECK(valkey("HEXPIRE s x FIELDS 1 a") == kNotInteger);
  CHECK(valkey("HEXPIRE h -1 FIELDS 1 a") == error("ERR invalid expire time in 'hexpire' command"));
  CHECK(valkey("HEXPIRE s 1 FIELDS 1 a") == kWrongType);
  CHECK(valkey("HTTL h FIELDS 2 a") == error("ERR syntax error"));
  CHECK(valkey("HTTL h FIELDS x a") == kNotInteger);
  CHECK(valkey("HTTL s FIELDS 1 a") == kWrongType);
  CHECK(valkey("HPERSIST h FIELDS 2 a") == kValkeyNumfields);
  CHECK(valkey("HPERSIST s FIELDS 1 a") == kWrongType);
}

TEST_CASE("a field lives through its deadline's millisecond and is an event of its own") {
  NewerServer redis;
  redis("HSET h a 1 b 2");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  CHECK(redis.redis().next_event() == kDefaultStart + 11ms);
  redis.redis().advance(10ms);
  CHECK(redis("HGET h a") == "1");
  CHECK(redis("HPTTL h FIELDS 1 a") == array(0));
  redis.redis().advance(1ms);
  CHECK(redis("HGET h a") == nil);
  CHECK_FALSE(redis.redis().inspect().field("h", "a"));
  CHECK(redis.redis().inspect().field("h", "b") == "2");
  CHECK_FALSE(redis.redis().next_event());
}

TEST_CASE("nobody sees an expired field, even without active expiry") {
  NewerServer redis;
  redis("DEBUG SET-ACTIVE-EXPIRE 0");
  redis("HSET h a 1 b 2 c 3");
  redis("HPEXPIRE h 10 FIELDS 2 a c");
  redis.redis().advance(11ms);
  CHECK_FALSE(redis.redis().inspect().field("h", "a"));
  CHECK(redis.redis().dump() == "db0 \"h\" hash {\"b\": \"2\"}\n");
  CHECK(redis("HGETALL h") == array("b", "2"));
  CHECK(redis("HLEN h") == 1);
  CHECK(redis("HEXISTS h a") == 0);
  CHECK(redis("HKEYS h") == array("b"));
  CHECK(redis("HMGET h a b") == array(nil, "2"));
  CHECK(redis("HSCAN h 0") == array("0", array("b", "2")));
  CHECK(redis("HRANDFIELD h 5") == array("b"));
  CHECK(redis("HSTRLEN h a") == 0);
  CHECK(redis("HSETNX h a 9") == 1);
  CHECK(redis("HTTL h FIELDS 1 a") == array(-1));
  CHECK(redis("HINCRBY h c 1") == 1);
}

TEST_CASE("the key goes with its last field, told as hexpired and del") {
  NewerServer redis;
  redis.watch_events();
  redis("HSET h a 1 b 2");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  redis("HPEXPIRE h 20 FIELDS 1 b");
  redis.events();
  redis.redis().advance(11ms);
  CHECK(redis.events() == "hexpired h");
  redis.redis().advance(10ms);
  CHECK(redis.events() == "hexpired h, del h");
  CHECK(redis("EXISTS h") == 0);
  CHECK(redis("DBSIZE") == 0);
}

TEST_CASE("a hash whose fields have all expired is gone before anybody looks") {
  NewerServer redis;
  redis("DEBUG SET-ACTIVE-EXPIRE 0");
  redis("HSET h a 1");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  redis.redis().advance(11ms);
  CHECK_FALSE(redis.redis().inspect().exists("h"));
  CHECK(redis.redis().dump().empty());
  CHECK(redis("TYPE h") == status("none"));
  CHECK(redis("SET h v NX") == kOk);
}

TEST_CASE("what is done to fields is told") {
  NewerServer redis;
  redis.watch_events();
  const auto told = [&](std::string_view line) {
    redis(line);
    return redis.events();
  };
  CHECK(told("HSET h a 1 b 2") == "hset h");
  CHECK(told("HEXPIRE h 10 FIELDS 2 a x") == "hexpire h");
  CHECK(told("HEXPIRE h 10 NX FIELDS 1 a").empty());
  CHECK(told("HPERSIST h FIELDS 2 a b") == "hpersist h");
  CHECK(told("HPERSIST h FIELDS 1 a").empty());
  CHECK(told("HEXPIRE h 0 FIELDS 1 a") == "hdel h");
  CHECK(told("HEXPIRE h 0 FIELDS 1 b") == "hdel h, del h");
  NewerServer valkey("valkey-9.0");
  valkey("HSET h a 1");
  valkey.watch_events();
  valkey("HEXPIRE h 0 FIELDS 1 a");
  CHECK(valkey.events() == "hexpired h, del h");
}

TEST_CASE("HSET and HDEL clear a field's deadline, HINCRBY keeps it") {
  NewerServer redis;
  redis("HSET h a 1 b 2 c 3 d 4 e 5");
  redis("HEXPIRE h 10 FIELDS 5 a b c d e");
  redis("HSET h a 9");
  redis("HINCRBY h b 1");
  redis("HINCRBYFLOAT h c 1.5");
  redis("HDEL h d");
  redis("HSET h d 4");
  redis("HMSET h e 4");
  CHECK(redis("HTTL h FIELDS 5 a b c d e") == array(-1, 10, 10, -1, -1));
  redis.redis().advance(11s);
  CHECK(redis("HKEYS h") == array("a", "e", "d"));
}

TEST_CASE("COPY, RENAME, MOVE and SWAPDB take the deadlines of fields along") {
  NewerServer redis;
  redis("HSET h a 1 b 2");
  redis("HEXPIRE h 10 FIELDS 1 a");
  redis("COPY h copy");
  redis("COPY h other DB 1");
  redis("RENAME h renamed");
  redis("MOVE renamed 2");
  redis("SWAPDB 2 3");
  redis("SELECT 3");
  CHECK(redis("HTTL renamed FIELDS 2 a b") == array(10, -1));
  redis("SELECT 1");
  CHECK(redis("HTTL other FIELDS 2 a b") == array(10, -1));
  redis("SELECT 0");
  CHECK(redis("HTTL copy FIELDS 2 a b") == array(10, -1));
  redis("HPERSIST copy FIELDS 1 a");
  redis.redis().advance(10001ms);
  CHECK(redis.redis().dump() ==
        "db0 \"copy\" hash {\"a\": \"1\", \"b\": \"2\"}\ndb1 \"other\" hash {\"b\": \"2\"}\n"
        "db3 \"renamed\" hash {\"b\": \"2\"}\n");
}

TEST_CASE("snapshots keep the deadlines of fields") {
  NewerServer redis;
  redis("HSET h a 1 b 2");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  const Snapshot before = redis.redis().snapshot();
  redis.redis().advance(11ms);
  CHECK(redis("HLEN h") == 1);
  Emulator other{before};
  auto client = other.connect();
  CHECK(NewerServer::ask(client, "HPTTL h FIELDS 1 a") == array(10));
  CHECK(other.next_event() == kDefaultStart + 11ms);
  NewerServer::ask(client, "HPEXPIRE h 5 FIELDS 1 a");
  redis.redis().restore(before);
  CHECK(redis("HPTTL h FIELDS 1 a") == array(10));
  CHECK(redis.redis().next_event() == kDefaultStart + 11ms);
}

TEST_CASE("fields do not expire half-way through a transaction or a script") {
  NewerServer redis;
  redis("HSET h a 1");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  redis("MULTI");
  redis("DEBUG SLEEP 0.02");
  redis("HGET h a");
  CHECK(redis("EXEC") == array(kOk, "1"));
  CHECK(redis("HGET h a") == nil);
}

TEST_CASE("a watched hash that loses a field to time makes EXEC fail") {
  NewerServer redis;
  redis("HSET h a 1 b 2");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  redis("WATCH h");
  redis.redis().advance(11ms);
  redis("MULTI");
  redis("PING");
  CHECK(redis("EXEC") == nil);
}

TEST_CASE("a hash with deadlines has an encoding of its own") {
  NewerServer redis;
  redis("HSET h a 1");
  CHECK(redis("OBJECT ENCODING h") == "listpack");
  redis("HEXPIRE h 10 FIELDS 1 a");
  CHECK(redis("OBJECT ENCODING h") == "listpackex");
  redis("HPERSIST h FIELDS 1 a");
  CHECK(redis("OBJECT ENCODING h") == "listpackex");
  redis("HSET h b " + std::string(65, 'x'));
  CHECK(redis("OBJECT ENCODING h") == "hashtable");
  NewerServer valkey("valkey-9.0");
  valkey("HSET h a 1");
  valkey("HEXPIRE h 10 FIELDS 1 a");
  CHECK(valkey("OBJECT ENCODING h") == "hashtable");
}

TEST_CASE("INFO counts hashes with deadlines and fields that have expired") {
  NewerServer redis;
  redis("HSET h a 1 b 2");
  redis("HPEXPIRE h 10 FIELDS 1 a");
  CHECK(redis("INFO keyspace") == "# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0,subexpiry=1\r\n");
  redis.redis().advance(11ms);
  CHECK(redis("INFO keyspace") == "# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0,subexpiry=0\r\n");
  CHECK_THAT(redis("INFO stats").text(), Catch::Contains("expired_subkeys:1\r\n"));
}

TEST_CASE("the index of fields' deadlines does not grow with every change") {
  NewerServer redis;
  redis("HSET h a 1");
  for (int i = 1; i <= 10'000; ++i)
    redis.client().call("HPEXPIRE", "h", 1000 + i, "FIELDS", 1, "a");
  CHECK(redis.redis().next_event() == kDefaultStart + 11'001ms);
  redis.redis().advance(11'001ms);
  CHECK(redis("EXISTS h") == 0);
}

}  // namespace picklock::test
