// What becomes of a replica's link when one of its ends is put back to another state.
#include <picklock/replica.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace replies;

std::string replicas_of(Emulator& primary) {
  const std::string info = primary.connect().call("INFO", "replication").text();
  const std::size_t at = info.find("connected_slaves:");
  return info.substr(at, info.find('\r', at) - at);
}

struct Two {
  Emulator primary, standby;
  Client alice = primary.connect();
  Client bob = standby.connect();
  Replica link{primary, standby};
};

TEST_CASE("a replica has nothing of what its primary has undone") {
  Two two;
  two.alice.call("SET", "kept", "1");
  two.link.apply();
  SECTION("by restore()") {
    const Snapshot before = two.primary.snapshot();
    two.alice.call("SET", "undone", "1");
    two.link.apply();
    two.alice.call("SET", "under way", "1");
    two.primary.restore(before);
    CHECK(two.bob.call("GET", "kept") == "1");
  }
  SECTION("by PICKLOCK RESTORE") {
    two.alice.call("PICKLOCK", "SNAPSHOT", "before");
    two.alice.call("SET", "undone", "1");
    two.link.apply();
    CHECK(two.alice.call("PICKLOCK", "RESTORE", "before") == status("OK"));
    CHECK(two.bob.call("GET", "kept") == "1");
  }
  SECTION("by reset()") {
    two.alice.call("SET", "undone", "1");
    two.link.apply();
    two.primary.reset();
    CHECK(two.bob.call("GET", "kept") == nil);
  }
  CHECK(two.bob.call("GET", "undone") == nil);
  CHECK(two.bob.call("GET", "under way") == nil);
  CHECK(two.link.behind() == 0);
  CHECK(replicas_of(two.primary) == "connected_slaves:1");
  Client carol = two.primary.connect();
  carol.call("SET", "after", "1");
  CHECK(two.link.apply() == 1);
  CHECK(two.bob.call("GET", "after") == "1");
  CHECK(carol.call("WAIT", 1, 0) == 1);
}

TEST_CASE("a link that was cut before stays so, and both ends know") {
  Two two;
  const Snapshot primary = two.primary.snapshot();
  const Snapshot standby = two.standby.snapshot();
  SECTION("by cut()") { two.link.cut(); }
  SECTION("by promote()") { two.link.promote(); }
  two.primary.restore(primary);
  two.standby.restore(standby);
  CHECK(replicas_of(two.primary) == "connected_slaves:0");
  Client bob = two.standby.connect();
  const auto link_is = [&bob](const char* status) {
    const std::string line = std::string{"master_link_status:"} + status + "\r\n";
    return bob.call("INFO", "replication").text().find(line) != std::string::npos;
  };
  CHECK(link_is("down"));
  two.link.reconnect();
  CHECK(replicas_of(two.primary) == "connected_slaves:1");
  CHECK(link_is("up"));
}

TEST_CASE("an emulator that has no link is put back without replicas") {
  Two two;
  const Snapshot primary = two.primary.snapshot();
  Emulator other{primary};
  other.restore(primary);
  CHECK(replicas_of(other) == "connected_slaves:0");
}

TEST_CASE("a replica that is put back synchronises anew, or is none any more") {
  Emulator primary, standby;
  Client alice = primary.connect();
  Client bob = standby.connect();
  const Snapshot alone = standby.snapshot();
  Replica link{primary, standby};
  const Snapshot before = standby.snapshot();
  alice.call("SET", "k", "1");
  link.apply();
  standby.restore(before);
  CHECK(bob.call("GET", "k") == "1");
  CHECK(replicas_of(primary) == "connected_slaves:1");

  standby.restore(alone);
  CHECK_FALSE(link.is_connected());
  CHECK(replicas_of(primary) == "connected_slaves:0");
  CHECK(bob.call("SET", "k", "2") == status("OK"));
  link.reconnect();
  CHECK(bob.call("GET", "k") == "1");
  standby.reset();
  CHECK_FALSE(link.is_connected());
  CHECK(bob.call("GET", "k") == nil);
}

TEST_CASE(
    "an emulator that is made of a primary's snapshot has no replica, of a replica's no link") {
  Two two;
  Emulator like_primary{two.primary.snapshot()};
  Client carol = like_primary.connect();
  carol.call("SET", "k", "1");
  CHECK(carol.send("WAIT", 1, 0).is_blocked());
  CHECK(replicas_of(like_primary) == "connected_slaves:0");
  Emulator like_standby{two.standby.snapshot()};
  CHECK(like_standby.connect().call("ROLE") == array("slave", "127.0.0.1", 6379, "connect", -1));
}

TEST_CASE("each of several replicas starts anew, and who follows them") {
  Emulator primary, first, second, third;
  const Snapshot empty = primary.snapshot();
  Replica one{primary, first};
  Replica two{primary, second};
  Replica three{first, third};
  one.reconnect();  // The primary's numbers for them are 3 and 2.
  primary.connect().call("SET", "k", "1");
  one.apply();
  two.apply();
  three.apply();
  CHECK(third.inspect().exists("k"));
  primary.restore(empty);
  three.apply();
  for (Emulator* each : {&first, &second, &third}) CHECK_FALSE(each->inspect().exists("k"));
  CHECK(replicas_of(primary) == "connected_slaves:2");
  primary.connect().call("SET", "l", "1");
  CHECK(one.apply() == 1);
  CHECK(two.apply() == 1);
  CHECK(three.apply() == 1);
  CHECK(third.inspect().exists("l"));
  two.cut();
  CHECK(replicas_of(primary) == "connected_slaves:1");
}

}  // namespace
}  // namespace picklock
