#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using namespace replies;

TEST_CASE("EXEC answers all replies in the order of the requests") {
  Emulator emulator;
  Client alice = emulator.connect();
  CHECK(alice.call("MULTI") == status("OK"));
  CHECK(alice.call("INCR", "n") == status("QUEUED"));
  CHECK(alice.call("GET", "n") == status("QUEUED"));
  CHECK_FALSE(emulator.inspect().exists("n"));
  CHECK(alice.call("EXEC") == array(1, "1"));
}

TEST_CASE("a watched key that expires makes EXEC nil though nobody touched it") {
  Emulator emulator;
  Client alice = emulator.connect();
  alice.call("SET", "k", "1", "PX", 100);
  alice.call("WATCH", "k");
  emulator.advance(101ms);
  alice.call("MULTI");
  CHECK(alice.call("EXEC") == nil);
}

TEST_CASE("a watched key lives through its last millisecond") {
  Emulator emulator;
  Client alice = emulator.connect();
  alice.call("SET", "k", "1", "PX", 100);
  alice.call("WATCH", "k");
  emulator.advance(100ms);
  alice.call("MULTI");
  CHECK(alice.call("EXEC") == array());
}

TEST_CASE("a key that had expired before WATCH may go, but not come back") {
  Emulator emulator;
  Client alice = emulator.connect();
  Client bob = emulator.connect();
  bob.call("DEBUG", "SET-ACTIVE-EXPIRE", 0);
  const bool made_anew = GENERATE(false, true);
  alice.call("SET", "k", "1", "PX", 100);
  emulator.advance(101ms);
  alice.call("WATCH", "k");
  bob.call("GET", "k");
  if (made_anew) bob.call("SET", "k", "2");
  alice.call("MULTI");
  CHECK(alice.call("EXEC") == (made_anew ? nil : array()));
}

TEST_CASE("a blocking command inside EXEC answers as if its time were up") {
  Emulator emulator;
  Client alice = emulator.connect();
  alice.call("MULTI");
  alice.call("WAIT", 1, 0);
  CHECK(alice.call("EXEC") == array(0));
  CHECK_FALSE(alice.is_blocked());
}

TEST_CASE("keys do not expire within EXEC though the clock moves") {
  Emulator emulator;
  Client alice = emulator.connect();
  const Instant before = emulator.now();
  alice.call("SET", "k", "1", "PX", 100);
  alice.call("MULTI");
  alice.call("DEBUG", "SLEEP", "1");
  alice.call("GET", "k");
  CHECK(alice.call("EXEC") == array(status("OK"), "1"));
  CHECK(emulator.now() == before + 1s);
  CHECK(alice.call("GET", "k") == nil);
}

TEST_CASE("a snapshot carries the queue and the watches") {
  Emulator emulator;
  Client alice = emulator.connect();
  Client bob = emulator.connect();
  alice.call("WATCH", "k");
  alice.call("MULTI");
  alice.call("SET", "k", "alice");
  const Snapshot snapshot = emulator.snapshot();
  SECTION("restored, the transaction goes on where it was") {
    CHECK(alice.call("EXEC") == array(status("OK")));
    emulator.restore(snapshot);
    CHECK_FALSE(emulator.inspect().exists("k"));
    CHECK(alice.call("EXEC") == array(status("OK")));
  }
  SECTION("restored, a touch that came later is forgotten") {
    bob.call("SET", "k", "bob");
    emulator.restore(snapshot);
    CHECK(alice.call("EXEC") == array(status("OK")));
  }
  SECTION("in a new emulator the watch still sees a touch") {
    Emulator copy{snapshot};
    Client other = copy.connect();
    other.call("SET", "k", "other");
    Client twin = copy.attach(alice.id());
    CHECK(twin.call("EXEC") == nil);
  }
}

TEST_CASE("a client that leaves takes its watches along") {
  Emulator emulator;
  Client bob = emulator.connect();
  {
    Client alice = emulator.connect();
    alice.call("WATCH", "k");
  }
  bob.call("WATCH", "k");
  bob.call("SET", "k", "1");
  bob.call("MULTI");
  CHECK(bob.call("EXEC") == nil);
}

}  // namespace
}  // namespace picklock
