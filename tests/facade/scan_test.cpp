// What SCAN and its relatives promise, over whole iterations.
#include <map>
#include <string>

#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

/// How often each element comes in a whole iteration; `between` runs after each call.
template <class Call, class Between>
std::map<std::string, int> iterate(Call&& call, Between&& between) {
  std::map<std::string, int> seen;
  std::string cursor = "0";
  do {
    const Reply reply = call(cursor);
    cursor = reply[0].text();
    for (const Reply& element : reply[1].elements()) ++seen[element.text()];
    between();
  } while (cursor != "0");
  return seen;
}

TEST_CASE("SCAN returns every key that is there throughout, once, while others come and go") {
  Emulator redis;
  auto client = redis.connect();
  for (int i = 0; i < 500; ++i) client.call("SET", "stays:" + std::to_string(i), "v");
  int step = 0;
  const auto seen =
      iterate([&](const std::string& cursor) { return client.call("SCAN", cursor, "COUNT", 7); },
              [&] {
                // Enough of them that the table is rebuilt under the iteration several times.
                for (int i = 0; i < 40; ++i) client.call("SET", "goes:" + std::to_string(i), step);
                for (int i = 0; i < 40; ++i) client.call("DEL", "goes:" + std::to_string(i));
                ++step;
              });
  CHECK(step >= 500 / 7);
  for (int i = 0; i < 500; ++i) CHECK(seen.at("stays:" + std::to_string(i)) == 1);
}

TEST_CASE("SSCAN of a large set honours COUNT and returns every member") {
  Emulator redis;
  auto client = redis.connect();
  for (int i = 0; i < 300; ++i) client.call("SADD", "s", "m" + std::to_string(i));
  int calls = 0;
  const auto seen = iterate(
      [&](const std::string& cursor) { return client.call("SSCAN", "s", cursor, "COUNT", 100); },
      [&] { ++calls; });
  CHECK(calls == 3);
  CHECK(seen.size() == 300);
}

TEST_CASE("a sorted set is scanned at once until it is larger than the setting allows") {
  Emulator redis;
  auto client = redis.connect();
  client.call("CONFIG", "SET", "zset-max-listpack-entries", 20);
  for (int i = 0; i < 20; ++i) client.call("ZADD", "z", i, "m" + std::to_string(i));
  CHECK(client.call("ZSCAN", "z", "0")[0] == "0");
  client.call("ZADD", "z", 20, "m20");
  CHECK_FALSE(client.call("ZSCAN", "z", "0")[0] == "0");
}

TEST_CASE("HSCAN honours COUNT in a hash that was large once") {
  Emulator redis;
  auto client = redis.connect();
  client.call("HSET", "h", "a", "1", "b", "2");
  CHECK(client.call("HSCAN", "h", "0", "COUNT", "1")[0] == "0");
  client.call("HSET", "h", "c", std::string(65, 'x'));
  client.call("HDEL", "h", "c");
  CHECK_FALSE(client.call("HSCAN", "h", "0", "COUNT", "1")[0] == "0");
}

}  // namespace
}  // namespace picklock
