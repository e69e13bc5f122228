// What the README lists as differing from Redis on purpose, a test for each row.
#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace picklock::replies;

TEST_CASE("difference: DEBUG may be used without configuration") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("CONFIG", "GET", "enable-debug-command") ==
        array("enable-debug-command", "yes"));
  CHECK(client.call("DEBUG", "SLEEP", 0) == status("OK"));
}

TEST_CASE("difference: keys and fields come in order of creation") {
  Emulator redis;
  auto client = redis.connect();
  for (const char* name : {"zebra", "apple", "mango"}) {
    client.call("SET", name, "1");
    client.call("HSET", "hash", name, "1");
  }
  CHECK(client.call("KEYS", "*") == array("zebra", "hash", "apple", "mango"));
  CHECK(client.call("HKEYS", "hash") == array("zebra", "apple", "mango"));
}

TEST_CASE("difference: ACL names commands in alphabetical order") {
  Emulator redis;
  auto client = redis.connect();
  client.call("ACL", "SETUSER", "alice", "+strlen", "+append", "+get");
  CHECK(client.call("ACL", "LIST")[0] == "user alice off resetchannels -@all +append +get +strlen");
  CHECK(client.call("ACL", "CAT", "transaction") ==
        array("discard", "exec", "multi", "unwatch", "watch"));
}

TEST_CASE("difference: INFO and CLIENT LIST say the same on every machine and run") {
  const auto say = [] {
    Emulator redis;
    auto client = redis.connect();
    redis.advance(1h);
    return client.call("INFO", "everything").text() + client.call("CLIENT", "LIST").text();
  };
  const std::string text = say();
  CHECK_THAT(text, Catch::Contains("process_id:1\r\n"));
  CHECK_THAT(text, Catch::Contains("used_memory:862848\r\n"));
  CHECK_THAT(text, Catch::Contains("used_cpu_user:0.000000\r\n"));
  CHECK_THAT(text, Catch::Contains("uptime_in_seconds:3600\r\n"));
  CHECK_THAT(text, Catch::Contains(" tot-mem=0 "));
  CHECK(say() == text);
}

TEST_CASE("difference: a runaway script is stopped by its instructions, not by a client") {
  Options options;
  options.script_budget = 10'000;
  Emulator redis{options};
  auto client = redis.connect();
  const Reply reply = client.call("EVAL", "while true do end", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::StartsWith("ERR Script killed by user with SCRIPT KILL"));
}

