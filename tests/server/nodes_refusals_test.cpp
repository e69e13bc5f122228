// What PICKLOCK NODE refuses: one line each, and nothing changed.
#include "tests/server/nodes.hpp"
#include "tests/server/program.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::await;
using picklock::test::request;
using picklock::test::Servers;
using picklock::test::Socket;
using picklock::test::TemporaryDirectory;

TEST_CASE("NODE refuses names that are not there, or there already") {
  Servers servers{Servers::replicas()};
  const Reply before = servers.node("LIST");
  const Reply unknown = error("ERR there is no node 'x': PICKLOCK NODE LIST names them");
  for (const char* what :
       {"PROMOTE", "STOP", "START", "RESTART", "CUT", "CONNECT", "PENDING", "APPLY"})
    CHECK(servers.node(what, "x") == unknown);
  CHECK(servers.node("LAG", "x", "1") == unknown);
  CHECK(servers.node("CLOCK", "x", "FREEZE") == unknown);
  CHECK(servers.node("CONNECT", "r1", "TO", "x") == unknown);
  CHECK(servers.node("ADD", "y", "REPLICAOF", "x") == unknown);
  servers.control.call({"PICKLOCK", "NEW", "taken"});
  for (const char* name : {"default", "r1", "taken"})
    CHECK(servers.node("ADD", name) ==
          error("ERR there is a server '" + std::string{name} + "' already: choose another name"));
  for (const char* name : {"", "a b", "a\"b"})
    CHECK(servers.node("ADD", name) ==
          error("ERR a name has 1 to 64 visible ASCII characters, without quotes"));
  CHECK(servers.node("ADD", std::string(65, 'x')).is_error());
  CHECK(servers.node("LIST") == before);
}

TEST_CASE("NODE refuses replicas of themselves, circles, and promotions of primaries") {
  Servers servers{Servers::replicas()};
  servers.node("ADD", "below", "REPLICAOF", "r1");
  const Reply before = servers.node("LIST");
  CHECK(servers.node("ADD", "x", "REPLICAOF", "x") ==
        error("ERR a server cannot be its own replica"));
  CHECK(servers.node("CONNECT", "r1", "TO", "r1") ==
        error("ERR a server cannot be its own replica"));
  CHECK(servers.node("CONNECT", "r1", "TO", "below") ==
        error("ERR 'below' follows 'r1': replicas go in no circle"));
  CHECK(servers.node("CONNECT", "default", "TO", "below") ==
        error("ERR 'below' follows 'default': replicas go in no circle"));
  CHECK(servers.node("PROMOTE", "default") == error("ERR 'default' is a primary already"));
  CHECK(servers.node("CONNECT", "default") ==
        error("ERR 'default' is a primary: PICKLOCK NODE CONNECT <name> TO <other> says whom to "
              "follow"));
  CHECK(servers.node("CUT", "default") ==
        error("ERR 'default' is a primary: cut its replicas, or stop it"));
  CHECK(servers.node("PENDING", "default") ==
        error("ERR 'default' is a primary: nothing comes to it"));
  CHECK(servers.node("APPLY", "default") ==
        error("ERR nothing comes to 'default': it follows nobody, or one of the two is cut off or "
              "stopped"));
  CHECK(servers.node("LIST") == before);
}

TEST_CASE("NODE ADD refuses a port that is taken, and START one that was taken meanwhile") {
  Servers servers{Servers::replicas()};
  const std::string port = std::to_string(servers.server.port());
  CHECK(servers.node("ADD", "x", "PORT", port) ==
        error("ERR cannot listen on 127.0.0.1:" + port + ": Address already in use"));
  CHECK(servers.node("LIST").size() == 3);
  CHECK(servers.node("ADD", "x").integer() > 0);
  servers.control.call({"SET", "k", "v"});
  servers.node("STOP", "r1");
  const std::uint16_t freed = servers.server.port("r1");
  Emulator squatter;
  {
    Server in_the_way{squatter, {.port = freed}};
    CHECK(servers.node("START", "r1") == error("ERR cannot listen on 127.0.0.1:" +
                                               std::to_string(freed) + ": Address already in use"));
    CHECK(servers.fact("r1", "running") == "no");
  }
  CHECK(servers.node("START", "r1") == status("OK"));
  CHECK(servers.connect("r1").call({"GET", "k"}) == "v");
}

