// Several emulators as one cluster, seen by a C++ caller; what its commands answer is compared with
// real nodes in tests/cluster.
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include <picklock/cluster.hpp>
#include <picklock/replica.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace picklock::replies;

Options in_cluster() {
  Options options;
  options.cluster = true;
  return options;
}

struct Three {
  Emulator a{in_cluster()};
  Emulator b{in_cluster()};
  Emulator c{in_cluster()};
  Cluster cluster{{&a, &b, &c}};
};

TEST_CASE("three emulators share the slots, and say who has the others") {
  Three three;
  auto client = three.a.connect();
  CHECK(three.cluster.address(three.c) == "127.0.0.1:7002");
  CHECK(client.call("GET", "foo") == error("MOVED 12182 127.0.0.1:7002"));
  CHECK(client.call("SET", "bar", 1) == status("OK"));
  CHECK(client.call("MGET", "bar", "foo") ==
        error("CROSSSLOT Keys in request don't hash to the same slot"));
  CHECK(client.call("CLUSTER", "MYID") == bulk(three.cluster.id(three.a)));
  CHECK(three.cluster.id(three.a) != three.cluster.id(three.b));
}

TEST_CASE("a slot is given to another node, once it has no keys") {
  Three three;
  auto there = three.c.connect();
  CHECK(there.call("SET", "foo", 1) == status("OK"));
  CHECK_THROWS_AS(three.cluster.give(12182, 12182, three.a), std::logic_error);
  CHECK(there.call("DEL", "foo") == 1);
  three.cluster.give(12182, 12182, three.a);
  CHECK(there.call("GET", "foo") == error("MOVED 12182 127.0.0.1:7000"));
  CHECK(three.b.connect().call("GET", "foo") == error("MOVED 12182 127.0.0.1:7000"));
  CHECK(three.a.connect().call("SET", "foo", 2) == status("OK"));
}

TEST_CASE("a snapshot remembers who had a slot") {
  Three three;
  const Snapshot before = three.c.snapshot();
  three.cluster.give(12182, 12182, three.a);
  CHECK(three.c.connect().call("GET", "foo").is_error());
  three.c.restore(before);
  CHECK(three.c.connect().call("GET", "foo") == nil);
}

TEST_CASE("whoever waits for a key of a slot that goes is sent after it") {
  Three three;
  auto client = three.c.connect();
  auto waiting = client.send("BLPOP", "foo", 0);
  CHECK(waiting.is_blocked());
  three.cluster.give(12182, 12182, three.b);
  CHECK(waiting.reply() == error("MOVED 12182 127.0.0.1:7001"));
}

TEST_CASE("a message is heard at every node") {
  Three three;
  auto listener = three.b.connect();
  listener.call("SUBSCRIBE", "news");
  CHECK(three.a.connect().call("PUBLISH", "news", "hello") == 0);
  CHECK(listener.next_message() == array("message", "news", "hello"));
}

TEST_CASE("without one of its primaries a cluster is down") {
  Three three;
  auto client = three.a.connect();
  three.cluster.set_down(three.b);
  CHECK(client.call("GET", "bar") == error("CLUSTERDOWN The cluster is down"));
  three.cluster.set_down(three.b, false);
  CHECK(client.call("GET", "bar") == nil);
}

TEST_CASE("a replica serves readers that ask for it, and sends the others away") {
  Emulator replica{in_cluster()};
  Three three;
  three.cluster.add_replica(replica, three.c);
  auto client = replica.connect();
  CHECK(client.call("GET", "foo") == error("MOVED 12182 127.0.0.1:7002"));
  CHECK(client.call("READONLY") == status("OK"));
  CHECK(client.call("GET", "foo") == nil);
  CHECK(client.call("SET", "foo", 1) == error("MOVED 12182 127.0.0.1:7002"));
  CHECK(client.call("GET", "bar") == error("MOVED 5061 127.0.0.1:7000"));
  CHECK(client.call("CLUSTER", "SETSLOT", 1, "STABLE") ==
        error("ERR You can use SETSLOT only with masters."));
  CHECK(client.call("CLUSTER", "FORGET", three.cluster.id(three.c)) ==
        error("ERR Can't forget my master!"));
  CHECK(three.a.connect().call("CLUSTER", "REPLICAS", three.cluster.id(replica)) ==
        error("ERR The specified node is not a master"));
  CHECK(client.call("CLUSTER", "FAILOVER") == status("OK"));
  CHECK(client.call("SET", "foo", 1) == status("OK"));
}

