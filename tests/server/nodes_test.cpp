// PICKLOCK NODE: several servers in one process.
#include "tests/server/nodes.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::request;
using picklock::test::Servers;
using picklock::test::Socket;

TEST_CASE("a node is a server of its own, on a port of its own, on the same clock") {
  Servers servers{{{.name = "other"}}};
  Socket other = servers.connect("other");
  CHECK(servers.server.port("other") != servers.server.port());
  CHECK(servers.server.port("nobody") == 0);
  CHECK(servers.control.call({"SET", "k", "v"}) == status("OK"));
  CHECK(other.call({"EXISTS", "k"}) == 0);
  CHECK(other.call({"ROLE"}) == array("master", 0, array()));
  CHECK(other.call({"SET", "soon", "v", "PX", "100"}) == status("OK"));
  CHECK(other.call({"CONFIG", "GET", "port"}) ==
        array("port", std::to_string(servers.server.port("other"))));
  servers.advance("101");
  CHECK(other.call({"DBSIZE"}) == 0);
  const Reply later = other.call({"PICKLOCK", "ADVANCE", "9"});
  CHECK(servers.control.call({"PICKLOCK", "NOW"}) == later);
}

TEST_CASE("each node counts its own clients against maxclients") {
  Servers servers{{{.name = "other"}}};
  servers.connect("other").call({"CONFIG", "SET", "maxclients", "1"});
  Socket second = servers.connect();
  CHECK(second.call({"PING"}) == status("PONG"));
  test::await("it is gone", [&] { return servers.server.connections() == 2; });
  Socket other = servers.connect("other");
  CHECK(other.call({"PING"}) == status("PONG"));
  CHECK(servers.connect("other").reply() == error("ERR max number of clients reached"));
}

TEST_CASE("nodes have the first one's settings and users, and run ids of their own") {
  Emulator redis;
  redis.connect().call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
  redis.connect().call("ACL", "SETUSER", "alice", "on", ">secret", "+@all");
  Server server{redis, {.nodes = {{.name = "other"}}}};
  Socket first = Socket::tcp(server.port());
  Socket other = Socket::tcp(server.port("other"));
  CHECK(other.call({"CONFIG", "GET", "maxmemory-policy"}) ==
        array("maxmemory-policy", "allkeys-lru"));
  CHECK(other.call({"AUTH", "alice", "secret"}) == status("OK"));
  const auto run_id = [](Socket& client) {
    const std::string info = client.call({"INFO", "server"}).text();
    return info.substr(info.find("run_id:"), 47);
  };
  CHECK(run_id(first) != run_id(other));
}

TEST_CASE("NODE ADD makes a node while the server runs, and answers its port") {
  Servers servers{{}};
  servers.control.call({"SET", "k", "v"});
  const auto port = servers.node("ADD", "late", "REPLICAOF", "default").integer();
  CHECK(servers.server.port("late") == port);
  Socket late = servers.connect("late");
  CHECK(late.call({"GET", "k"}) == "v");
  CHECK(servers.fact("late", "primary") == "default");
  CHECK(servers.node("ADD", "chained", "REPLICAOF", "late").integer() > 0);
  servers.control.call({"SET", "k", "2"});
  CHECK(servers.connect("chained").call({"GET", "k"}) == "2");
  CHECK(servers.node("ADD", "alone", "PORT", "0").integer() > 0);
  CHECK(servers.fact("alone", "role") == "master");
}

TEST_CASE("what is written at the primary is at its replicas after the turn") {
  Servers servers{Servers::replicas()};
  Socket r1 = servers.connect("r1");
  CHECK(servers.control.call({"SET", "lock", "alice", "PX", "100"}) == status("OK"));
  CHECK(r1.call({"GET", "lock"}) == "alice");
  CHECK(r1.call({"SET", "lock", "bob"}) ==
        error("READONLY You can't write against a read only replica."));
  CHECK(servers.control.call({"WAIT", "2", "0"}) == 2);
  servers.advance("101");
  CHECK(r1.call({"DBSIZE"}) == 0);
  servers.control.send(request({"SET", "a", "1"}) + request({"WAIT", "2", "0"}));
  CHECK(servers.control.reply() == status("OK"));
  CHECK(servers.control.reply() == 2);
}

