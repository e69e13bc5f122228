// The scripts of the well-known protocols, faults and all: what they answer, what they leave, and
// for how long.
#include "tests/lockclient/script_server.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using replies::bulk;
using replies::integer;

namespace {

struct KnownScript : test::ScriptServer {
  explicit KnownScript(const char* name) : name_(name) {}

  template <class... Words>
  Reply operator()(const Words&... words) {
    return run(name_, 1, "a", words...);
  }
  /// Another script on the same server.
  template <class... Words>
  Reply also(const char* script, const Words&... words) {
    return run(script, 1, "a", words...);
  }
  /// What the lock is: "value" or "field=count", and its deadline; empty if it is not there.
  std::string lock() {
    if (ask("EXISTS", "a") == integer(0)) return {};
    const bool is_hash = redis.inspect().type("a") == "hash";
    const std::string value = is_hash ? hash("a") : ask("GET", "a").text();
    return value + ' ' + std::to_string(deadline("a"));
  }

 private:
  const char* name_;
};

bool fails(const Reply& reply) { return reply.is_error(); }

}  // namespace

TEST_CASE("script simple_setnx: a ttl in seconds or none, and one owner") {
  KnownScript acquire{"simple_setnx_acquire"};
  CHECK(acquire("me", 2) == integer(1));
  CHECK(acquire.lock() == "me 2000");
  acquire.redis.advance(10ms);
  CHECK(acquire("me", 9) == integer(0));
  CHECK(acquire("you", 9) == integer(0));
  CHECK(acquire.lock() == "me 2000");
  CHECK(acquire.also("simple_setnx_release", "you") == integer(0));
  CHECK(acquire.lock() == "me 2000");
  CHECK(acquire.also("simple_setnx_release", "me") == integer(1));
  CHECK(acquire.lock().empty());
  CHECK(acquire.also("simple_setnx_release", "me") == integer(0));
  for (const char* ttl : {"0", "-1", "nan", "soon"}) {
    KnownScript forever{"simple_setnx_acquire"};
    INFO("ttl " << ttl);
    CHECK(forever("me", ttl) == integer(1));
    CHECK(forever.lock() == "me -1");
  }
  KnownScript without{"simple_setnx_acquire"};
  CHECK(without("me") == integer(1));
  CHECK(without.lock() == "me -1");
  for (const auto& [ttl, deadline] :
       {std::pair{"1e3", "1000000"}, {"0x10", "16000"}, {"1", "1000"}}) {
    KnownScript odd{"simple_setnx_acquire"};
    CHECK(odd("me", ttl) == integer(1));
    CHECK(odd.lock() == std::string{"me "} + deadline);
  }
  KnownScript part{"simple_setnx_acquire"};
  CHECK(fails(part("me", "0.5")));
  CHECK(part.lock() == "me -1");
}

TEST_CASE("script reentrant_hash: counts, and re-entry lengthens nothing") {
  KnownScript acquire{"reentrant_hash_acquire"};
  CHECK(acquire("me", 2) == integer(1));
  CHECK(acquire.lock() == "me=1 2000");
  acquire.redis.advance(10ms);
  CHECK(acquire("me", 9) == integer(1));
  CHECK(acquire("you", 9) == integer(0));
  CHECK(acquire.lock() == "me=2 2000");
  const auto release = [&](const char* owner) {
    return acquire.also("reentrant_hash_release", owner);
  };
  CHECK(release("you") == integer(0));
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock() == "me=1 2000");
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock().empty());
  CHECK(release("me") == integer(0));
  CHECK(acquire.lock().empty());
  for (const char* ttl : {"0", "-1", "soon"}) {
    KnownScript forever{"reentrant_hash_acquire"};
    INFO("ttl " << ttl);
    CHECK(forever("me", ttl) == integer(1));
    CHECK(forever.lock() == "me=1 -1");
  }
  KnownScript without{"reentrant_hash_acquire"};
  CHECK(without("me") == integer(1));
  CHECK(without("me") == integer(1));
  CHECK(without.lock() == "me=2 -1");
  KnownScript least{"reentrant_hash_acquire"};
  CHECK(least("me", 1) == integer(1));
  CHECK(least.lock() == "me=1 1000");
}

TEST_CASE("script reentrant_hget: counts, and every hold renews") {
  KnownScript acquire{"reentrant_hget_acquire"};
  CHECK(acquire("me", 2000) == integer(1));
  CHECK(acquire.lock() == "me=1 2000");
  acquire.redis.advance(10ms);
  CHECK(acquire("you", 9000) == integer(0));
  CHECK(acquire.lock() == "me=1 2000");
  CHECK(acquire("me", 3000) == integer(1));
  CHECK(acquire.lock() == "me=2 3010");
  const auto release = [&](const char* owner) {
    return acquire.also("reentrant_hget_release", owner);
  };
  CHECK(acquire("me", 3000) == integer(1));
  CHECK(release("you") == integer(0));
  CHECK(release("me") == integer(1));
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock() == "me=1 3010");
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock().empty());
  CHECK(release("me") == integer(0));
  KnownScript none{"reentrant_hget_acquire"};
  CHECK(none("me", 0) == integer(1));
  CHECK(none.lock().empty());
  CHECK(fails(none("me", "0.5")));
  CHECK(none.lock() == "me=1 -1");
}