TEST_CASE("of a slot that moves, requests for several keys wait until all are at one node") {
  Three three;
  auto source = three.c.connect();
  source.call("SET", "{foo}1", 1);
  CHECK(source.call("CLUSTER", "SETSLOT", 12182, "MIGRATING", three.cluster.id(three.a)) ==
        status("OK"));
  CHECK(source.call("MGET", "{foo}1", "{foo}2") ==
        error("TRYAGAIN Multiple keys request during rehashing of slot"));
  CHECK(source.call("GET", "{foo}2") == error("ASK 12182 127.0.0.1:7000"));
}

TEST_CASE("SORT looks at no keys but its own in a cluster") {
  Three three;
  CHECK(three.a.connect().call("SORT", "bar", "BY", "w_*") ==
        error("ERR BY option of SORT denied in Cluster mode."));
}

TEST_CASE("nodes change their parts only as Redis allows it") {
  Emulator replica{in_cluster()};
  Emulator orphan{in_cluster()};
  Three three;
  three.cluster.add_replica(replica, three.c);
  three.cluster.add_replica(orphan, three.b);
  auto node = three.a.connect();
  const std::string theirs = three.cluster.id(replica);
  CHECK(node.call("CLUSTER", "SETSLOT", 1, "MIGRATING", theirs) ==
        error("ERR Target node is not a master"));
  CHECK(node.call("CLUSTER", "REPLICATE", theirs) ==
        error("ERR I can only replicate a master, not a replica."));
  CHECK(node.call("CLUSTER", "REPLICATE", three.cluster.id(three.c)) ==
        error("ERR To set a master the node must be empty and without assigned slots."));
  CHECK(node.call("CLUSTER", "SET-CONFIG-EPOCH", 9) ==
        error("ERR The user can assign a config epoch only when the node does not know any other "
              "node."));
  three.cluster.set_down(three.b);
  CHECK(orphan.connect().call("CLUSTER", "FAILOVER") ==
        error("ERR Master is down or failed, please use CLUSTER FAILOVER FORCE"));
  CHECK(orphan.connect().call("CLUSTER", "FAILOVER", "FORCE") == status("OK"));
}

std::set<std::string> ids_known_to(Emulator& node) {
  const std::string text = node.connect().call("CLUSTER", "NODES").text();
  std::set<std::string> ids;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    CHECK(ids.insert(line.substr(0, line.find(' '))).second);
  return ids;
}

TEST_CASE("a primary that has left its cluster gets no replica") {
  Emulator replica{in_cluster()};
  Three three;
  SECTION("by CLUSTER RESET HARD") {
    CHECK(three.b.connect().call("CLUSTER", "RESET", "HARD") == status("OK"));
  }
  SECTION("by a reset of the emulator") { three.b.reset(); }
  CHECK_THROWS_AS(three.cluster.add_replica(replica, three.b), std::logic_error);
  CHECK(ids_known_to(three.a).size() == 3);
  three.cluster.add_replica(replica, three.c);
  CHECK(ids_known_to(three.a).size() == 4);
}

TEST_CASE("nodes of one seed have ids of their own after CLUSTER RESET HARD, too") {
  Three three;
  std::set<std::string> ids;
  for (Emulator* node : {&three.a, &three.b, &three.c}) {
    auto client = node->connect();
    CHECK(client.call("CLUSTER", "RESET", "HARD") == status("OK"));
    ids.insert(client.call("CLUSTER", "MYID").text());
  }
  CHECK(ids.size() == 3);
}

TEST_CASE("a replica has an id of its own, whatever its primary has forgotten") {
  Emulator replica{in_cluster()};
  Three three;
  SECTION("all that it knew") { three.a.reset(); }
  SECTION("the same by a command") {
    CHECK(three.a.connect().call("CLUSTER", "RESET", "SOFT") == status("OK"));
  }
  SECTION("one of the others") {
    CHECK(three.a.connect().call("CLUSTER", "FORGET", three.cluster.id(three.b)) == status("OK"));
  }
  three.cluster.add_replica(replica, three.a);
  CHECK(ids_known_to(three.a).size() == ids_known_to(replica).size());
  CHECK(ids_known_to(three.c).size() == 4);
}

