// The sentinel: what clients ask it, and what it says in a failover. tests/clients compares it with
// a real one.
#include <algorithm>

#include "tests/server/nodes.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::request;
using picklock::test::Servers;
using picklock::test::Socket;

namespace {

/// A subscriber of all events.
struct Listener {
  explicit Listener(const Servers& servers) : socket(servers.sentinel()) {
    socket.call({"PSUBSCRIBE", "*"});
  }
  /// Those up to `last`, which has to come.
  std::vector<std::string> up_to(const std::string& last) {
    std::vector<std::string> heard;
    while (heard.empty() || heard.back() != last) heard.push_back(socket.reply()[2].text());
    return heard;
  }
  Socket socket;
};

Reply address(const Servers& servers, const std::string& node) {
  return array("127.0.0.1", std::to_string(servers.server.port(node)));
}

/// Of equal replicas a sentinel takes the one whose run id is lower.
void prefer_r1(const Servers& servers) {
  servers.connect("r2").call({"CONFIG", "SET", "replica-priority", "200"});
}

Reply asked_for_master(Socket& sentinel) {
  return sentinel.call({"SENTINEL", "get-master-addr-by-name", "mymaster"});
}

std::string field(const Reply& facts, std::string_view name) {
  for (std::size_t i = 0; i + 1 < facts.size(); i += 2)
    if (facts[i] == name) return facts[i + 1].text();
  return "(none)";
}

std::string master_field(Socket& sentinel, std::string_view name) {
  return field(sentinel.call({"SENTINEL", "MASTER", "mymaster"}), name);
}

const std::vector<std::string> kFailover = {"+new-epoch",
                                            "+try-failover",
                                            "+vote-for-leader",
                                            "+elected-leader",
                                            "+failover-state-select-slave",
                                            "+selected-slave",
                                            "+failover-state-send-slaveof-noone",
                                            "+failover-state-wait-promotion",
                                            "-role-change",
                                            "+promoted-slave",
                                            "+failover-state-reconf-slaves",
                                            "+slave-reconf-sent",
                                            "+slave-reconf-inprog",
                                            "+slave-reconf-done",
                                            "+failover-end",
                                            "+switch-master"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("a sentinel knows its master and the replicas") {
  Servers servers{Servers::replicas(), true};
  Socket sentinel = servers.sentinel();
  CHECK(asked_for_master(sentinel) == address(servers, "default"));
  CHECK(sentinel.call({"SENTINEL", "MASTERS"}).size() == 1);
  CHECK(master_field(sentinel, "flags") == "master");
  CHECK(master_field(sentinel, "num-slaves") == "2");
  const Reply replicas = sentinel.call({"SENTINEL", "REPLICAS", "mymaster"});
  REQUIRE(replicas.size() == 2);
  CHECK(field(replicas[0], "port") == std::to_string(servers.server.port("r1")));
  CHECK(field(replicas[0], "master-link-status") == "ok");
  CHECK(field(replicas[0], "runid") != field(replicas[1], "runid"));
  CHECK(sentinel.call({"ROLE"}) == array("sentinel", array("mymaster")));
  CHECK(sentinel.call({"PICKLOCK", "NOW"}) ==
        error("ERR unknown command 'PICKLOCK', with args beginning with: 'NOW' "));
}

TEST_CASE("SENTINEL FAILOVER promotes the replica that is furthest") {
  Servers servers{Servers::replicas(), true};
  servers.node("LAG", "r1", "ALL");
  servers.control.call({"SET", "k", "v"});
  Listener listener{servers};
  Socket sentinel = servers.sentinel();
  CHECK(sentinel.call({"SENTINEL", "FAILOVER", "mymaster"}) == status("OK"));
  CHECK(asked_for_master(sentinel) == address(servers, "r2"));
  CHECK(listener.up_to("+role-change") == joined(kFailover, {"+slave", "+slave", "-role-change",
                                                             "+convert-to-slave", "+role-change"}));
  CHECK(servers.fact("r1", "primary") == "r2");
  CHECK(servers.fact("default", "primary") == "r2");
  CHECK(servers.connect("r1").call({"GET", "k"}) == "v");
  CHECK(master_field(sentinel, "config-epoch") == "1");
}

TEST_CASE(
    "a replica of a lower priority goes before one that is further, and 0 is never promoted") {
  Servers servers{Servers::replicas(), true};
  Socket sentinel = servers.sentinel();
  servers.connect("r2").call({"CONFIG", "SET", "replica-priority", "0"});
  servers.node("LAG", "r1", "ALL");
  servers.control.call({"SET", "k", "v"});
  CHECK(sentinel.call({"SENTINEL", "FAILOVER", "mymaster"}) == status("OK"));
  CHECK(asked_for_master(sentinel) == address(servers, "r1"));
  servers.connect("default").call({"CONFIG", "SET", "replica-priority", "0"});
  CHECK(sentinel.call({"SENTINEL", "FAILOVER", "mymaster"}) ==
        error("NOGOODSLAVE No suitable replica to promote"));
}

TEST_CASE("PROMOTE tells a sentinel's clients, and drops those of the servers concerned") {
  Servers servers{Servers::replicas(), true};
  Listener listener{servers};
  Socket alice = servers.connect();
  CHECK(alice.call({"PING"}) == status("PONG"));
  servers.node("PROMOTE", "r1");
  CHECK(listener.up_to("+switch-master") == kFailover);
  CHECK(alice.ended());
  Socket sentinel = servers.sentinel();
  CHECK(asked_for_master(sentinel) == address(servers, "r1"));
}

TEST_CASE("a stopped primary is replaced once it is down for longer than down-after-milliseconds") {
  Servers servers{Servers::replicas(), true};
  prefer_r1(servers);
  Listener listener{servers};
  Socket sentinel = servers.sentinel();
  CHECK(sentinel.call({"SENTINEL", "SET", "mymaster", "down-after-milliseconds", "1000"}) ==
        status("OK"));
  CHECK(listener.up_to("+set") == std::vector<std::string>{"+set"});
  servers.node("STOP", "default");
  CHECK(master_field(sentinel, "flags") == "master,disconnected");
  servers.advance("1000");
  CHECK(asked_for_master(sentinel) == address(servers, "default"));
  servers.advance("1");
  CHECK(asked_for_master(sentinel) == address(servers, "r1"));
  CHECK(listener.up_to("+switch-master") == joined({"+sdown", "+odown"}, kFailover));
  CHECK(listener.up_to("+slave") == std::vector<std::string>{"+slave"});
  CHECK(servers.fact("r2", "primary") == "r1");
}

TEST_CASE("a primary that comes back is made to follow the new one") {
  Servers servers{Servers::replicas(), true};
  prefer_r1(servers);
  servers.control.call({"SET", "k", "lost"});
  servers.node("STOP", "default");
  servers.advance("30001");
  servers.connect("r1").call({"SET", "k", "new"});
  servers.advance("30001");
  Listener listener{servers};
  servers.node("START", "default");
  CHECK(listener.up_to("+role-change") ==
        std::vector<std::string>{"-role-change", "-sdown", "+convert-to-slave", "+role-change"});
  CHECK(servers.connect().call({"GET", "k"}) == "new");
}

TEST_CASE("a primary that is cut off goes on alone, whatever the sentinel has decided") {
  Servers servers{{{.name = "r1", .port = {}, .is_replica = true}}, true};
  Socket sentinel = servers.sentinel();
  servers.node("CUT", "r1");
  servers.node("PROMOTE", "r1");
  CHECK(asked_for_master(sentinel) == address(servers, "r1"));
  CHECK(servers.connect().call({"SET", "k", "split"}) == status("OK"));
  servers.advance("60000");
  CHECK(servers.fact("default", "role") == "master");
  servers.node("CONNECT", "default");
  CHECK(servers.connect().call({"EXISTS", "k"}) == 0);
}

TEST_CASE("without a good replica a failover is given up, and tried again later") {
  Servers servers{{{.name = "r1", .port = {}, .is_replica = true}}, true};
  Listener listener{servers};
  Socket sentinel = servers.sentinel();
  servers.node("STOP", "r1");
  servers.node("STOP", "default");
  servers.advance("30001");
  const auto heard = listener.up_to("-failover-abort-no-good-slave");
  CHECK(std::ranges::count(heard, "+odown") == 1);
  CHECK(sentinel.call({"INFO", "sentinel"}).text().find("status=odown") != std::string::npos);
  servers.node("START", "r1");
  servers.advance("360000");
  CHECK(asked_for_master(sentinel) == address(servers, "default"));
  servers.advance("1");
  CHECK(asked_for_master(sentinel) == address(servers, "r1"));
}

TEST_CASE("with a quorum of two a sentinel that is alone decides nothing") {
  Servers servers{Servers::replicas(), true};
  Socket sentinel = servers.sentinel();
  sentinel.call({"SENTINEL", "SET", "mymaster", "quorum", "2"});
  CHECK(sentinel.call({"SENTINEL", "CKQUORUM", "mymaster"}).is_error());
  servers.node("STOP", "default");
  servers.advance("60000");
  CHECK(master_field(sentinel, "flags") == "s_down,master,disconnected");
  CHECK(asked_for_master(sentinel) == address(servers, "default"));
}

TEST_CASE("on a clock that flows a stopped primary is replaced by itself") {
  OffsetClock clock;
  Emulator redis{{}, clock};
  ServerOptions options;
  options.nodes = Servers::replicas();
  options.sentinel_port = 0;
  options.sentinel_name = "cache";
  Server server{redis, options};
  Socket sentinel = Socket::tcp(server.sentinel_port());
  sentinel.call({"SENTINEL", "SET", "cache", "down-after-milliseconds", "20"});
  Socket control = Socket::tcp(server.port());
  control.call({"PICKLOCK", "NODE", "STOP", "default"});
  picklock::test::await("another one is the master", [&] {
    return sentinel.call({"SENTINEL", "get-master-addr-by-name", "cache"})[1] !=
           std::to_string(server.port("default"));
  });
}

TEST_CASE("a failover waits for a script to end") {
  Servers servers{Servers::replicas(), true, {.script_budget = 100'000}};
  Socket runs = servers.connect("r2");
  Socket sentinel = servers.sentinel();
  runs.send(request({"EVAL", "while true do end", "0"}));
  picklock::test::await("it is busy", [&] {
    return servers.connect("r2").call({"GET", "k"}).is_error();
  });
  CHECK(sentinel.call({"SENTINEL", "FAILOVER", "mymaster"}) == status("OK"));
  CHECK(sentinel.call({"SENTINEL", "FAILOVER", "mymaster"}) ==
        error("INPROG Failover already in progress"));
  CHECK(master_field(sentinel, "flags") == "master,failover_in_progress,force_failover");
  CHECK(servers.connect("r2").call({"SCRIPT", "KILL"}) == status("OK"));
  picklock::test::await("the failover",
                        [&] { return asked_for_master(sentinel) != address(servers, "default"); });
}

TEST_CASE("MONITOR, RESET and REMOVE change what a sentinel watches") {
  Servers servers{Servers::replicas(), true};
  Socket sentinel = servers.sentinel();
  Listener listener{servers};
  CHECK(sentinel.call({"SENTINEL", "MONITOR", "gone", "127.0.0.1", "1", "1"}) == status("OK"));
  CHECK(sentinel.call({"ROLE"}) == array("sentinel", array("gone", "mymaster")));
  servers.advance("30001");
  CHECK(field(sentinel.call({"SENTINEL", "MASTER", "gone"}), "flags") ==
        "s_down,o_down,master,disconnected");
  CHECK(sentinel.call({"SENTINEL", "RESET", "my*"}) == 1);
  CHECK(master_field(sentinel, "num-slaves") == "2");
  CHECK(sentinel.call({"SENTINEL", "REMOVE", "gone"}) == status("OK"));
  CHECK(sentinel.call({"SENTINEL", "REMOVE", "gone"}) ==
        error("ERR No such master with that name"));
  const auto heard = listener.up_to("-monitor");
  CHECK(heard.front() == "+monitor");
  CHECK(std::ranges::count(heard, "+reset-master") == 1);
  CHECK(std::ranges::count(heard, "+slave") == 2);
}

TEST_CASE("SHUTDOWN at a sentinel ends the sentinel alone") {
  Servers servers{Servers::replicas(), true};
  Socket sentinel = servers.sentinel();
  sentinel.send(request({"SHUTDOWN"}));
  CHECK(sentinel.ended());
  CHECK_THROWS_AS(servers.sentinel(), std::runtime_error);
  CHECK(servers.node("PROMOTE", "r1") == status("OK"));
}

TEST_CASE("an emulator that is a sentinel watches nothing") {
  Emulator sentinel{{.profile = "sentinel"}};
  Client client = sentinel.connect();
  CHECK(client.call("ROLE") == array("sentinel", array()));
  CHECK(client.call("SENTINEL", "MASTERS") == array());
  CHECK(client.call("SENTINEL", "RESET", "*") == 0);
  CHECK(client.call("SENTINEL", "MASTER", "x") == error("ERR No such master with that name"));
  CHECK(client.call("SENTINEL", "MONITOR", "x", "127.0.0.1", 1, 1).is_error());
  CHECK(client.call("SENTINEL", "DEBUG").is_error());
  CHECK(client.call("SET", "k", "v") ==
        error("ERR unknown command 'SET', with args beginning with: 'k' 'v' "));
}

TEST_CASE("in RESP3 a sentinel's tables are maps, and INFO stays a string") {
  Servers servers{Servers::replicas(), true};
  Socket sentinel = servers.sentinel();
  CHECK(sentinel.call({"HELLO", "3"}).size() == 12);
  CHECK(sentinel.call({"SENTINEL", "MASTER", "mymaster"}).type() == Reply::Type::map);
  CHECK(sentinel.call({"SENTINEL", "REPLICAS", "mymaster"})[0].type() == Reply::Type::map);
  CHECK(sentinel.call({"SENTINEL", "DEBUG"}).type() == Reply::Type::map);
  CHECK(sentinel.call({"SENTINEL", "CONFIG", "GET", "*"}).type() == Reply::Type::map);
  CHECK(sentinel.call({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "nobody"}) == nil);
  CHECK(sentinel.call({"INFO", "sentinel"}).type() == Reply::Type::bulk);
  CHECK(sentinel.call({"PUBLISH", "news", "x"}) ==
        error("ERR Only HELLO messages are accepted by Sentinel instances."));
}