TEST_CASE("a server that cannot have its Unix socket back does not open its port either") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("redis.sock");
  Emulator redis;
  ServerOptions options = Servers::with(Servers::replicas(), /*has_sentinel=*/false);
  options.unix_socket = path;
  Server server{redis, options};
  Socket control = Socket::tcp(server.port());
  const auto start = [&] { return control.call({"PICKLOCK", "NODE", "START", "default"}); };
  CHECK(control.call({"PICKLOCK", "NODE", "STOP", "default"}) == status("OK"));
  {
    Emulator other;
    const Server in_the_way{other, {.port = std::nullopt, .unix_socket = path}};
    CHECK(start() == error("ERR cannot listen on " + path + ": another server answers there"));
    CHECK_THROWS(Socket::tcp(server.port()));
  }
  CHECK(start() == status("OK"));
  CHECK(Socket::tcp(server.port()).call({"PING"}) == status("PONG"));
  CHECK(Socket::unix_path(path).call({"PING"}) == status("PONG"));
}

TEST_CASE("NODE refuses what a stopped or a running server cannot do") {
  Servers servers{Servers::replicas()};
  CHECK(servers.node("START", "r1") == error("ERR 'r1' runs already"));
  servers.node("STOP", "r1");
  CHECK(servers.node("STOP", "r1") == error("ERR 'r1' is stopped already"));
  CHECK(servers.node("RESTART", "r1") == error("ERR 'r1' is stopped: start it"));
  for (const char* what : {"PROMOTE", "CONNECT"})
    CHECK(servers.node(what, "r1") == error("ERR 'r1' is stopped: start it first"));
  CHECK(servers.node("APPLY", "r1").is_error());
}

TEST_CASE("NODE refuses numbers and words that make no sense") {
  Servers servers{Servers::replicas()};
  const Reply before = servers.node("LIST");
  for (const char* ms : {"1000000000000000", "-1000000000000000", "x", "", "1.5"})
    CHECK(servers.node("CLOCK", "r1", "STEP", ms) ==
          error("ERR PICKLOCK NODE CLOCK STEP takes milliseconds from -31622400000000 to "
                "31622400000000"));
  for (const char* ms : {"-31622400000000", "-1577836800001"})
    CHECK(servers.node("CLOCK", "r1", "STEP", ms) ==
          error("ERR a clock can be set to the years 1970 to 9999, and no further"));
  for (const char* ppm : {"1000001", "-900001", "1.5", "x"})
    CHECK(servers.node("CLOCK", "r1", "DRIFT", ppm) ==
          error("ERR PICKLOCK NODE CLOCK DRIFT takes parts in a million from -900000 to 1000000"));
  for (const char* what : {"FREEZE", "THAW"})
    CHECK(servers.node("CLOCK", "default", what) ==
          error("ERR all go by the clock of 'default': PICKLOCK ADVANCE and SET-TIME move it"));
  for (const char* count : {"-1", "x", "1000000001"}) {
    CHECK(servers.node("LAG", "r1", count) ==
          error("ERR PICKLOCK NODE LAG takes a number from 0 to 1000000000, or ALL, or OFF"));
    CHECK(servers.node("APPLY", "r1", count) ==
          error("ERR PICKLOCK NODE APPLY takes a number from 0 to 1000000000, or ALL"));
  }
  for (const char* port : {"-1", "65536", "x"})
    CHECK(servers.node("ADD", "y", "PORT", port) ==
          error("ERR PICKLOCK NODE ADD PORT takes a port from 1 to 65535, or 0 for a free one"));
  CHECK(servers.node("RESTART", "r1", "KEEP", "SOME") ==
        error("ERR PICKLOCK NODE takes START or RESTART <name> [KEEP ALL|SYNCED|NOTHING]"));
  CHECK(servers.node("ADD", "y", "PORT") ==
        error("ERR PICKLOCK NODE takes ADD <name> [PORT <port>] [REPLICAOF <other>]"));
  CHECK(servers.node("CLOCK", "r1", "STOP") ==
        error("ERR PICKLOCK NODE takes CLOCK <name> DRIFT <ppm>|STEP <ms>|FREEZE|THAW"));
  CHECK(servers.node("CONNECT", "r1", "VIA", "r2") ==
        error("ERR PICKLOCK NODE takes CONNECT <name> [TO <other>]"));
  CHECK(servers.node("STOP") == error("ERR PICKLOCK NODE takes STOP <name>"));
  CHECK(servers.node("LIST", "all") == error("ERR PICKLOCK NODE takes LIST"));
  CHECK(servers.node("EXPLODE", "r1") ==
        error("ERR PICKLOCK NODE takes ADD, APPLY, CLOCK, CONNECT, CUT, LAG, LIST, PENDING, "
              "PROMOTE, RESTART, START or STOP; see PICKLOCK HELP"));
  CHECK(servers.node("LIST") == before);
}

