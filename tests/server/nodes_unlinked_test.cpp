// PICKLOCK NODE: what is said to a server whose primary cannot be reached, so that there is no
// link.
#include "tests/server/nodes.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::Servers;
using picklock::test::Socket;

TEST_CASE("who was told to follow nobody does so, whatever became of its state before") {
  Servers servers{Servers::replicas()};
  servers.node("STOP", "default");
  Socket r1 = servers.connect("r1");
  CHECK(r1.call({"PICKLOCK", "RESET"}) == status("OK"));
  CHECK(r1.call({"SET", "k", "v"}) ==
        error("READONLY You can't write against a read only replica."));
  CHECK(r1.call({"REPLICAOF", "NO", "ONE"}) == status("OK"));
  CHECK(r1.call({"SET", "k", "v"}) == status("OK"));
  CHECK(servers.node("START", "default") == status("OK"));
  CHECK(r1.call({"GET", "k"}) == "v");
  CHECK(servers.fact("r1", "role") == "master");
}

TEST_CASE("who is to follow a stopped server may change its mind") {
  Servers servers{Servers::replicas()};
  servers.node("STOP", "r2");
  CHECK(servers.control.call({"PICKLOCK", "NODE", "CONNECT", "r1", "TO", "r2"}) == status("OK"));
  Socket r1 = servers.connect("r1");
  CHECK(servers.fact("r1", "role") == "slave");
  CHECK(r1.call({"REPLICAOF", "NO", "ONE"}) == status("OK"));
  CHECK(r1.call({"SET", "k", "v"}) == status("OK"));
  CHECK(servers.node("START", "r2") == status("OK"));
  CHECK(r1.call({"GET", "k"}) == "v");
}

TEST_CASE("who is to follow a stopped server follows it once that runs") {
  Servers servers{Servers::replicas()};
  servers.node("STOP", "default");
  Socket r1 = servers.connect("r1");
  CHECK(r1.call({"PICKLOCK", "RESET"}) == status("OK"));
  CHECK(servers.node("START", "default") == status("OK"));
  CHECK(servers.fact("r1", "link") == "up");
  servers.control.call({"SET", "k", "v"});
  CHECK(r1.call({"GET", "k"}) == "v");
}
