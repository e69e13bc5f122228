// picklock::Server with real sockets: clients that come, ask and leave in good order.
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <picklock/server.hpp>

#include "tests/server/program.hpp"
#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;
using picklock::test::await;
using picklock::test::request;
using picklock::test::Socket;
using picklock::test::TemporaryDirectory;

TEST_CASE("a client on the TCP port and one in the process see the same keys") {
  Emulator redis;
  Client inside = redis.connect();
  Server server{redis};
  Socket outside = Socket::tcp(server.port());

  CHECK(outside.call({"SET", "k", "from outside"}) == status("OK"));
  CHECK(inside.call("GET", "k") == "from outside");
  CHECK(inside.call("SET", "k", "from inside") == status("OK"));
  CHECK(outside.call({"GET", "k"}) == "from inside");
  CHECK(server.address() == "127.0.0.1:" + std::to_string(server.port()));
}

TEST_CASE("who is told of a script's log may ask the emulator, and the server") {
  Emulator redis;
  std::vector<std::string> told;
  const Server* asked = nullptr;
  ServerOptions options;
  options.on_script_log = [&](const LogLine& line) {
    told.push_back(line.text + " " + std::to_string(redis.blocked_clients()) + " " +
                   asked->address());
  };
  const Server server{redis, options};
  asked = &server;
  Socket client = Socket::tcp(server.port());
  constexpr auto kLogs = "redis.log(redis.LOG_WARNING, 'here') return 1";
  CHECK(client.call({"EVAL", kLogs, "0"}) == 1);
  CHECK(redis.connect().call("EVAL", kLogs, "0") == 1);
  const std::string line = "here 0 " + server.address();
  CHECK(told == std::vector{line, line});
}

TEST_CASE("a socket pair needs no address") {
  Emulator redis;
  Server server{redis, {.port = std::nullopt}};
  Socket client{server.connect_fd()};

  CHECK(server.port() == 0);
  CHECK(server.address().empty());
  CHECK(client.call({"PING"}) == status("PONG"));
}

TEST_CASE("a Unix socket is served and removed at the end") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("redis.sock");
  Emulator redis;
  {
    Server server{redis, {.port = std::nullopt, .unix_socket = path}};
    Socket client = Socket::unix_path(path);
    CHECK(client.call({"ECHO", "hello"}) == "hello");
    CHECK(server.address() == path);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a Unix socket that a dead server left behind is replaced") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("redis.sock");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(dead);
  REQUIRE(std::filesystem::is_socket(path));

  Emulator redis;
  Server server{redis, {.port = std::nullopt, .unix_socket = path}};
  Socket client = Socket::unix_path(path);
  CHECK(client.call({"PING"}) == status("PONG"));
}

TEST_CASE("a Unix socket that answers, and a file that is none, are left alone") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("redis.sock");
  const std::string file = directory.file("notes.txt");
  std::ofstream(file) << "precious";
  Emulator first, second;
  Server server{first, {.port = std::nullopt, .unix_socket = path}};

  CHECK_THROWS_WITH((Server{second, {.port = std::nullopt, .unix_socket = path}}),
                    "cannot listen on " + path + ": another server answers there");
  CHECK_THROWS_WITH((Server{second, {.port = std::nullopt, .unix_socket = file}}),
                    "cannot listen on " + file + ": it exists and is not a socket");
  CHECK(Socket::unix_path(path).call({"PING"}) == status("PONG"));
  CHECK(std::filesystem::file_size(file) == 8);
}

TEST_CASE("a port in use is said in one line") {
  Emulator first, second;
  Server server{first};
  CHECK_THROWS_AS((Server{second, {.port = server.port()}}), ListenError);
  CHECK_THROWS_WITH((Server{second, {.port = server.port()}}),
                    "cannot listen on " + server.address() + ": Address already in use");
  CHECK_THROWS_AS((Server{second, {.address = "nowhere"}}), ListenError);
  // An emulator whose server never came to be is as hermetic as before.
  Client client = second.connect();
  CHECK(client.call("PING") == status("PONG"));
}

