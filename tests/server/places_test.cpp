// Several servers behind a port, the barrier, and clients that are sent away.
#include <cstdio>
#include <fstream>
#include <ifaddrs.h>
#include <sstream>

#include <picklock/server.hpp>

#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;
using picklock::test::await;
using picklock::test::request;
using picklock::test::Socket;

TEST_CASE("NEW makes a server with its own keys, clock and faults behind the same port") {
  Emulator redis{{.databases = 3}};
  Server server{redis};
  Socket first = Socket::tcp(server.port());
  Socket second = Socket::tcp(server.port());
  CHECK(first.call({"SET", "k", "first"}) == status("OK"));
  CHECK(second.call({"PICKLOCK", "NEW", "other"}) == status("OK"));
  CHECK(second.call({"SELECT", "1"}) == status("OK"));
  CHECK(second.call({"PICKLOCK", "USE", "other"}) == status("OK"));
  CHECK(second.call({"CLIENT", "INFO"}).text().find(" db=0 ") != std::string::npos);
  CHECK(second.call({"EXISTS", "k"}) == 0);
  CHECK(second.call({"SELECT", "3"}).is_error());
  CHECK(second.call({"CONFIG", "GET", "port"}) == array("port", std::to_string(server.port())));
  CHECK(second.call({"PICKLOCK", "ADVANCE", "1000"}) == to_unix_ms(kDefaultStart) + 1000);
  CHECK(first.call({"PICKLOCK", "NOW"}) == to_unix_ms(kDefaultStart));
  second.call({"PICKLOCK", "FAULT", "ADD", "ERROR", "ERR no", "COMMAND", "get"});
  CHECK(first.call({"GET", "k"}) == "first");
  CHECK(second.call({"GET", "k"}) == error("ERR no"));
  CHECK(second.call({"PICKLOCK", "USE", "default"}) == status("OK"));
  CHECK(second.call({"GET", "k"}) == "first");
}

TEST_CASE("what is sent behind USE in one go is for the other server") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  client.send(request({"SET", "k", "v"}) + request({"PICKLOCK", "NEW", "b"}) +
              request({"PICKLOCK", "USE", "b"}) + request({"EXISTS", "k"}) +
              request({"BLPOP", "list", "0"}) + request({"PING"}));
  CHECK(client.reply() == status("OK"));
  CHECK(client.reply() == status("OK"));
  CHECK(client.reply() == status("OK"));
  CHECK(client.reply() == 0);
  Socket other = Socket::tcp(server.port());
  CHECK(other.call({"PICKLOCK", "BLOCKED"}) == 0);
  CHECK(other.call({"PICKLOCK", "USE", "b"}) == status("OK"));
  CHECK(other.call({"PICKLOCK", "BLOCKED", "MIN", "1"}) == 1);
  CHECK(other.call({"RPUSH", "list", "v"}) == 1);
  CHECK(client.reply() == array("list", "v"));
  CHECK(client.reply() == status("PONG"));
}

TEST_CASE("a server on a clock that flows makes others on such a clock") {
  OffsetClock clock;
  Emulator redis{{}, clock};
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  client.call({"PICKLOCK", "NEW", "b"});
  client.call({"PICKLOCK", "USE", "b"});
  CHECK(client.call({"SET", "soon", "v", "PX", "5"}) == status("OK"));
  await("the key goes", [&] { return client.call({"DBSIZE"}) == 0; });
  const auto before = client.call({"PICKLOCK", "NOW"}).integer();
  CHECK(client.call({"PICKLOCK", "ADVANCE", "3600000"}).integer() >= before + 3'600'000);
}

TEST_CASE("with auto_advance each server's clock jumps by itself") {
  Emulator redis;
  Server server{redis, {.auto_advance = true}};
  Socket idle = Socket::tcp(server.port());
  CHECK(idle.call({"PICKLOCK", "NEW", "b"}) == status("OK"));
  Socket waits = Socket::tcp(server.port());
  waits.send(request({"PICKLOCK", "USE", "b"}) + request({"BLPOP", "list", "60"}));
  CHECK(waits.reply() == status("OK"));
  CHECK(waits.reply() == nil);
  CHECK(idle.call({"PICKLOCK", "NOW"}) == to_unix_ms(kDefaultStart));
}

TEST_CASE("with auto_advance nobody waits for who has asked all and not read it yet") {
  Emulator redis;
  redis.connect().call("SET", "large", std::string(20'000'000, 'x'));
  Server server{redis, {.auto_advance = true}};
  Socket leaves = Socket::tcp(server.port());
  leaves.send(request({"GET", "large"}));
  leaves.finish_sending();
  Socket waits = Socket::tcp(server.port());
  CHECK(waits.call({"BLPOP", "list", "60"}) == nil);
  CHECK(leaves.reply().text().size() == 20'000'000);
}