TEST_CASE("script reentrant_renew: counts, every hold renews, and three answers to a release") {
  KnownScript acquire{"reentrant_renew_acquire"};
  CHECK(acquire("me", 2) == integer(1));
  CHECK(acquire.lock() == "me=1 2000");
  acquire.redis.advance(10ms);
  CHECK(acquire("you", 9) == integer(0));
  CHECK(acquire("me", 3) == integer(1));
  CHECK(acquire.lock() == "me=2 3010");
  CHECK(acquire.also("reentrant_renew_renew", "you", 9) == integer(0));
  CHECK(acquire.also("reentrant_renew_renew", "me", 4) == integer(1));
  CHECK(acquire.lock() == "me=2 4010");
  const auto release = [&](const char* owner) {
    return acquire.also("reentrant_renew_release", owner);
  };
  CHECK(release("you").is_null());
  CHECK(release("me") == integer(0));
  CHECK(acquire.lock() == "me=1 4010");
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock().empty());
  CHECK(release("me").is_null());
  CHECK(acquire.also("reentrant_renew_renew", "me", 4) == integer(0));
  CHECK(acquire.lock().empty());
  KnownScript none{"reentrant_renew_acquire"};
  CHECK(none("me", 0) == integer(1));
  CHECK(none.lock().empty());
  CHECK(fails(none("me", "0.5")));
  CHECK(none.lock() == "me=1 -1");
  // Counts that nobody should have: below one it is free.
  none.ask("HSET", "a", "me", -4);
  CHECK(none.also("reentrant_renew_release", "me") == integer(1));
  CHECK(none.lock().empty());
}

TEST_CASE("script reentrant_renew_client: only exactly none frees, and Redis's own answers") {
  KnownScript acquire{"reentrant_renew_acquire"};
  acquire("me", 2);
  acquire("me", 2);
  CHECK(acquire.also("reentrant_renew_client_renew", "you", 9) == integer(0));
  CHECK(acquire.also("reentrant_renew_client_renew", "me", 4) == integer(1));
  CHECK(acquire.lock() == "me=2 4000");
  const auto release = [&](const char* owner) {
    return acquire.also("reentrant_renew_client_release", owner);
  };
  CHECK(release("you").is_null());
  CHECK(release("me") == integer(0));
  CHECK(acquire.lock() == "me=1 4000");
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock().empty());
  CHECK(release("me").is_null());
  CHECK(acquire.also("reentrant_renew_client_renew", "me", 4) == integer(0));
  acquire.ask("HSET", "a", "me", 0);
  CHECK(release("me") == integer(0));
  CHECK(acquire.lock() == "me=-1 -1");
}

TEST_CASE("script set_nx_px: a ttl in milliseconds, and one token") {
  KnownScript acquire{"set_nx_px_acquire"};
  CHECK(acquire("me", 2000) == integer(1));
  CHECK(acquire.lock() == "me 2000");
  acquire.redis.advance(10ms);
  CHECK(acquire("me", 9000) == integer(0));
  CHECK(acquire.lock() == "me 2000");
  const auto release = [&](const char* token) { return acquire.also("set_nx_px_release", token); };
  CHECK(release("you") == integer(0));
  CHECK(acquire.lock() == "me 2000");
  CHECK(release("me") == integer(1));
  CHECK(acquire.lock().empty());
  CHECK(release("me") == integer(0));
}

TEST_CASE("script setex_unpack: strings for answers, and ARGV as it is") {
  KnownScript acquire{"setex_unpack_acquire"};
  for (const char* ttl : {"0", "0.5"}) {
    CHECK(fails(acquire(ttl, "me")));
    CHECK(acquire.lock().empty());
  }
  CHECK(fails(acquire(2, "me", "more")));
  CHECK(fails(acquire(2)));
  CHECK(acquire(2, "me") == bulk("1"));
  CHECK(acquire.lock() == "me 2000");
  acquire.redis.advance(10ms);
  CHECK(acquire(9, "me") == bulk("0"));
  CHECK(acquire.lock() == "me 2000");
  const auto release = [&](const char* owner) {
    return acquire.also("setex_unpack_release", owner);
  };
  CHECK(release("you") == bulk("0"));
  CHECK(acquire.lock() == "me 2000");
  CHECK(release("me") == bulk("1"));
  CHECK(acquire.lock().empty());
  CHECK(release("me") == bulk("-1"));
}
