// The lock class of the race tests over hiredis itself, on a real server and on ours.
#include <hiredis/hiredis.h>
#include <memory>
#include <unistd.h>

#include <picklock/server.hpp>

#include "tests/race/hiredis_lock.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/real_redis.hpp"

using picklock::tests::HiredisLock;
using picklock::tests::Release;

namespace {

using Lock = HiredisLock<redisContext, redisReply>;
using Context = std::unique_ptr<redisContext, decltype(&redisFree)>;

void take_turns(const std::string& socket_path) {
  const Context alices{redisConnectUnix(socket_path.c_str()), redisFree};
  const Context bobs{redisConnectUnix(socket_path.c_str()), redisFree};
  REQUIRE(alices->err == 0);
  REQUIRE(bobs->err == 0);
  for (const Release release : {Release::checked_by_script, Release::get_then_del}) {
    Lock alice{alices.get(), "lock", "alice", release};
    Lock bob{bobs.get(), "lock", "bob", release};
    CHECK(alice.acquire(60'000));
    CHECK(!bob.acquire(60'000));
    bob.release();
    CHECK(!bob.acquire(60'000));
    alice.release();
    CHECK(bob.acquire(60'000));
    bob.release();
  }
}

}  // namespace

TEST_CASE("a lock class over hiredis works on a real server") {
  picklock::test::RealRedis server;
  take_turns(server.socket_path());
}

TEST_CASE("a lock class over hiredis works on picklock's server") {
  picklock::Emulator redis;
  const std::string path = "/tmp/picklock-hiredis-" + std::to_string(::getpid()) + ".sock";
  picklock::Server server{redis, {.unix_socket = path}};
  take_turns(path);
}