TEST_CASE("an emulator has one server at a time") {
  Emulator redis;
  Client client = redis.connect();
  {
    Server server{redis};
    CHECK_THROWS_AS(Server{redis}, std::logic_error);
    CHECK(Socket::tcp(server.port()).call({"PING"}) == status("PONG"));
    CHECK(client.call("PING") == status("PONG"));
  }
  CHECK_NOTHROW(Server{redis});
}

TEST_CASE("the clock is moved by the test while clients are connected") {
  Emulator redis;
  Server server{redis};
  Socket alice = Socket::tcp(server.port());
  Socket bob = Socket::tcp(server.port());

  CHECK(alice.call({"SET", "lock", "alice", "NX", "PX", "1500"}) == status("OK"));
  redis.advance(1500ms);
  CHECK(bob.call({"SET", "lock", "bob", "NX", "PX", "1500"}) == nil);
  redis.advance(1ms);
  CHECK(bob.call({"SET", "lock", "bob", "NX", "PX", "1500"}) == status("OK"));
  CHECK(redis.inspect().string("lock") == "bob");
  CHECK(redis.now() == kDefaultStart + 1501ms);
}

TEST_CASE("the clock is moved by a client of the server") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());

  CHECK(client.call({"SET", "lock", "alice", "PX", "100"}) == status("OK"));
  CHECK(client.call({"PICKLOCK", "ADVANCE", "101"}) == to_unix_ms(kDefaultStart) + 101);
  CHECK(client.call({"GET", "lock"}) == nil);
  CHECK(redis.now() == kDefaultStart + 101ms);
}

TEST_CASE("threads that use the emulator of a server lose no call") {
  Emulator redis;
  Server server{redis};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&redis] {
      Client client = redis.connect();
      for (int n = 0; n < 250; ++n) client.call("INCR", "calls");
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(Socket::tcp(server.port()).call({"GET", "calls"}) == "1000");
}

TEST_CASE("what a call throws on the server's thread is thrown to its caller") {
  Emulator redis;
  Server server{redis};
  CHECK_THROWS_AS(redis.attach(12345), std::out_of_range);
  CHECK(redis.connect().call("PING") == status("PONG"));
}

TEST_CASE("a server that ends closes its connections and leaves the emulator as it is") {
  Emulator redis;
  Client inside = redis.connect();
  std::optional<Server> server(std::in_place, redis);
  Socket client = Socket::tcp(server->port());
  CHECK(client.call({"SET", "k", "v"}) == status("OK"));

  server.reset();
  CHECK(client.ended());
  CHECK(inside.call("GET", "k") == "v");

  server.emplace(redis);
  CHECK(Socket::tcp(server->port()).call({"GET", "k"}) == "v");
}

TEST_CASE("restoring a snapshot ends the connections that it does not know") {
  Emulator redis;
  Server server{redis};
  Socket early = Socket::tcp(server.port());
  CHECK(early.call({"SELECT", "3"}) == status("OK"));
  const Snapshot snapshot = redis.snapshot();
  CHECK(early.call({"SELECT", "4"}) == status("OK"));
  CHECK(early.call({"HELLO", "3"}).type() == Reply::Type::map);
  Socket late = Socket::tcp(server.port());
  CHECK(late.call({"SET", "k", "v"}) == status("OK"));

  redis.restore(snapshot);
  CHECK(late.ended());
  CHECK(early.call({"HGETALL", "none"}) == array());
  CHECK(early.call({"CLIENT", "INFO"}).text().find(" db=3 ") != std::string::npos);
  CHECK(redis.connect().call("EXISTS", "k") == 0);
}

TEST_CASE("a clock that flows expires keys by itself") {
  OffsetClock clock;
  Emulator redis{{}, clock};
  Server server{redis};
  Socket client = Socket::tcp(server.port());

  CHECK(client.call({"SET", "soon", "v", "PX", "5"}) == status("OK"));
  CHECK(client.call({"SET", "later", "v", "PX", "3600000"}) == status("OK"));
  await("the key goes", [&] { return client.call({"DBSIZE"}) == 1; });
  client.call({"PICKLOCK", "ADVANCE", "3600001"});
  CHECK(client.call({"DBSIZE"}) == 0);
}