TEST_CASE("with a lag the newest units wait until APPLY lets them through") {
  Servers servers{Servers::replicas()};
  Socket r1 = servers.connect("r1");
  CHECK(servers.node("LAG", "r1", "2") == status("OK"));
  for (const char* key : {"a", "b", "c"}) servers.control.call({"SET", key, "1"});
  CHECK(r1.call({"EXISTS", "a", "b", "c"}) == 1);
  CHECK(servers.node("PENDING", "r1") == array("SET b 1", "SET c 1"));
  CHECK(servers.fact("r1", "behind") == 2);
  CHECK(servers.fact("r2", "behind") == 0);
  CHECK(servers.node("APPLY", "r1", "1") == 1);
  CHECK(r1.call({"EXISTS", "b", "c"}) == 1);
  CHECK(servers.node("LAG", "r1", "ALL") == status("OK"));
  servers.control.call({"SET", "d", "1"});
  servers.control.call({"SET", "e", "1"});
  CHECK(servers.fact("r1", "behind") == 3);
  CHECK(servers.node("APPLY", "r1") == 3);
  CHECK(servers.node("APPLY", "r1") == 0);
  CHECK(servers.node("LAG", "r1", "OFF") == status("OK"));
  servers.control.call({"SET", "f", "1"});
  CHECK(r1.call({"EXISTS", "f"}) == 1);
}

TEST_CASE("WAIT times out while a replica lags, and ends when APPLY lets its write through") {
  Servers servers{Servers::replicas()};
  servers.node("LAG", "r1", "ALL");
  Socket alice = servers.connect();
  alice.send(request({"SET", "k", "v"}) + request({"WAIT", "2", "500"}));
  CHECK(alice.reply() == status("OK"));
  servers.control.call({"PICKLOCK", "BLOCKED", "MIN", "1"});
  servers.advance("501");
  CHECK(alice.reply() == 1);
  alice.send(request({"SET", "k", "w"}) + request({"WAIT", "2", "500"}));
  CHECK(alice.reply() == status("OK"));
  servers.control.call({"PICKLOCK", "BLOCKED", "MIN", "1"});
  servers.node("APPLY", "r1");
  CHECK(alice.reply() == 2);
}

TEST_CASE("CUT loses what was under way, CONNECT synchronises anew") {
  Servers servers{Servers::replicas()};
  Socket r1 = servers.connect("r1");
  servers.control.call({"SET", "a", "1"});
  CHECK(servers.node("CUT", "r1") == status("OK"));
  CHECK(servers.node("CUT", "r1") == status("OK"));
  CHECK(servers.fact("r1", "link") == "cut");
  servers.control.call({"SET", "b", "1"});
  CHECK(r1.call({"EXISTS", "a", "b"}) == 1);
  CHECK(r1.call({"ROLE"})[3] == "connect");
  CHECK(servers.control.call({"WAIT", "1", "0"}) == 1);
  CHECK(servers.node("CONNECT", "r1") == status("OK"));
  CHECK(r1.call({"EXISTS", "a", "b"}) == 2);
  CHECK(servers.fact("r1", "link") == "up");
}

TEST_CASE("PROMOTE makes a primary of what has got through, and the others follow it") {
  Servers servers{Servers::replicas()};
  servers.node("LAG", "r1", "ALL");
  servers.control.call({"SET", "lock", "alice"});
  CHECK(servers.node("PROMOTE", "r1") == status("OK"));
  Socket r1 = servers.connect("r1");
  CHECK(r1.call({"EXISTS", "lock"}) == 0);
  CHECK(r1.call({"SET", "lock", "bob", "NX"}) == status("OK"));
  for (const char* follower : {"default", "r2"}) {
    CHECK(servers.fact(follower, "role") == "slave");
    CHECK(servers.fact(follower, "primary") == "r1");
    CHECK(servers.connect(follower).call({"GET", "lock"}) == "bob");
  }
  CHECK(servers.control.call({"SET", "lock", "alice"}).is_error());
}

