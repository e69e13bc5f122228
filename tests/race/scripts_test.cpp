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
