// HGETEX, HSETEX (Redis 8.0, Valkey 9.0), HGETDEL (Redis 8.0): documented, not recorded.
#include "tests/newer/newer_server.hpp"

namespace picklock::test {
namespace {

const Reply kNoFields =
    error("ERR Mandatory argument FIELDS is missing or not at the right position");
const Reply kMismatch = error("ERR The `numfields` parameter must match the number of arguments");
const Reply kBadCount = error("ERR Number of fields must be a positive integer");
const Reply kNotInteger = error("ERR value is not an integer or out of range");
const Reply kSyntax = error("ERR syntax error");
const Reply kValkeyNumfields =
    error("ERR numfields should be greater than 0 and match the provided number of fields");

}  // namespace

TEST_CASE("HGETDEL answers the values and deletes the fields") {
  NewerServer redis;
  redis.watch_events();
  CHECK(redis("HGETDEL missing FIELDS 2 a b") == array(nil, nil));
  redis("HSET h a 1 b 2 c 3");
  redis.events();
  CHECK(redis("HGETDEL h FIELDS 3 a x a") == array("1", nil, nil));
  CHECK(redis.events() == "hdel h");
  CHECK(redis("HGETDEL h FIELDS 1 x") == array(nil));
  CHECK(redis.events().empty());
  CHECK(redis("HGETDEL h fields 2 b c") == array("2", "3"));
  CHECK(redis.events() == "hdel h, del h");
  CHECK(redis("EXISTS h") == 0);
}

TEST_CASE("HGETDEL reports its errors in order") {
  NewerServer redis;
  redis("SET s v");
  redis("HSET h a 1");
  CHECK(redis("HGETDEL s NO 0 a") == kWrongType);
  CHECK(redis("HGETDEL h NO 0 a") == kNoFields);
  for (const char* count : {"0", "-1", "x"})
    CHECK(redis(std::string{"HGETDEL h FIELDS "} + count + " a") == kBadCount);
  CHECK(redis("HGETDEL h FIELDS 2 a") == kMismatch);
  CHECK(redis("HGETDEL h FIELDS 1") ==
        error("ERR wrong number of arguments for 'hgetdel' command"));
  CHECK(redis("HLEN h") == 1);
}

// "HGETEX: get the values and set or remove the expiration"; without an option it only reads.
TEST_CASE("HGETEX answers the values and changes deadlines") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0", "all"));
  CHECK(redis("HGETEX missing EX 10 FIELDS 2 a b") == array(nil, nil));
  CHECK(redis("EXISTS missing") == 0);
  redis("HSET h a 1 b 2");
  CHECK(redis("HGETEX h FIELDS 2 a x") == array("1", nil));
  CHECK(redis("HGETEX h EX 10 FIELDS 1 a") == array("1"));
  CHECK(redis("HPTTL h FIELDS 2 a b") == array(10'000, -1));
  redis("HGETEX h FIELDS 1 a");
  CHECK(redis("HPTTL h FIELDS 1 a") == array(10'000));
  redis("HGETEX h PX 77 FIELDS 1 a");
  CHECK(redis("HPTTL h FIELDS 1 a") == array(77));
  const auto now = redis.now_ms();
  redis("HGETEX h EXAT " + std::to_string(now / 1000 + 3) + " FIELDS 1 a");
  CHECK(redis("HPEXPIRETIME h FIELDS 1 a") == array(now / 1000 * 1000 + 3000));
  redis("HGETEX h PXAT " + std::to_string(now + 3) + " FIELDS 1 a");
  CHECK(redis("HPEXPIRETIME h FIELDS 1 a") == array(now + 3));
  CHECK(redis("HGETEX h PERSIST FIELDS 2 a b") == array("1", "2"));
  CHECK(redis("HTTL h FIELDS 1 a") == array(-1));
  CHECK(redis("HGETEX h PXAT 1 FIELDS 2 a a") == array("1", nil));
  CHECK(redis("HGETEX h PX 0 FIELDS 1 b") == array("2"));
  CHECK(redis("EXISTS h") == 0);
}

TEST_CASE("HGETEX tells what it did") {
  NewerServer redis;
  redis.watch_events();
  const auto told = [&](std::string_view line) {
    redis(line);
    return redis.events();
  };
  redis("HSET h a 1 b 2");
  redis.events();
  CHECK(told("HGETEX h FIELDS 1 a").empty());
  CHECK(told("HGETEX h PERSIST FIELDS 1 a").empty());
  CHECK(told("HGETEX h EX 9 FIELDS 2 a x") == "hexpire h");
  CHECK(told("HGETEX h PERSIST FIELDS 2 a b") == "hpersist h");
  CHECK(told("HGETEX h PXAT 1 FIELDS 1 a") == "hdel h");
  CHECK(told("HGETEX h PXAT 1 FIELDS 1 b") == "hdel h, del h");
}

TEST_CASE("Redis reports the errors of HGETEX in order") {
  NewerServer redis;
  redis("SET s v");
  redis("HSET h a 1");
  CHECK(redis("HGETEX s EX x NO 0") == kWrongType);
  CHECK(redis("HGETEX h EX x NO 0") == kNotInteger);
  CHECK(redis("HGETEX h EX -1 NO 0") == error("ERR invalid expire time, must be >= 0"));
  CHECK(redis("HGETEX h EX 70368744178 FIELDS 1 a") ==
        error("ERR invalid expire time in 'hgetex' command"));
  CHECK(redis("HGETEX h EX 10 NO 0") == kNoFields);
  CHECK(redis("HGETEX h EX 10 PERSIST FIELDS 1 a") == kNoFields);
  CHECK(redis("HGETEX h KEEPTTL FIELDS 1 a") == kNoFields);
  CHECK(redis("HGETEX h FIELDS 0 a") == kBadCount);
  CHECK(redis("HGETEX h EX 10 FIELDS") == kBadCount);
  CHECK(redis("HGETEX h EX 10 FIELDS 2 a") == kMismatch);
  CHECK(redis("HGETEX h FIELDS 1 a EX 10") == kMismatch);
  CHECK(redis("HGETEX h FIELDS 1") == error("ERR wrong number of arguments for 'hgetex' command"));
}

// "HSETEX: 1 if all the fields were set, 0 if none was."
TEST_CASE("HSETEX sets fields with a deadline") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0", "all"));
  CHECK(redis("HSETEX h EX 10 FIELDS 2 a 1 b 2") == 1);
  CHECK(redis("HPTTL h FIELDS 2 a b") == array(10'000, 10'000));
  CHECK(redis("HSETEX h KEEPTTL FIELDS 2 a 3 c 3") == 1);
  CHECK(redis("HPTTL h FIELDS 2 a c") == array(10'000, -1));
  CHECK(redis("HSETEX h FIELDS 1 a 4") == 1);
  CHECK(redis("HPTTL h FIELDS 1 a") == array(-1));
  CHECK(redis("HSETEX h px 77 FIELDS 1 a 5") == 1);
  CHECK(redis("HPTTL h FIELDS 1 a") == array(77));
  const auto now = redis.now_ms();
  CHECK(redis("HSETEX h EXAT " + std::to_string(now / 1000 + 3) + " FIELDS 1 a 6") == 1);
  CHECK(redis("HEXPIRETIME h FIELDS 1 a") == array(now / 1000 + 3));
  CHECK(redis("HSETEX h PXAT " + std::to_string(now + 3) + " FIELDS 1 a 7") == 1);
  CHECK(redis("HPEXPIRETIME h FIELDS 1 a") == array(now + 3));
  CHECK(redis("HGETALL h") == array("a", "7", "b", "2", "c", "3"));
}

// "FNX: only set the fields if none of them already exist; FXX: only if all of them do."
TEST_CASE("HSETEX FNX and FXX set all fields or none") {
  NewerServer redis(GENERATE("redis-8.4", "valkey-9.0"));
  CHECK(redis("HSETEX h FXX FIELDS 1 a 1") == 0);
  CHECK(redis("EXISTS h") == 0);
  CHECK(redis("HSETEX h FNX EX 5 FIELDS 2 a 1 b 2") == 1);
  CHECK(redis("HSETEX h FNX FIELDS 2 b 3 c 3") == 0);
  CHECK(redis("HSETEX h FXX FIELDS 2 b 3 c 3") == 0);
  CHECK(redis("HGETALL h") == array("a", "1", "b", "2"));
  CHECK(redis("HSETEX h EX 9 fxx FIELDS 2 a 4 b 4") == 1);
  CHECK(redis("HTTL h FIELDS 2 a b") == array(9, 9));
  redis.redis().advance(9001ms);
  CHECK(redis("HSETEX h FNX FIELDS 1 a 1") == 1);
}

TEST_CASE("HSETEX with a past deadline deletes the fields") {
  NewerServer redis;
  redis.watch_events();
  CHECK(redis("HSETEX h PXAT 1 FIELDS 1 a 1") == 1);
  CHECK(redis.events() == "hset h, hdel h, del h");
  CHECK(redis("EXISTS h") == 0);
  redis("HSET h a 1 b 2");
  redis.events();
  CHECK(redis("HSETEX h EX 0 FIELDS 1 a 5") == 1);
  CHECK(redis.events() == "hset h, hdel h");
  CHECK(redis("HSETEX h EX 5 FIELDS 1 b 5") == 1);
  CHECK(redis.events() == "hset h, hexpire h");
  CHECK(redis("HSETEX h FIELDS 1 b 5") == 1);
  CHECK(redis.events() == "hset h");
  NewerServer valkey("valkey-9.0");
  valkey.watch_events();
  CHECK(valkey("HSETEX h PXAT 1 FIELDS 1 a 1") == 1);
  CHECK(valkey.events() == "hset h, hexpire h, hexpired h, del h");
}

TEST_CASE("Redis reports the errors of HSETEX where it meets them") {
  NewerServer redis;
  redis("SET s v");
  const Reply arity = error("ERR wrong number of arguments for 'hsetex' command");
  CHECK(redis("HSETEX s FIELDS 1 a") == arity);
  CHECK(redis("HSETEX s FIELDS 1 a 1") == kWrongType);
  CHECK(redis("HSETEX s BOGUS FIELDS 1 a 1") == error("ERR unknown argument: BOGUS"));
  CHECK(redis("HSETEX h FNX FXX FIELDS 1 a 1") ==
        error("ERR Only one of FXX or FNX arguments can be specified"));
  const Reply expirations =
      error("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
  CHECK(redis("HSETEX h EX 60 KEEPTTL FIELDS 1 a 1") == expirations);
  CHECK(redis("HSETEX h KEEPTTL PX 60 FIELDS 1 a 1") == expirations);
  CHECK(redis("HSETEX h EX 60 EX 60 FIELDS 1 a 1") == expirations);
  CHECK(redis("HSETEX h FNX EX x FIELDS 1 a 1") == kNotInteger);
  CHECK(redis("HSETEX h EX -1 FIELDS 1 a 1") == error("ERR invalid expire time, must be >= 0"));
  CHECK(redis("HSETEX h EXAT 70368744178 FIELDS 1 a 1") ==
        error("ERR invalid expire time in 'hsetex' command"));
  for (const char* count : {"0", "x", "-1", "2147483648"})
    CHECK(redis(std::string{"HSETEX h FIELDS "} + count + " a 1") ==
          error("ERR invalid number of fields"));
  CHECK(redis("HSETEX h FIELDS 2 a 1") == arity);
  CHECK(redis("HSETEX h FIELDS 1 a 1 b") == arity);
  CHECK(redis("HSETEX h FIELDS 1 a 1 EX 10") == arity);
  CHECK(redis("HSETEX h FNX EX 10 FIELDS") == arity);
  CHECK(redis("HSETEX h FNX EX 10 KEEPTTL") == expirations);
  CHECK(redis("EXISTS h") == 0);
}

TEST_CASE("Valkey reports the errors of HSETEX and HGETEX") {
  NewerServer valkey("valkey-9.0");
  valkey("SET s v");
  CHECK(valkey("HSETEX h FNX EX 10 KEEPTTL") == kValkeyNumfields);
  CHECK(valkey("HSETEX h FIELDS 2 a 1") == kValkeyNumfields);
  CHECK(valkey("HSETEX h FIELDS 1 a 1 b") == kValkeyNumfields);
  CHECK(valkey("HSETEX h FIELDS x a 1") == kNotInteger);
  CHECK(valkey("HSETEX h BOGUS FIELDS 1 a 1") == kSyntax);
  CHECK(valkey("HSETEX h FNX FXX FIELDS 1 a 1") == kSyntax);
  CHECK(valkey("HSETEX h EX 1 KEEPTTL FIELDS 1 a 1") == kSyntax);
  CHECK(valkey("HSETEX h GET FIELDS 1 a 1") == kSyntax);
  CHECK(valkey("HSETEX s EX x FIELDS 1 a 1") == kWrongType);
  CHECK(valkey("HSETEX h EX x FIELDS 1 a 1") == kNotInteger);
  CHECK(valkey("HSETEX h EX -1 FIELDS 1 a 1") ==
        error("ERR invalid expire time in 'hsetex' command"));
  CHECK(valkey("HSETEX h XX FIELDS 1 a 1") == 0);
  CHECK(valkey("HSETEX h NX FIELDS 1 a 1") == 1);
  CHECK(valkey("HSETEX h NX FIELDS 1 b 1") == 0);
  CHECK(valkey("HSETEX h XX FNX FIELDS 1 b 1") == 1);
  CHECK(valkey("HGETEX h FIELDS 3 a b") == kValkeyNumfields);
  CHECK(valkey("HGETEX h EX 1 PERSIST FIELDS 1 a") == kSyntax);
  CHECK(valkey("HGETEX h KEEPTTL FIELDS 1 a") == kSyntax);
  CHECK(valkey("HGETEX s EX x FIELDS 1 a") == kWrongType);
  CHECK(valkey("HGETEX h EX x FIELDS 1 a") == kNotInteger);
}

}  // namespace picklock::test