TEST_CASE("who has become a replica gets none") {
  Emulator replica{in_cluster()};
  Three three;
  Client there = three.b.connect();
  there.call("CLUSTER", "FLUSHSLOTS");
  CHECK(there.call("CLUSTER", "REPLICATE", three.cluster.id(three.a)) == status("OK"));
  CHECK_THROWS_AS(three.cluster.add_replica(replica, three.b), std::out_of_range);
}

TEST_CASE("a node's replica has its data by a Replica") {
  Emulator a{in_cluster()}, replica{in_cluster()}, alone;
  CHECK_THROWS_AS((Replica{a, alone}), std::invalid_argument);
  CHECK_THROWS_AS((Replica{alone, replica}), std::invalid_argument);
  Replica link{a, replica};
  Cluster cluster{{&a}};
  cluster.add_replica(replica, a);
  a.connect().call("SET", "foo", "1");
  CHECK(link.apply() == 1);
  Client reader = replica.connect();
  CHECK(reader.call("GET", "foo").is_error());
  reader.call("READONLY");
  CHECK(reader.call("GET", "foo") == "1");
}

TEST_CASE("all are told of a replica that has taken over from a primary that is down") {
  Emulator replica{in_cluster()};
  Three three;
  Replica link{three.a, replica};
  three.cluster.add_replica(replica, three.a);
  three.a.connect().call("SET", "bar", "1");
  link.apply();
  CHECK_THROWS_AS(three.cluster.give(0, 5460, replica), std::out_of_range);
  three.cluster.set_down(three.a);
  Client client = replica.connect();
  CHECK(client.call("CLUSTER", "FAILOVER", "FORCE") == status("OK"));
  three.cluster.give(0, 5460, replica);
  CHECK(client.call("GET", "bar") == "1");
  for (Emulator* each : {&three.a, &three.b})
    CHECK(each->connect().call("GET", "bar") ==
          error("MOVED 5061 " + three.cluster.address(replica)));
  CHECK(three.b.connect().call("CLUSTER", "REPLICAS", three.cluster.id(replica)) == array());
}

TEST_CASE("who was a replica makes no cluster before it is reset") {
  Emulator a{in_cluster()}, replica{in_cluster()};
  {
    Cluster cluster{{&a}};
    cluster.add_replica(replica, a);
  }
  CHECK_THROWS_AS((Cluster{{&a, &replica}}), std::invalid_argument);
  CHECK(replica.connect().call("CLUSTER", "RESET") == status("OK"));
  Cluster cluster{{&a, &replica}};
  CHECK(replica.connect().call("SET", "foo", "1") == status("OK"));
}

TEST_CASE("what makes no cluster is refused") {
  Emulator lone;
  Emulator node{in_cluster()};
  Emulator full{in_cluster()};
  full.connect().call("SET", "k", "v");
  CHECK_THROWS_AS(Cluster{{}}, std::invalid_argument);
  CHECK_THROWS_AS((Cluster{{&node, nullptr}}), std::invalid_argument);
  CHECK_THROWS_AS((Cluster{{&node, &lone}}), std::invalid_argument);
  CHECK_THROWS_AS((Cluster{{&node, &node}}), std::invalid_argument);
  CHECK_THROWS_AS((Cluster{{&node, &full}}), std::invalid_argument);
  Cluster cluster{{&node}};
  CHECK_THROWS_AS(cluster.give(-1, 0, node), std::out_of_range);
  CHECK_THROWS_AS(cluster.give(0, 16384, node), std::out_of_range);
  CHECK_THROWS_AS(cluster.give(2, 1, node), std::out_of_range);
  CHECK_THROWS_AS(cluster.give(0, 1, lone), std::out_of_range);
  CHECK_THROWS_AS(cluster.id(lone), std::out_of_range);
  CHECK_THROWS_AS(cluster.set_down(lone), std::out_of_range);
}

}  // namespace
}  // namespace picklock
