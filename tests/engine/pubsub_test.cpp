#include <utility>

#include <picklock/emulator.hpp>

#include "emulator/engine/connection.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace replies;

TEST_CASE("a message waits at the client until it is taken") {
  Emulator emulator;
  Client alice = emulator.connect();
  Client bob = emulator.connect();
  CHECK(alice.call("SUBSCRIBE", "news") == array("subscribe", "news", 1));
  CHECK(alice.next_message() == std::nullopt);
  CHECK(bob.call("PUBLISH", "news", "one") == 1);
  CHECK(bob.call("PUBLISH", "news", "two") == 1);
  CHECK(alice.next_message() == array("message", "news", "one"));
  CHECK(alice.next_message() == array("message", "news", "two"));
  CHECK(alice.next_message() == std::nullopt);
}

TEST_CASE("of several confirmations the first is the reply, the others are messages") {
  Emulator emulator;
  Client alice = emulator.connect();
  CHECK(alice.call("SUBSCRIBE", "a", "b") == array("subscribe", "a", 1));
  CHECK(alice.next_message() == array("subscribe", "b", 2));
  CHECK(alice.call("UNSUBSCRIBE") == array("unsubscribe", "a", 1));
  CHECK(alice.next_message() == array("unsubscribe", "b", 0));
}

TEST_CASE("in RESP3 a message is a push, and never part of a reply") {
  Emulator emulator;
  Client alice = emulator.connect();
  alice.call("HELLO", 3);
  CHECK(alice.call("SUBSCRIBE", "a").type() == Reply::Type::push);
  alice.call("MULTI");
  alice.call("PUBLISH", "a", "x");
  CHECK(alice.call("EXEC") == array(1));
  const auto message = alice.next_message();
  REQUIRE(message);
  CHECK(message->type() == Reply::Type::push);
  CHECK(message->elements()[2] == "x");
}

TEST_CASE("a client that is gone is no receiver") {
  Emulator emulator;
  Client bob = emulator.connect();
  {
    Client alice = emulator.connect();
    alice.call("SUBSCRIBE", "a");
    alice.call("PSUBSCRIBE", "a*");
  }
  CHECK(bob.call("PUBLISH", "a", "x") == 0);
  CHECK(bob.call("PUBSUB", "NUMPAT") == 0);
}

TEST_CASE("a subscription is gone with what was before it, and comes back with what was after") {
  Emulator emulator;
  Client alice = emulator.connect();
  Client bob = emulator.connect();
  const Snapshot before = emulator.snapshot();
  alice.call("SUBSCRIBE", "a");
  alice.call("PSUBSCRIBE", "p*");
  const Snapshot after = emulator.snapshot();
  emulator.restore(before);
  CHECK(bob.call("PUBLISH", "a", "x") == 0);
  CHECK(bob.call("PUBSUB", "CHANNELS") == array());
  CHECK(bob.call("PUBSUB", "NUMPAT") == 0);
  emulator.restore(after);
  CHECK(bob.call("PUBLISH", "a", "x") == 1);
  CHECK(bob.call("PUBSUB", "NUMPAT") == 1);
}

TEST_CASE("a snapshot carries subscriptions") {
  Emulator emulator;
  Client alice = emulator.connect();
  Client bob = emulator.connect();
  alice.call("SUBSCRIBE", "a");
  const Snapshot snapshot = emulator.snapshot();
  alice.call("UNSUBSCRIBE", "a");
  emulator.restore(snapshot);
  CHECK(bob.call("PUBLISH", "a", "x") == 1);
  CHECK(alice.next_message() == array("message", "a", "x"));
  SECTION("to a new emulator as well") {
    Emulator copy{snapshot};
    Client twin = copy.attach(alice.id());
    Client other = copy.connect();
    CHECK(other.call("PUBLISH", "a", "y") == 1);
    CHECK(twin.next_message() == array("message", "a", "y"));
    CHECK(alice.next_message() == std::nullopt);
  }
}

TEST_CASE("a session that the snapshot does not know no longer hears anything") {
  Emulator emulator;
  Client bob = emulator.connect();
  const Snapshot snapshot = emulator.snapshot();
  Client alice = emulator.connect();
  alice.call("SUBSCRIBE", "a");
  emulator.restore(snapshot);
  CHECK(bob.call("PUBLISH", "a", "x") == 0);
}

struct Driver : Connection::Driver {
  void output_ready(Connection& connection) override {
    ++calls;
    received += std::exchange(connection.output(), {});
  }
  int calls = 0;
  std::string received;
};

TEST_CASE("a message makes the receiver's driver send, but not the publisher's own") {
  SimClock clock;
  Engine engine{Options{}, clock};
  Driver alice_driver;
  Driver bob_driver;
  Connection alice{engine, &alice_driver, "a:1", "b:1"};
  Connection bob{engine, &bob_driver, "a:2", "b:1"};
  alice.receive("SUBSCRIBE a b\r\n");
  CHECK(alice_driver.calls == 0);
  CHECK(std::exchange(alice.output(), {}) ==
        "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n");
  bob.receive("PUBLISH a x\r\n");
  CHECK(bob.output() == ":1\r\n");
  CHECK(bob_driver.calls == 0);
  CHECK(alice_driver.received == "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n");
}

// Redis 7.0.15 writes the push where it stands, even between the elements of EXEC's reply.
TEST_CASE("bytes of a push to oneself stand in the midst of the reply") {
  SimClock clock;
  Engine engine{Options{}, clock};
  Connection alice{engine, nullptr, "a:1", "b:1"};
  alice.receive("HELLO 3\r\nSUBSCRIBE ch\r\nMULTI\r\nPUBLISH ch x\r\nSUBSCRIBE d e\r\n");
  alice.output().clear();
  alice.receive("EXEC\r\n");
  CHECK(alice.output() ==
        "*2\r\n>3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$1\r\nx\r\n:1\r\n"
        ">3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:2\r\n>3\r\n$9\r\nsubscribe\r\n$1\r\ne\r\n:3\r\n");
}

}  // namespace
}  // namespace picklock
