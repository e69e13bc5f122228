// What a profile changes: the commands there are, and what the server calls itself.
#include <algorithm>

#include "tests/newer/newer_server.hpp"

namespace picklock::test {
namespace {

const std::vector<std::string> kRedisOnly{"delex", "digest", "hgetdel", "msetex"};
const std::vector<std::string> kValkeyOnly{"delifeq"};
const std::vector<std::string> kBoth{"hexpire",  "hexpireat", "hexpiretime", "hgetex",
                                     "hpersist", "hpexpire",  "hpexpireat",  "hpexpiretime",
                                     "hpttl",    "hsetex",    "httl"};

bool lists(NewerServer& server, const std::string& name) {
  const Reply names = server("COMMAND LIST");
  return std::ranges::any_of(names.elements(), [&](const Reply& each) { return each == name; });
}

bool has(NewerServer& server, const std::string& name) {
  const bool known = !server(name).text().starts_with("ERR unknown command");
  CHECK(lists(server, name) == known);
  CHECK(server("COMMAND INFO " + name)[0].is_null() == !known);
  return known;
}

}  // namespace

TEST_CASE("a profile has the commands of its server, and no other shows them") {
  struct {
    const char* profile;
    bool redis, valkey, both;
  } const cases[] = {{"redis-7.0", false, false, false},
                     {"redis-8.4", true, false, true},
                     {"valkey-9.0", false, true, true},
                     {"all", true, true, true}};
  for (const auto& expected : cases) {
    INFO(expected.profile);
    NewerServer server(expected.profile);
    for (const auto& name : kRedisOnly) CHECK(has(server, name) == expected.redis);
    for (const auto& name : kValkeyOnly) CHECK(has(server, name) == expected.valkey);
    for (const auto& name : kBoth) CHECK(has(server, name) == expected.both);
    CHECK(server("COMMAND COUNT").integer() == static_cast<std::int64_t>(server("COMMAND").size()));
  }
}

TEST_CASE("Redis 7.0 answers a newer command as an unknown one, in scripts too") {
  NewerServer redis("redis-7.0");
  CHECK(redis("HTTL h FIELDS 1 a") ==
        error("ERR unknown command 'HTTL', with args beginning with: 'h' 'FIELDS' '1' 'a' "));
  CHECK_THAT(redis.client().call("EVAL", "return redis.call('DELEX', 'k')", 0).text(),
             Catch::Contains("Unknown Redis command called from script"));
  CHECK_THAT(redis("COMMAND GETKEYS DELEX k").text(), Catch::Contains("Invalid command specified"));
}

TEST_CASE("INFO, HELLO and scripts name the server of the profile") {
  struct {
    const char *profile, *server, *version, *redis_version;
    std::int64_t number;
  } const cases[] = {{"redis-7.0", "redis", "7.0.15", "7.0.15", 0x7000f},
                     {"redis-8.4", "redis", "8.4.0", "8.4.0", 0x80400},
                     {"valkey-9.0", "valkey", "9.0.0", "7.2.4", 0x70204},
                     {"all", "redis", "8.4.0", "8.4.0", 0x80400}};
  for (const auto& expected : cases) {
    INFO(expected.profile);
    NewerServer server(expected.profile);
    const Reply hello = server("HELLO");
    CHECK(hello[1] == expected.server);
    CHECK(hello[3] == expected.version);
    CHECK_THAT(server("INFO server").text(),
               Catch::Contains(std::string{"redis_version:"} + expected.redis_version + "\r\n"));
    CHECK(server.client().call("EVAL", "return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}",
                               0) == array(expected.redis_version, expected.number));
  }
}

TEST_CASE("only Valkey's INFO has Valkey's lines") {
  NewerServer valkey("valkey-9.0");
  const std::string text = valkey("INFO server").text();
  CHECK_THAT(text, Catch::Contains("redis_version:7.2.4\r\nserver_name:valkey\r\n"
                                   "valkey_version:9.0.0\r\nvalkey_release_stage:ga\r\n"));
  CHECK_THAT(text, Catch::Contains("server_mode:standalone"));
  for (const char* profile : {"redis-7.0", "redis-8.4", "all"}) {
    NewerServer redis(profile);
    CHECK_THAT(redis("INFO server").text(), !Catch::Contains("valkey"));
    CHECK_THAT(redis("INFO server").text(), Catch::Contains("redis_mode:standalone"));
  }
}

TEST_CASE("a snapshot brings its profile along") {
  NewerServer redis("redis-8.4");
  NewerServer old("redis-7.0");
  const char* const kScript = "return redis.REDIS_VERSION";
  CHECK(old.client().call("EVAL", kScript, 0) == "7.0.15");
  old.redis().restore(redis.redis().snapshot());
  auto client = old.redis().connect();
  CHECK(NewerServer::ask(client, "DELEX k") == 0);
  CHECK(client.call("EVAL", kScript, 0) == "8.4.0");
}

TEST_CASE("an unknown profile is refused with the names of those there are") {
  Options options;
  options.profile = "redis-9.9";
  CHECK_THROWS_WITH(Emulator{options},
                    Catch::Contains("'redis-9.9'") && Catch::Contains("valkey-9.0"));
}

}  // namespace picklock::test