TEST_CASE("difference: a script that wants more than 1 GiB is refused") {
  Emulator redis;
  auto client = redis.connect();
  const Reply reply =
      client.call("EVAL", "local s = string.rep('x', 2^29) return #(s .. s .. s)", 0);
  REQUIRE(reply.is_error());
  CHECK_THAT(reply.text(), Catch::Contains("not enough memory"));
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("difference: objects in scripts have numbers, not addresses") {
  Emulator redis;
  auto client = redis.connect();
  const Reply first = client.call("EVAL", "return tostring({}) .. tostring({})", 0);
  CHECK_THAT(first.text(), Catch::StartsWith("table: 0x"));
  CHECK(client.call("EVAL", "return tostring({}) .. tostring({})", 0) == first);
}

// Redis hashes every byte of a string since 7.0 (its pull request 9449); PUC Lua 5.1 leaves some
// out of 32 and more.
TEST_CASE("difference: string keys of 32 bytes and more may stand elsewhere in a table") {
  Emulator redis;
  auto client = redis.connect();
  constexpr std::string_view kScript =
      "local t = {1, 2} t[redis.sha1hex('\\195\\164')] = 3 table.insert(t, -2, 4) "
      "local keys = {} for key in pairs(t) do keys[#keys + 1] = tostring(key):sub(1, 3) end "
      "return table.concat(keys, ' ')";
  CHECK(client.call("EVAL", kScript, 0).text() == "3 2 -2 961");  // Redis: 961 2 -2 3.
}

TEST_CASE("difference: raising a table without an error text is an error, and no crash") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("EVAL", "error({'a'})", 0).is_error());
  CHECK(client.call("EVAL", "error({ok='a'})", 0).is_error());
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("difference: RESTORE looks closely at a payload") {
  Emulator redis;
  auto client = redis.connect();
  client.call("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1);
  const std::string twice{
      "\4\2\1f\1v\1f\1w\n\0"
      "00000000",
      20};
  CHECK(client.call("CONFIG", "GET", "sanitize-dump-payload") ==
        array("sanitize-dump-payload", "no"));
  CHECK(client.call("RESTORE", "k", 0, twice) == error("ERR Bad data format"));
}

TEST_CASE("difference: DEBUG refuses what would end the process") {
  Emulator redis;
  auto client = redis.connect();
  for (const char* word : {"SEGFAULT", "PANIC", "ASSERT", "OOM", "RESTART", "CRASH-AND-RECOVER",
                           "LOADAOF", "CLIENT-EVICTION", "CONFIG-REWRITE-FORCE-ALL"})
    CHECK(client.call("DEBUG", word) ==
          error("ERR DEBUG " + std::string{word} + " is not supported by this emulator"));
  CHECK(client.call("DEBUG", "HTSTATS-KEY", "k") ==
        error("ERR DEBUG HTSTATS-KEY is not supported by this emulator"));
  CHECK(client.call("DEBUG", "RELOAD", "NOSAVE").is_error());
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("difference: MEMORY says the same on every machine and run") {
  Emulator redis;
  auto client = redis.connect();
  client.call("EVAL", "for i = 1, 1000 do redis.call('SADD', KEYS[1], 'm' .. i) end", 1, "s");
  CHECK(client.call("MEMORY", "USAGE", "s", "SAMPLES", 0) == 40'296);
  CHECK(client.call("MEMORY", "STATS")[1] == 0);
  CHECK_THAT(client.call("MEMORY", "DOCTOR").text(), Catch::StartsWith("Hi Sam"));
  CHECK(client.call("MEMORY", "MALLOC-STATS") == "Stats not supported for the current allocator");
}

TEST_CASE("difference: equal numbers have each a time of use of their own") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "a", 7);
  redis.advance(10s);
  client.call("SET", "b", 7);
  CHECK(client.call("OBJECT", "IDLETIME", "a") == 10);
  CHECK(client.call("OBJECT", "IDLETIME", "b") == 0);
}

TEST_CASE("difference: a command uses a key once, however often it looks it up") {
  Emulator redis;
  auto client = redis.connect();
  client.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu", "lfu-log-factor", 0);
  client.call("SET", "k", "v");
  CHECK(client.call("OBJECT", "FREQ", "k") == 5);
  client.call("MGET", "k", "k", "k");
  CHECK(client.call("OBJECT", "FREQ", "k") == 6);
}

TEST_CASE("difference: PICKLOCK is a command of its own") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("PICKLOCK", "NOW") == 1'577'836'800'000);
  CHECK(client.call("EVAL", "return redis.pcall('PICKLOCK', 'NOW').err", 0) ==
        "ERR Unknown Redis command called from script");
  CHECK(client.call("COMMAND", "LIST", "FILTERBY", "PATTERN", "picklock*").size() == 0);
}

TEST_CASE("difference: a replica's primary never answers, and nobody can become a replica") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("PSYNC", "?", -1) == error("ERR Unable to perform background save"));
  CHECK(client.call("REPLICAOF", "127.0.0.1", 6379) == status("OK"));
  redis.advance(1h);
  CHECK(client.call("ROLE") == array("slave", "127.0.0.1", 6379, "connect", -1));
}

TEST_CASE("difference: nothing is saved, and so saving ends at once") {
  Emulator redis;
  auto client = redis.connect();
  redis.advance(1s);
  CHECK(client.call("BGSAVE") == status("Background saving started"));
  CHECK(client.call("BGSAVE") == status("Background saving started"));
  CHECK(client.call("LASTSAVE") == to_unix_ms(redis.now()) / 1000);
}

TEST_CASE("difference: SHUTDOWN does not end the program that embeds the emulator") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("SHUTDOWN", "NOSAVE") == error("ERR Errors trying to SHUTDOWN. Check logs."));
  CHECK(client.is_connected());
}

TEST_CASE("difference: memory is counted the same everywhere, and eviction follows the seed") {
  const auto left = [](std::uint64_t seed) {
    Options options;
    options.seed = seed;
    Emulator redis{options};
    auto client = redis.connect();
    client.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
    for (int i = 0; i < 100; ++i)
      client.call("SET", "key:" + std::to_string(i), std::string(900, 'v'));
    const Snapshot before = redis.snapshot();
    client.call("CONFIG", "SET", "maxmemory", 862'848 + 50'000);
    const std::string dump = redis.dump();
    CHECK(redis.inspect().keys().size() == 51);
    redis.restore(before);
    CHECK(redis.inspect().keys().size() == 100);
    client.call("CONFIG", "SET", "maxmemory", 862'848 + 50'000);
    CHECK(redis.dump() == dump);
    return dump;
  };
  CHECK(left(1) == left(1));
  CHECK(left(1) != left(2));
}