TEST_CASE("a primary that is cut off does not hear of the promotion until it is connected") {
  Servers servers{{{.name = "r1", .port = {}, .is_replica = true}}};
  servers.node("CUT", "r1");
  CHECK(servers.node("PROMOTE", "r1") == status("OK"));
  CHECK(servers.control.call({"SET", "lock", "alice"}) == status("OK"));
  CHECK(servers.connect("r1").call({"SET", "lock", "bob", "NX"}) == status("OK"));
  CHECK(servers.fact("default", "role") == "master");
  CHECK(servers.fact("default", "link") == "cut");
  CHECK(servers.node("CONNECT", "default") == status("OK"));
  CHECK(servers.control.call({"GET", "lock"}) == "bob");
  CHECK(servers.fact("default", "role") == "slave");
}

TEST_CASE("a stopped server's port is closed, its clients are gone, and its data stay") {
  Servers servers{Servers::replicas()};
  Socket r1 = servers.connect("r1");
  servers.control.call({"SET", "k", "v"});
  CHECK(r1.call({"GET", "k"}) == "v");
  CHECK(servers.node("STOP", "r1") == status("OK"));
  CHECK(r1.ended());
  CHECK_THROWS_AS(servers.connect("r1"), std::runtime_error);
  CHECK(servers.fact("r1", "running") == "no");
  servers.control.call({"SET", "k", "w"});
  CHECK(servers.control.call({"WAIT", "1", "0"}) == 1);
  CHECK(servers.node("START", "r1") == status("OK"));
  CHECK(servers.connect("r1").call({"GET", "k"}) == "w");
  CHECK(servers.fact("r1", "link") == "up");
}

TEST_CASE("who steers stays when its server stops, and may do nothing else there") {
  Servers servers{Servers::replicas()};
  servers.control.call({"HELLO", "3", "SETNAME", "steers"});
  servers.control.call({"SELECT", "2"});
  CHECK(servers.node("STOP", "default") == status("OK"));
  CHECK(servers.node("LIST").size() == 3);
  CHECK(servers.node("START", "default") == status("OK"));
  const std::string info = servers.control.call({"CLIENT", "INFO"}).text();
  CHECK(info.find(" name=steers ") != std::string::npos);
  CHECK(info.find(" db=2 ") != std::string::npos);
  CHECK(info.find(" resp=3") != std::string::npos);
  Socket second = servers.connect();
  second.call({"PICKLOCK", "NODE", "LIST"});
  servers.node("STOP", "default");
  second.send(request({"GET", "k"}));
  CHECK(second.ended());
}

TEST_CASE("what is sent behind STOP in one go is carried out by whoever stays") {
  Servers servers{{{.name = "r1", .port = {}, .is_replica = true}}};
  servers.control.send(request({"SET", "k", "v"}) +
                       request({"PICKLOCK", "NODE", "STOP", "default"}) +
                       request({"PICKLOCK", "NODE", "START", "default"}) + request({"GET", "k"}));
  for (int i = 0; i < 3; ++i) CHECK(servers.control.reply() == status("OK"));
  CHECK(servers.control.reply() == "v");
}

TEST_CASE("a restart keeps all data, those of the last second, or none") {
  Servers servers{{{.name = "other"}}};
  for (const char* name : {"default", "other"}) {
    Socket client = servers.connect(name);
    client.call({"SET", "old", "v"});
    servers.advance("1000");
    client.call({"SET", "new", "v"});
    CHECK(servers.node("RESTART", name) == status("OK"));
    CHECK(client.ended());
    CHECK(servers.connect(name).call({"DBSIZE"}) == 2);
    servers.connect(name).call({"SET", "newest", "v"});
    CHECK(servers.node("RESTART", name, "KEEP", "SYNCED") == status("OK"));
    CHECK(servers.connect(name).call({"EXISTS", "newest", "new"}) == 1);
    CHECK(servers.node("RESTART", name, "KEEP", "NOTHING") == status("OK"));
    CHECK(servers.connect(name).call({"DBSIZE"}) == 0);
  }
}

TEST_CASE("time that passes while a server is stopped synchronises nothing") {
  Servers servers{{{.name = "other"}}};
  for (const char* name : {"default", "other"}) {
    Socket client = servers.connect(name);
    client.call({"SET", "old", "v"});
    servers.advance("1000");
    client.call({"SET", "new", "v"});
    servers.node("STOP", name);
    servers.advance("5000");
    servers.node("LIST");
    CHECK(servers.node("START", name, "KEEP", "SYNCED") == status("OK"));
    Socket again = servers.connect(name);
    CHECK(again.call({"EXISTS", "old"}) == 1);
    CHECK(again.call({"EXISTS", "new"}) == 0);
  }
}