TEST_CASE("NEW and USE refuse what makes no sense") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  CHECK(client.call({"PICKLOCK", "USE", "b"}) ==
        error("ERR there is no server 'b': make it with PICKLOCK NEW <name>"));
  client.call({"PICKLOCK", "NEW", "b"});
  for (const char* name : {"b", "default"})
    CHECK(client.call({"PICKLOCK", "NEW", name}) ==
          error("ERR there is a server '" + std::string{name} +
                "' already: PICKLOCK USE takes you there"));
  CHECK(client.call({"PICKLOCK", "NEW", ""}).is_error());
  CHECK(client.call({"PING"}) == status("PONG"));
}

TEST_CASE("BLOCKED waits until so many clients are blocked, or until its time is over") {
  Emulator redis;
  Server server{redis};
  Socket asks = Socket::tcp(server.port());
  CHECK(asks.call({"PICKLOCK", "BLOCKED"}) == 0);
  asks.send(request({"PICKLOCK", "BLOCKED", "MIN", "2"}) + request({"PING"}));
  Socket one = Socket::tcp(server.port());
  Socket two = Socket::tcp(server.port());
  one.send(request({"BLPOP", "list", "0"}));
  two.send(request({"BLPOP", "list", "0"}));
  CHECK(asks.reply() == 2);
  CHECK(asks.reply() == status("PONG"));
  CHECK(asks.call({"PICKLOCK", "BLOCKED", "TIMEOUT", "5", "MIN", "3"}) ==
        error("ERR PICKLOCK BLOCKED: only 2 of 3 clients were blocked in time; wait longer with "
              "TIMEOUT, or look at PICKLOCK TRACE"));
  CHECK(asks.call({"PING"}) == status("PONG"));
}

TEST_CASE("a client that leaves while it waits at a barrier harms nobody") {
  Emulator redis;
  Server server{redis};
  {
    Socket asks = Socket::tcp(server.port());
    asks.send(request({"PICKLOCK", "BLOCKED", "MIN", "1", "TIMEOUT", "20"}));
    asks.reset();
  }
  Socket other = Socket::tcp(server.port());
  CHECK(other.call({"PICKLOCK", "BLOCKED", "MIN", "1", "TIMEOUT", "40"}).is_error());
}

TEST_CASE("BLOCKED refuses what makes no sense in one line") {
  Emulator redis;
  Client client = redis.connect();
  const auto refused = [&](auto... words) {
    return client.call("PICKLOCK", "BLOCKED", words...).text();
  };
  for (const char* number : {"-1", "x", "", "1000001"})
    CHECK(refused("MIN", number) ==
          "ERR PICKLOCK BLOCKED MIN takes a whole number from 0 to 1000000");
  for (const char* number : {"-1", "x", "", "3600001"})
    CHECK(refused("TIMEOUT", number) ==
          "ERR PICKLOCK BLOCKED TIMEOUT takes a whole number from 0 to 3600000");
  CHECK(refused("MIN") == "ERR PICKLOCK BLOCKED takes [MIN <clients>] [TIMEOUT <milliseconds>]");
  CHECK(refused("SOON", "1") ==
        "ERR PICKLOCK BLOCKED takes [MIN <clients>] [TIMEOUT <milliseconds>]");
  CHECK(refused("MIN", "1") ==
        "ERR only 0 of 1 clients are blocked, and without a server nobody else can come");
}

TEST_CASE("clients beyond maxclients are sent away with Redis's error") {
  Emulator redis;
  redis.connect().call("CONFIG", "SET", "maxclients", 2);
  Server server{redis};
  Socket one = Socket::tcp(server.port());
  CHECK(one.call({"PING"}) == status("PONG"));
  {
    Socket two = Socket::tcp(server.port());
    CHECK(two.call({"PING"}) == status("PONG"));
    Socket three = Socket::tcp(server.port());
    CHECK(three.reply() == error("ERR max number of clients reached"));
    CHECK(three.ended());
  }
  await("it is gone", [&] { return server.connections() == 1; });
  CHECK(Socket::tcp(server.port()).call({"PING"}) == status("PONG"));
  CHECK(one.call({"INFO", "stats"}).text().find("rejected_connections:1\r\n") != std::string::npos);
}

TEST_CASE("clients that are idle for longer than timeout are disconnected, by the server's clock") {
  Emulator redis;
  Server server{redis};
  Socket idle = Socket::tcp(server.port());
  Socket subscriber = Socket::tcp(server.port());
  Socket blocked = Socket::tcp(server.port());
  Socket busy = Socket::tcp(server.port());
  CHECK(idle.call({"PING"}) == status("PONG"));
  subscriber.call({"SUBSCRIBE", "news"});
  blocked.send(request({"BLPOP", "list", "0"}));
  CHECK(busy.call({"PICKLOCK", "BLOCKED", "MIN", "1"}) == 1);
  CHECK(busy.call({"CONFIG", "SET", "timeout", "10"}) == status("OK"));
  busy.call({"PICKLOCK", "ADVANCE", "10000"});
  CHECK(idle.call({"PING"}) == status("PONG"));
  busy.call({"PICKLOCK", "ADVANCE", "10999"});
  CHECK(idle.call({"PING"}) == status("PONG"));
  busy.call({"PICKLOCK", "ADVANCE", "12000"});
  CHECK(idle.ended());
  CHECK(busy.call({"PUBLISH", "news", "x"}) == 1);
  CHECK(busy.call({"RPUSH", "list", "v"}) == 1);
  CHECK(blocked.reply() == array("list", "v"));
}

