// Whoever caches a key that is evicted: what he hears when his own request is the reason, as
// Redis 7.0.15 answers it. A recording cannot show that: its own requests come between.
#include <string>

#include <picklock/emulator.hpp>

#include "emulator/engine/connection.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

struct EvictingServer {
  EvictingServer() {
    main.receive("CONFIG SET maxmemory 20mb maxmemory-policy volatile-random\r\n");
    cacher.receive("HELLO 3\r\n");
  }

  /// What `cacher` is told when his request is the first one after memory has become short.
  std::string told_by(std::string_view tracking) {
    cacher.receive("CLIENT TRACKING ON " + std::string{tracking} + "\r\n");
    main.receive("SET a 1 EX 1000\r\n");
    cacher.receive("GET a\r\n");
    main.receive("SETBIT big 240000000 0\r\n");
    cacher.output().clear();
    cacher.receive("DBSIZE\r\n");
    return cacher.output();
  }

  SimClock clock;
  Engine engine{Options{}, clock};
  Connection main{engine, nullptr, "a:1", "b:1"};
  Connection cacher{engine, nullptr, "a:2", "b:1"};
};

constexpr const char* kInvalidated = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n";

}  // namespace

TEST_CASE("who caches a key hears of its eviction before the reply") {
  CHECK(EvictingServer{}.told_by("") == std::string{kInvalidated} + ":1\r\n");
}

TEST_CASE("with NOLOOP he does not if it is for his own request") {
  CHECK(EvictingServer{}.told_by("NOLOOP") == ":1\r\n");
}

TEST_CASE("with BCAST he does, for it is nobody's own, and behind the reply") {
  CHECK(EvictingServer{}.told_by("BCAST NOLOOP") == ":1\r\n" + std::string{kInvalidated});
}

TEST_CASE("a smaller tracking-table-max-keys is heeded without another request") {
  Emulator redis;
  Client reader = redis.connect();
  reader.call("HELLO", 3);
  reader.call("CLIENT", "TRACKING", "ON");
  reader.call("MGET", "a", "b");
  CHECK(reader.call("CONFIG", "SET", "tracking-table-max-keys", "1") == replies::status("OK"));
  const auto told = reader.next_message();
  REQUIRE(told);
  const std::string key{told->elements()[1].elements()[0].text()};
  CHECK((key == "a" || key == "b"));
  CHECK_FALSE(reader.next_message());
}

}  // namespace picklock