TEST_CASE("a primary that restarts empty empties its replicas, too") {
  Servers servers{Servers::replicas()};
  servers.control.call({"SET", "k", "v"});
  CHECK(servers.node("RESTART", "default", "KEEP", "NOTHING") == status("OK"));
  CHECK(servers.connect("r1").call({"DBSIZE"}) == 0);
  CHECK(servers.fact("r1", "link") == "up");
  servers.control.call({"SET", "k", "w"});
  CHECK(servers.connect("r2").call({"GET", "k"}) == "w");
}

TEST_CASE("a primary that was replaced while it was stopped comes back as a primary") {
  Servers servers{Servers::replicas()};
  servers.control.call({"SET", "lock", "alice"});
  servers.node("STOP", "default");
  CHECK(servers.node("PROMOTE", "r1") == status("OK"));
  CHECK(servers.fact("r2", "primary") == "r1");
  servers.node("START", "default");
  CHECK(servers.connect().call({"SET", "lock", "split"}) == status("OK"));
  CHECK(servers.connect("r2").call({"GET", "lock"}) == "alice");
  CHECK(servers.node("CONNECT", "default") == status("OK"));
  CHECK(servers.connect().call({"GET", "lock"}) == "alice");
}

TEST_CASE("SHUTDOWN at a node stops that node alone") {
  Servers servers{Servers::replicas()};
  Socket r1 = servers.connect("r1");
  r1.send(request({"SHUTDOWN", "NOSAVE"}));
  CHECK(r1.ended());
  CHECK(servers.fact("r1", "running") == "no");
  CHECK(servers.node("START", "r1") == status("OK"));
}

TEST_CASE("RESET and RESTORE put data back, and not who follows whom") {
  Servers servers{Servers::replicas()};
  servers.control.call({"SET", "k", "1"});
  servers.control.call({"PICKLOCK", "SNAPSHOT", "s"});
  servers.control.call({"SET", "k", "2"});
  servers.control.call({"PICKLOCK", "RESTORE", "s"});
  CHECK(servers.connect("r1").call({"GET", "k"}) == "1");
  servers.control.call({"SET", "k", "3"});
  CHECK(servers.connect("r1").call({"GET", "k"}) == "3");
  CHECK(servers.connect("r1").call({"PICKLOCK", "RESET"}) == status("OK"));
  CHECK(servers.connect("r1").call({"GET", "k"}) == "3");
  CHECK(servers.fact("r1", "role") == "slave");
  servers.control.call({"PICKLOCK", "RESET"});
  CHECK(servers.connect("r1").call({"DBSIZE"}) == 0);
  servers.control.call({"SET", "k", "4"});
  CHECK(servers.connect("r2").call({"GET", "k"}) == "4");
}

TEST_CASE("nobody follows twice after RESET, however often") {
  Servers servers{Servers::replicas()};
  servers.control.call({"PICKLOCK", "SNAPSHOT", "s"});
  for (const char* kind : {"RESET", "RESET", "RESTORE", "RESET"}) {
    const bool restores = std::string_view{kind} == "RESTORE";
    if (restores)
      servers.control.call({"PICKLOCK", "RESTORE", "s"});
    else
      servers.control.call({"PICKLOCK", "RESET"});
    const std::string info = servers.control.call({"INFO", "replication"}).text();
    CHECK_THAT(info, Catch::Contains("connected_slaves:2\r\n"));
  }
}

TEST_CASE("who follows a replica takes over what that one takes over") {
  Servers servers{{{.name = "b", .port = {}, .is_replica = true}}};
  CHECK(servers.node("ADD", "c", "REPLICAOF", "b").integer() > 0);
  servers.node("CUT", "b");
  servers.control.call({"SET", "meanwhile", "1"});
  servers.node("CONNECT", "b");
  CHECK(servers.connect("c").call({"GET", "meanwhile"}) == "1");
  servers.control.call({"PICKLOCK", "RESET"});
  CHECK(servers.connect("c").call({"DBSIZE"}) == 0);

  Emulator other;
  other.connect().call("SET", "loaded", "1");
  CHECK(servers.control.call({"PICKLOCK", "LOAD", "DATA", other.save_rdb()}) == 1);
  CHECK(servers.connect("b").call({"GET", "loaded"}) == "1");
  CHECK(servers.connect("c").call({"GET", "loaded"}) == "1");
}

