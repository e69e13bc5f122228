#include "lua/scripts.hpp"

#include <fstream>
#include <sstream>

#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

using namespace picklock;

TEST_CASE("every lock script is embedded as it stands in its file") {
  REQUIRE_FALSE(scripts::all().empty());
  for (const scripts::Script& script : scripts::all()) {
    INFO(script.name);
    std::ifstream file{"../lua/scripts/" + std::string{script.name} + ".lua"};
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(text.str() == script.source);
    CHECK(scripts::find(script.name) == script.source);
  }
  CHECK(scripts::find("no such script").empty());
}

TEST_CASE("every lock script says what it takes and replies, and compiles") {
  Emulator redis;
  Client client = redis.connect();
  for (const scripts::Script& script : scripts::all()) {
    INFO(script.name);
    CHECK(script.source.find("-- KEYS[1]") != std::string_view::npos);
    CHECK(script.source.find("-- Replies") != std::string_view::npos);
    CHECK(client.call("SCRIPT", "LOAD", script.source).type() == Reply::Type::bulk);
  }
}

namespace {
/// A script called with one key.
class Caller {
 public:
  explicit Caller(Emulator& redis) : client_(redis.connect()) {}
  template <class... Arguments>
  Reply operator()(std::string_view script, const Arguments&... arguments) {
    return client_.call("EVAL", scripts::find(script), 1, "lock", arguments...);
  }

 private:
  Client client_;
};
}  // namespace

TEST_CASE("simple-setnx takes the lock once, for its ttl, and frees it for its owner only") {
  Emulator redis;
  Caller call{redis};
  CHECK(call("simple_setnx_acquire", "alice", 30) == 1);
  CHECK(call("simple_setnx_acquire", "bob", 30) == 0);
  CHECK(redis.inspect().deadline("lock") == redis.now() + std::chrono::seconds{30});
  CHECK(call("simple_setnx_release", "bob") == 0);
  CHECK(call("simple_setnx_release", "alice") == 1);
  CHECK_FALSE(redis.inspect().exists("lock"));
}

TEST_CASE("simple-setnx without a usable ttl never expires") {
  for (const char* ttl : {"0", "-5", "nan", "soon", ""}) {
    INFO(ttl);
    Emulator redis;
    Caller call{redis};
    CHECK(call("simple_setnx_acquire", "alice", ttl) == 1);
    CHECK_FALSE(redis.inspect().deadline("lock").has_value());
  }
}

TEST_CASE("simple-setnx with a fractional ttl fails and keeps the lock for ever") {
  Emulator redis;
  Caller call{redis};
  CHECK(call("simple_setnx_acquire", "alice", "1.5").is_error());
  CHECK(redis.inspect().string("lock") == "alice");
  CHECK_FALSE(redis.inspect().deadline("lock").has_value());
}

TEST_CASE("reentrant-hash counts its owner's holds and shuts others out") {
  Emulator redis;
  Caller call{redis};
  CHECK(call("reentrant_hash_acquire", "alice", 30) == 1);
  CHECK(call("reentrant_hash_acquire", "alice", 30) == 1);
  CHECK(redis.inspect().field("lock", "alice") == "2");
  CHECK(call("reentrant_hash_acquire", "bob", 30) == 0);
  CHECK(call("reentrant_hash_release", "bob") == 0);
  CHECK(call("reentrant_hash_release", "alice") == 1);
  CHECK(redis.inspect().exists("lock"));
  CHECK(call("reentrant_hash_release", "alice") == 1);
  CHECK_FALSE(redis.inspect().exists("lock"));
}

TEST_CASE("set-nx-px takes milliseconds and frees by token") {
  Emulator redis;
  Caller call{redis};
  CHECK(call("set_nx_px_acquire", "t1", 1500) == 1);
  CHECK(call("set_nx_px_acquire", "t2", 1500) == 0);
  CHECK(redis.inspect().deadline("lock") == redis.now() + std::chrono::milliseconds{1500});
  CHECK(call("set_nx_px_release", "t2") == 0);
  CHECK(call("set_nx_px_release", "t1") == 1);
}

TEST_CASE("reentrant-hget renews the ttl at every hold, and frees the lock at the last release") {
  Emulator redis;
  Caller call{redis};
  CHECK(call("reentrant_hget_acquire", "alice", 1000) == 1);
  CHECK(call("reentrant_hget_acquire", "alice", 5000) == 1);
  CHECK(redis.inspect().deadline("lock") == redis.now() + std::chrono::seconds{5});
  CHECK(call("reentrant_hget_acquire", "bob", 1000) == 0);
  CHECK(call("reentrant_hget_release", "bob") == 0);
  CHECK(call("reentrant_hget_release", "alice") == 1);
  CHECK(redis.inspect().field("lock", "alice") == "1");
  CHECK(call("reentrant_hget_release", "alice") == 1);
  CHECK_FALSE(redis.inspect().exists("lock"));
  CHECK(call("reentrant_hget_acquire", "alice", 0) == 1);  // Its known weakness.
  CHECK_FALSE(redis.inspect().exists("lock"));
}

TEST_CASE("reentrant-renew answers nil, 0 and 1 to a release") {
  Emulator redis;
  Caller call{redis};
  for (const char* release : {"reentrant_renew_release", "reentrant_renew_client_release"}) {
    INFO(release);
    CHECK(call("reentrant_renew_acquire", "alice", 10) == 1);
    CHECK(call("reentrant_renew_acquire", "alice", 10) == 1);
    CHECK(call("reentrant_renew_acquire", "bob", 10) == 0);
    for (const char* renew : {"reentrant_renew_renew", "reentrant_renew_client_renew"}) {
      CHECK(call(renew, "bob", 99) == 0);
      CHECK(call(renew, "alice", 20) == 1);
      CHECK(redis.inspect().deadline("lock") == redis.now() + std::chrono::seconds{20});
    }
    CHECK(call(release, "bob").is_null());
    CHECK(call(release, "alice") == 0);
    CHECK(call(release, "alice") == 1);
    CHECK(call(release, "alice").is_null());
  }
}

TEST_CASE("setex-unpack answers strings") {
  Emulator redis;
  Caller call{redis};
  CHECK(call("setex_unpack_release", "alice") == "-1");
  CHECK(call("setex_unpack_acquire", 30, "alice") == "1");
  CHECK(call("setex_unpack_acquire", 30, "bob") == "0");
  CHECK(call("setex_unpack_release", "bob") == "0");
  CHECK(call("setex_unpack_release", "alice") == "1");
  CHECK(call("setex_unpack_acquire", 0, "alice").is_error());
  CHECK_FALSE(redis.inspect().exists("lock"));
}