TEST_CASE("difference: SCRIPT DEBUG knows no debugger") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("SCRIPT", "DEBUG", "NO") == status("OK"));
  for (const char* mode : {"YES", "SYNC"})
    CHECK(client.call("SCRIPT", "DEBUG", mode) == error("ERR Use SCRIPT DEBUG YES/SYNC/NO"));
}

TEST_CASE("difference: DEBUG POPULATE makes only so much at once") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("DEBUG", "POPULATE", "9223372036854775807") ==
        error("ERR DEBUG POPULATE: that is more than this emulator makes at once"));
}

TEST_CASE("difference: HRANDFIELD, SRANDMEMBER and ZRANDMEMBER draw only so much at once") {
  Emulator redis;
  auto client = redis.connect();
  client.call("HSET", "h", "f", "v");
  client.call("SADD", "s", "m");
  client.call("ZADD", "z", 1, "m");
  const Reply refused = error("ERR that is more than this emulator draws at once");
  for (const char* count : {"-16777217", "-9223372036854775807"}) {
    CHECK(client.call("HRANDFIELD", "h", count) == refused);
    CHECK(client.call("SRANDMEMBER", "s", count) == refused);
    CHECK(client.call("ZRANDMEMBER", "z", count) == refused);
    CHECK(client.call("SRANDMEMBER", "none", count) == array());
  }
  CHECK(client.call("HRANDFIELD", "h", "-4611686018427387903", "WITHVALUES") == refused);
  CHECK(client.call("ZRANDMEMBER", "z", "-4611686018427387903", "WITHSCORES") == refused);
  CHECK(client.call("SRANDMEMBER", "s", -2) == array("m", "m"));
}

TEST_CASE("difference: INFO counts unsaved changes by keys") {
  Emulator redis;
  auto client = redis.connect();
  const auto unsaved = [&] {
    const std::string text = client.call("INFO", "persistence").text();
    const std::string name = "rdb_changes_since_last_save:";
    return std::stoi(text.substr(text.find(name) + name.size()));
  };
  const auto more_by = [&](auto... words) {
    const int before = unsaved();
    client.call(words...);
    return unsaved() - before;
  };
  CHECK(more_by("SET", "k", "v") == 1);
  CHECK(more_by("MSET", "k", 1, "l", 2) == 2);
  CHECK(more_by("DEL", "k", "l", "none") == 2);
  CHECK(more_by("RPUSH", "list", "a", "b", "c") == 1);  // Redis: 3
  CHECK(more_by("LPOP", "list", 3) == 2);               // Redis: 3
  CHECK(more_by("XGROUP", "CREATE", "stream", "group", "$", "MKSTREAM") == 1);
  CHECK(more_by("XGROUP", "CREATE", "stream", "other", "$") == 0);  // Redis: 1
  client.call("SAVE");
  CHECK(unsaved() == 0);
}

TEST_CASE("difference: LOLWUT draws no picture") {
  Emulator redis;
  auto client = redis.connect();
  CHECK(client.call("LOLWUT", "VERSION", 5).text() == "Redis ver. 7.0.15\n");
}

TEST_CASE("difference: SORT takes good numbers after one that was out of range") {
  Emulator redis;
  auto client = redis.connect();
  client.call("RPUSH", "small", "1e-320");
  CHECK(client.call("SORT", "small").is_error());
  client.call("RPUSH", "good", "2", "1");
  CHECK(client.call("SORT", "good") == array("1", "2"));
}

TEST_CASE(
    "difference: a client that waits for the end of a pause is left alone by CLIENT UNBLOCK") {
  Emulator redis;
  auto alice = redis.connect();
  auto bob = redis.connect();
  CHECK(alice.call("CLIENT", "PAUSE", "1000", "WRITE") == status("OK"));
  auto waiting = bob.send("SET", "k", "v");
  CHECK(alice.call("CLIENT", "UNBLOCK", std::to_string(bob.id())) == 0);
  CHECK(waiting.is_blocked());
  redis.advance(std::chrono::milliseconds{1001});
  CHECK(waiting.reply() == status("OK"));
}

TEST_CASE("difference: a client that has turned its replies off gets nil for each") {
  Emulator redis;
  auto alice = redis.connect();
  CHECK(alice.call("CLIENT", "REPLY", "OFF") == nil);
  CHECK(alice.call("SET", "k", "v") == nil);
  CHECK(alice.call("CLIENT", "REPLY", "ON") == status("OK"));
  CHECK(alice.call("GET", "k") == "v");
}

// Redis 7.0.15 begins at 3: it has two clients of its own for scripts.
TEST_CASE("difference: the ids of clients begin at 1") {
  Emulator redis;
  auto alice = redis.connect();
  CHECK(alice.call("CLIENT", "ID") == 1);
}

}  // namespace
}  // namespace picklock