TEST_CASE("while a script runs nothing ends it: NODE waits for nobody and changes nothing") {
  Servers servers{Servers::replicas(), false, {.script_budget = 100'000}};
  servers.control.call({"SET", "k", "v"});
  Socket runs = servers.connect("r1");
  runs.send(request({"EVAL", "while true do end", "0"}));
  await("it is busy", [&] { return servers.connect("r1").call({"GET", "k"}).is_error(); });
  const Reply refused = error("ERR a script is running at 'r1': end it before");
  for (const char* what : {"STOP", "RESTART", "PROMOTE", "APPLY"})
    CHECK(servers.node(what, "r1") == refused);
  CHECK(servers.node("PROMOTE", "r2") == refused);
  CHECK(servers.node("CONNECT", "r1", "TO", "r2") == refused);
  CHECK(servers.connect("r1").call({"PICKLOCK", "NODE", "LIST"}).is_error());
  CHECK(servers.node("RESTART", "r2") == status("OK"));
  servers.control.call({"SET", "k", "w"});
  CHECK(servers.fact("r1", "behind") == 1);
  CHECK(servers.connect("r2").call({"GET", "k"}) == "w");
  CHECK(servers.connect("r1").call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK(runs.reply().is_error());
  CHECK(servers.connect("r1").call({"GET", "k"}) == "w");
  CHECK(servers.node("PROMOTE", "r1") == status("OK"));
}

TEST_CASE("KEEP SYNCED wants something that was synchronised") {
  Servers servers{{}};
  servers.control.call({"SET", "k", "v"});
  CHECK(
      servers.node("RESTART", "default", "KEEP", "SYNCED") ==
      error("ERR nothing is synchronised at 'default': start the server with --node, --replica or "
            "--sentinel, or add a node before"));
  CHECK(servers.control.call({"GET", "k"}) == "v");
  CHECK(servers.node("RESTART", "default", "KEEP", "NOTHING") == status("OK"));
  CHECK(servers.control.call({"GET", "k"}) == nil);
}

TEST_CASE("NODE is neither for clusters nor for emulators without a server") {
  Emulator redis{{.cluster = true}};
  {
    Server server{redis};
    Socket client = Socket::tcp(server.port());
    CHECK(client.call({"PICKLOCK", "NODE", "ADD", "x"}) ==
          error("ERR this is a cluster: CLUSTER says what its nodes are"));
  }
  CHECK(redis.connect().call("PICKLOCK", "NODE", "LIST") ==
        error("ERR there is no server here: make Emulators and Replicas in the program"));
  Emulator other;
  CHECK_THROWS_WITH((Server{other, {.nodes = {{.name = "a"}, {.name = "a"}}}}),
                    "there are two servers 'a': give them other names");
  CHECK_THROWS_WITH((Server{other, {.nodes = {{.name = "sentinel"}}, .sentinel_port = 0}}),
                    "'sentinel' is the sentinel's own name: give the node another one");
}

TEST_CASE("there is an end to nodes") {
  Servers servers{{}};
  for (int i = 1; i < 64; ++i) REQUIRE(servers.node("ADD", "n" + std::to_string(i)).integer() > 0);
  CHECK(servers.node("ADD", "n64") ==
        error("ERR there are 64 nodes already: no more fit in one process"));
}

TEST_CASE("CONFIG SET moves no server whose port the others know") {
  Servers servers{{{.name = "other"}}};
  CHECK(servers.control.call({"CONFIG", "SET", "port", "0"}).is_error());
  CHECK(servers.connect().call({"PING"}) == status("PONG"));
}