TEST_CASE("REPLICAOF NO ONE at a node is heeded") {
  Servers servers{Servers::replicas()};
  Socket r1 = servers.connect("r1");
  CHECK(r1.call({"REPLICAOF", "NO", "ONE"}) == status("OK"));
  CHECK(r1.call({"SET", "k", "v"}) == status("OK"));
  servers.control.call({"SET", "other", "v"});
  CHECK(r1.call({"EXISTS", "other"}) == 0);
  CHECK(servers.fact("r1", "role") == "master");
  CHECK(servers.fact("r1", "primary") == "");
  CHECK(servers.node("CONNECT", "r1", "TO", "default") == status("OK"));
  CHECK(r1.call({"EXISTS", "k", "other"}) == 1);
}

TEST_CASE("a node's clock drifts, jumps and stands still against the first one's") {
  Servers servers{{{.name = "off"}}};
  Socket off = servers.connect("off");
  off.call({"SET", "k", "v", "PX", "1000"});
  CHECK(servers.node("CLOCK", "off", "DRIFT", "100000") == status("OK"));
  servers.advance("909");
  CHECK(off.call({"EXISTS", "k"}) == 1);
  servers.advance("2");
  CHECK(off.call({"EXISTS", "k"}) == 0);
  CHECK(servers.fact("off", "clock-drift-ppm") == 100'000);
  CHECK(servers.fact("off", "clock-ahead-ms") == 91);
  servers.node("CLOCK", "off", "DRIFT", "0");
  off.call({"SET", "k", "v", "PX", "5000"});
  CHECK(servers.node("CLOCK", "off", "STEP", "5001") == status("OK"));
  CHECK(off.call({"DBSIZE"}) == 0);
  CHECK(servers.node("CLOCK", "off", "STEP", "-10000") == status("OK"));
  CHECK(servers.node("CLOCK", "off", "FREEZE") == status("OK"));
  off.call({"SET", "k", "v", "PX", "10"});
  const Reply stands = off.call({"PICKLOCK", "NOW"});
  servers.advance("100000");
  CHECK(off.call({"PICKLOCK", "NOW"}) == stands);
  CHECK(off.call({"EXISTS", "k"}) == 1);
  CHECK(servers.fact("off", "clock-frozen") == "yes");
  CHECK(servers.node("CLOCK", "off", "THAW") == status("OK"));
  servers.advance("11");
  CHECK(off.call({"EXISTS", "k"}) == 0);
}

TEST_CASE("SET-TIME and NEXT at a node move the time of all until its clock shows that") {
  Servers servers{{{.name = "off"}}};
  Socket off = servers.connect("off");
  servers.node("CLOCK", "off", "STEP", "1000");
  const auto now = servers.control.call({"PICKLOCK", "NOW"}).integer();
  CHECK(off.call({"PICKLOCK", "NOW"}) == now + 1000);
  CHECK(off.call({"PICKLOCK", "SET-TIME", std::to_string(now + 1500)}) == now + 1500);
  CHECK(servers.control.call({"PICKLOCK", "NOW"}) == now + 500);
  off.call({"SET", "k", "v", "PX", "100"});
  CHECK(off.call({"PICKLOCK", "NEXT"}) == now + 1601);
  CHECK(servers.control.call({"PICKLOCK", "NOW"}) == now + 601);
  CHECK(off.call({"PICKLOCK", "SET-TIME", std::to_string(now)}) == now);
  CHECK(servers.control.call({"PICKLOCK", "NOW"}) == now - 1000);
}

TEST_CASE("with auto_advance the clock jumps once the clients of all nodes wait") {
  Emulator redis;
  Server server{redis, {.nodes = {{.name = "other"}}, .auto_advance = true}};
  Socket first = Socket::tcp(server.port());
  Socket other = Socket::tcp(server.port("other"));
  CHECK(first.call({"PING"}) == status("PONG"));
  other.send(request({"BLPOP", "list", "60"}));
  CHECK(first.call({"PING"}) == status("PONG"));
  first.send(request({"BLPOP", "list", "60"}));
  CHECK(first.reply() == nil);
  CHECK(other.reply() == nil);
}
