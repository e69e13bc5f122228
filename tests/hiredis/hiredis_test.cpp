// Locks over hiredis itself: on a real server, and on ours without any port.
#include <hiredis/hiredis.h>
#include <memory>
#include <string>
#include <sys/time.h>

#include <picklock/server.hpp>

#include "tests/race/hiredis_lock.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/real_redis.hpp"

using picklock::RequestFault;
using picklock::tests::HiredisLock;
using picklock::tests::Release;

namespace {

using Lock = HiredisLock<redisContext, redisReply>;
using Context = std::unique_ptr<redisContext, decltype(&redisFree)>;
using Reply = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

constexpr int kLeaseMs = 30'000;
constexpr const char* kExtend =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

template <class... Words>
Reply call(const Context& context, const char* format, Words... words) {
  return {static_cast<redisReply*>(redisCommand(context.get(), format, words...)), freeReplyObject};
}

std::string owner_of_lock(const Context& context) {
  const Reply reply = call(context, "GET lock");
  REQUIRE(reply != nullptr);
  return reply->str == nullptr ? "nobody" : std::string{reply->str, reply->len};
}

long long extend(const Context& context, const char* owner, int lease_ms) {
  const Reply reply = call(context, "EVAL %s 1 lock %s %d", kExtend, owner, lease_ms);
  REQUIRE(reply != nullptr);
  return reply->integer;
}

/// Ours, whose clients have sockets of their own and no port, and whose clock the test moves.
struct OnPicklock {
  Context connect() { return {redisConnectFd(server.connect_fd()), redisFree}; }
  void end_lease() { redis.advance(std::chrono::milliseconds{kLeaseMs + 1}); }

  picklock::Emulator redis;
  picklock::Server server{redis};
};

/// A real one, where the lease is cut short so that it ends at once.
struct OnRedis {
  Context connect() { return {redisConnectUnix(server.socket_path().c_str()), redisFree}; }
  void end_lease() {
    call(connect(), "PEXPIRE lock 1");
    server.pass(std::chrono::milliseconds{3});
  }

  picklock::test::RealRedis server;
};

}  // namespace

TEMPLATE_TEST_CASE("hiredis: a lock excludes others until it is released", "", OnPicklock,
                   OnRedis) {
  TestType place;
  const Context alices = place.connect();
  const Context bobs = place.connect();
  REQUIRE(alices->err == 0);
  REQUIRE(bobs->err == 0);
  for (const Release release : {Release::checked_by_script, Release::get_then_del}) {
    Lock alice{alices.get(), "lock", "alice", release};
    Lock bob{bobs.get(), "lock", "bob", release};
    CHECK(alice.acquire(kLeaseMs));
    CHECK(!bob.acquire(kLeaseMs));
    bob.release();
    CHECK(owner_of_lock(bobs) == "alice");
    alice.release();
    CHECK(bob.acquire(kLeaseMs));
    bob.release();
    CHECK(owner_of_lock(bobs) == "nobody");
  }
}

TEMPLATE_TEST_CASE("hiredis: a lock ends with its lease, unless it is extended", "", OnPicklock,
                   OnRedis) {
  TestType place;
  const Context alices = place.connect();
  const Context bobs = place.connect();
  Lock alice{alices.get(), "lock", "alice", Release::checked_by_script};
  Lock bob{bobs.get(), "lock", "bob", Release::checked_by_script};
  REQUIRE(alice.acquire(kLeaseMs));
  CHECK(extend(bobs, "bob", kLeaseMs) == 0);
  CHECK(extend(alices, "alice", 90'000) == 1);
  const long long left = call(alices, "PTTL lock")->integer;
  CHECK((left > 80'000 && left <= 90'000));
  CHECK(extend(alices, "alice", kLeaseMs) == 1);
  place.end_lease();
  CHECK(bob.acquire(kLeaseMs));
  CHECK(extend(alices, "alice", kLeaseMs) == 0);
  alice.release();
  CHECK(owner_of_lock(bobs) == "bob");
}

TEMPLATE_TEST_CASE("hiredis: a waiter gets the lock by trying again", "", OnPicklock, OnRedis) {
  TestType place;
  const Context alices = place.connect();
  const Context bobs = place.connect();
  Lock alice{alices.get(), "lock", "alice", Release::checked_by_script};
  Lock bob{bobs.get(), "lock", "bob", Release::checked_by_script};
  REQUIRE(alice.acquire(kLeaseMs));
  int tries = 1;
  for (; !bob.acquire(kLeaseMs); ++tries)
    if (tries == 3) alice.release();
  CHECK(tries == 4);
}

TEMPLATE_TEST_CASE("hiredis: a waiter is woken by a list", "", OnPicklock, OnRedis) {
  TestType place;
  const Context alices = place.connect();
  const Context bobs = place.connect();
  REQUIRE(redisAppendCommand(bobs.get(), "BLPOP free 60") == REDIS_OK);
  int done = 0;
  while (!done) REQUIRE(redisBufferWrite(bobs.get(), &done) == REDIS_OK);
  CHECK(call(alices, "RPUSH free token")->integer == 1);
  void* got = nullptr;
  REQUIRE(redisGetReply(bobs.get(), &got) == REDIS_OK);
  const Reply popped{static_cast<redisReply*>(got), freeReplyObject};
  REQUIRE(popped->elements == 2);
  CHECK(std::string{popped->element[1]->str} == "token");
}

TEST_CASE("hiredis: the lease is over one millisecond after its last") {
  OnPicklock place;
  const Context alices = place.connect();
  const Context bobs = place.connect();
  REQUIRE(Lock{alices.get(), "lock", "alice", Release::checked_by_script}.acquire(1500));
  Lock bob{bobs.get(), "lock", "bob", Release::checked_by_script};
  place.redis.advance(std::chrono::milliseconds{1500});
  CHECK(!bob.acquire(1500));
  place.redis.advance(std::chrono::milliseconds{1});
  CHECK(bob.acquire(1500));
}

TEST_CASE("hiredis: a lost reply leaves a lock that nobody knows of") {
  OnPicklock place;
  const Context alices = place.connect();
  const Context bobs = place.connect();
  place.redis.add_fault(
      {.action = RequestFault::Action::drop_reply, .command = "set", .key = "lock"});
  REQUIRE(redisSetTimeout(alices.get(), timeval{.tv_sec = 0, .tv_usec = 5000}) == REDIS_OK);
  CHECK(!Lock{alices.get(), "lock", "alice", Release::checked_by_script}.acquire(kLeaseMs));
  CHECK(alices->err == REDIS_ERR_IO);
  Lock bob{bobs.get(), "lock", "bob", Release::checked_by_script};
  CHECK(!bob.acquire(kLeaseMs));
  CHECK(owner_of_lock(bobs) == "alice");
  place.end_lease();
  CHECK(bob.acquire(kLeaseMs));
}

TEST_CASE("hiredis: a connection that breaks behind a release") {
  OnPicklock place;
  const Context alices = place.connect();
  Lock alice{alices.get(), "lock", "alice", Release::checked_by_script};
  REQUIRE(alice.acquire(kLeaseMs));
  place.redis.add_fault({.action = RequestFault::Action::close_after, .command = "eval"});
  alice.release();
  CHECK(alices->err == REDIS_ERR_EOF);
  CHECK(owner_of_lock(place.connect()) == "nobody");
}