namespace {

/// An address of this machine that is not its loopback; empty if there is none.
std::string outer_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* entry = all; entry && found.empty(); entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET) continue;
    const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    if ((ntohl(address->sin_addr.s_addr) >> 24) == 127) continue;
    char text[INET_ADDRSTRLEN];
    found = ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
  }
  ::freeifaddrs(all);
  return found;
}

}  // namespace

TEST_CASE("a server listens on every address that it is given") {
  Emulator redis;
  Server server{redis, {.address = "127.0.0.1 -203.0.113.9 127.0.0.2"}};
  CHECK(Socket::tcp(server.port()).call({"PING"}) == status("PONG"));
  CHECK(Socket::tcp(server.port(), "127.0.0.2").call({"PING"}) == status("PONG"));
  CHECK_THROWS_AS(Socket::tcp(server.port(), "127.0.0.3"), std::runtime_error);
  Emulator other;
  CHECK_THROWS_AS((Server{other, {.address = "-203.0.113.9"}}), ListenError);
}

TEST_CASE("in protected mode nobody comes in from another address, as on a real server") {
  const std::string outside = outer_address();
  if (outside.empty()) return;  // A machine without a network.
  Emulator redis;
  Server server{redis, {.address = "0.0.0.0"}};
  Socket refused = Socket::tcp(server.port(), outside);
  CHECK_THAT(refused.reply().text(),
             Catch::StartsWith("DENIED Redis is running in protected mode"));
  CHECK(refused.ended());
  Socket inside = Socket::tcp(server.port());
  CHECK(inside.call({"CONFIG", "SET", "protected-mode", "no"}) == status("OK"));
  CHECK(Socket::tcp(server.port(), outside).call({"PING"}) == status("PONG"));
  inside.call({"CONFIG", "SET", "protected-mode", "yes", "requirepass", "secret"});
  CHECK(Socket::tcp(server.port(), outside).call({"PING"}) ==
        error("NOAUTH Authentication required."));
}

namespace {

/// The timer that the kernel runs for a connection from `client` to `server`, as /proc/net/tcp has
/// it.
std::string kernel_timer(std::uint16_t server, std::uint16_t client) {
  const auto hex = [](std::uint16_t port) {
    char text[8];
    std::snprintf(text, sizeof text, ":%04X", port);
    return std::string{text};
  };
  std::ifstream file("/proc/net/tcp");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state, queues, timer;
    words >> number >> local >> remote >> state >> queues >> timer;
    if (local.ends_with(hex(server)) && remote.ends_with(hex(client))) return timer.substr(0, 2);
  }
  return "";
}

}  // namespace

TEST_CASE("the kernel probes idle connections, unless tcp-keepalive is 0") {
  Emulator redis;
  Server server{redis};
  const auto timer_of_new_client = [&] {
    Socket client = Socket::tcp(server.port());
    const std::string info = client.call({"CLIENT", "INFO"}).text();
    const auto at = info.find(" addr=127.0.0.1:") + 16;
    std::string timer;
    await("its answer is acknowledged", [&] {
      timer = kernel_timer(server.port(), static_cast<std::uint16_t>(std::stoi(info.substr(at))));
      return timer != "01";
    });
    return timer;
  };
  CHECK(timer_of_new_client() == "02");
  redis.connect().call("CONFIG", "SET", "tcp-keepalive", 0);
  CHECK(timer_of_new_client() == "00");
}

TEST_CASE("what is sent behind a second USE in one go is for the server that it names") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  client.send(request({"SET", "k", "v"}) + request({"PICKLOCK", "NEW", "b"}) +
              request({"PICKLOCK", "USE", "b"}) + request({"EXISTS", "k"}) +
              request({"PICKLOCK", "USE", "default"}) + request({"EXISTS", "k"}));
  for (int i = 0; i < 3; ++i) CHECK(client.reply() == status("OK"));
  CHECK(client.reply() == 0);
  CHECK(client.reply() == status("OK"));
  CHECK(client.reply() == 1);
}

TEST_CASE("BLOCKED is not given up by the limit of one before") {
  Emulator redis;
  Server server{redis};
  Socket asks = Socket::tcp(server.port());
  Socket one = Socket::tcp(server.port());
  asks.send(request({"PICKLOCK", "BLOCKED", "MIN", "1", "TIMEOUT", "200"}));
  one.send(request({"BLPOP", "list", "0"}));
  CHECK(asks.reply() == 1);
  asks.send(request({"PICKLOCK", "BLOCKED", "MIN", "2", "TIMEOUT", "9000"}));
  std::this_thread::sleep_for(300ms);
  Socket two = Socket::tcp(server.port());
  two.send(request({"BLPOP", "list", "0"}));
  CHECK(asks.reply() == 2);
}
