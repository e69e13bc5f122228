// What transcripts cannot show of ACL: time, snapshots, bounds.
#include "emulator/engine/acl.hpp"

#include <string>

#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace picklock::replies;

TEST_CASE("an entry of ACL LOG ages by the injected clock, and is another after a minute") {
  Emulator redis;
  auto client = redis.connect();
  const auto fail = [&] { CHECK(client.call("AUTH", "nobody", "x").is_error()); };
  fail();
  redis.advance(60'000ms);
  fail();
  redis.advance(60'001ms);
  fail();
  redis.advance(1'500ms);
  const Reply log = client.call("ACL", "LOG");
  REQUIRE(log.size() == 2);
  CHECK(log[0][1] == 1);
  CHECK(log[0][11] == "1.5");
  CHECK(log[1][1] == 2);
  CHECK(log[1][11] == "61.500999999999998");
}

TEST_CASE("a snapshot keeps users, who is who, and the log") {
  Emulator redis;
  auto admin = redis.connect();
  auto alice = redis.connect();
  admin.call("ACL", "SETUSER", "alice", "on", "nopass", "~*", "+@all", "-get");
  alice.call("AUTH", "alice", "x");
  alice.call("GET", "k");
  const Snapshot saved = redis.snapshot();
  admin.call("ACL", "SETUSER", "alice", "+get");
  admin.call("ACL", "LOG", "RESET");
  CHECK(alice.call("GET", "k") == nil);
  redis.restore(saved);
  CHECK(alice.call("GET", "k").is_error());
  CHECK(alice.call("ACL", "WHOAMI") == "alice");
  CHECK(admin.call("ACL", "LOG").size() == 1);
  Emulator fork{saved};
  CHECK(fork.connect().call("ACL", "USERS") == array("alice", "default"));
}

TEST_CASE("ACL GENPASS is drawn from the seed") {
  const auto draw = [](std::uint64_t seed) {
    Options options;
    options.seed = seed;
    Emulator redis{options};
    return redis.connect().call("ACL", "GENPASS").text();
  };
  CHECK(draw(1).size() == 64);
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
}

TEST_CASE("PICKLOCK answers whoever asks") {
  Emulator redis;
  auto client = redis.connect();
  client.call("ACL", "SETUSER", "default", "-@all");
  CHECK(client.call("PING").is_error());
  CHECK_FALSE(client.call("PICKLOCK", "NOW").is_error());
}

// Redis 7.0.15 dies of MIGRATE here: it counts no words.
TEST_CASE("redis.acl_check_cmd looks at no more words than it was given") {
  Emulator redis;
  auto client = redis.connect();
  client.call("ACL", "SETUSER", "default", "resetkeys", "resetchannels");
  for (const char* words : {"'migrate'", "'set'", "'publish'", "'migrate', 'host', '1', ''"})
    CHECK(client.call("EVAL", "return redis.acl_check_cmd(" + std::string{words} + ")", 0) == 1);
}

TEST_CASE("a command of a newer profile is no part of the users of another") {
  const NumberedCommands& old = NumberedCommands::of(*find_profile("redis-7.0"));
  const NumberedCommands& all = NumberedCommands::of(*find_profile("all"));
  CHECK(old.rows().size() < all.rows().size());
  CHECK(all.rows().size() < CommandSet::kMax);
  CHECK(old.number("hexpire") == NumberedCommands::kNone);
  CHECK(all.number("HEXPIRE") != NumberedCommands::kNone);
}

}  // namespace
}  // namespace picklock
