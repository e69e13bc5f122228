// What goes over the sockets of a Server: cut, piled up, unread, broken off.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <picklock/server.hpp>

#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::await;
using picklock::test::request;
using picklock::test::Socket;

TEST_CASE("a request may be cut at every byte") {
  Emulator redis;
  Server server{redis};
  const std::string bytes = request({"SET", "k", std::string_view{"a\r\n\0b", 5}}) +
                            "ECHO inline\r\n" + request({"GET", "k"});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    INFO("cut at " << cut);
    Socket client{server.connect_fd()};
    client.send(bytes.substr(0, cut));
    client.await_read();
    client.send(bytes.substr(cut));
    REQUIRE(client.reply() == status("OK"));
    REQUIRE(client.reply() == "inline");
    REQUIRE(client.reply() == std::string_view{"a\r\n\0b", 5});
  }
}

TEST_CASE("ten thousand pipelined commands are answered in order") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  std::string pipeline;
  for (int i = 1; i <= 10'000; ++i) pipeline += request({"INCR", "n"});
  client.send(pipeline);
  for (int i = 1; i <= 10'000; ++i) REQUIRE(client.reply() == i);
}

TEST_CASE("two hundred clients are served at once") {
  Emulator redis;
  Server server{redis};
  std::vector<Socket> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(Socket::tcp(server.port()));
  for (Socket& client : clients) client.send(request({"INCR", "n"}));
  std::int64_t sum = 0;
  for (Socket& client : clients) sum += client.reply().integer();
  CHECK(sum == 200 * 201 / 2);
  CHECK(server.connections() == 200);
  clients.clear();
  await("all connections end", [&] { return server.connections() == 0; });
}

TEST_CASE("a client that vanishes in the middle of a request disturbs nobody") {
  Emulator redis;
  Server server{redis};
  Socket stays = Socket::tcp(server.port());
  for (const std::string_view half :
       {"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100\r\nv", "*", "SET k", ""}) {
    Socket goes = Socket::tcp(server.port());
    goes.call({"PING"});
    goes.send(half);
    goes.reset();
    CHECK(stays.call({"EXISTS", "k"}) == 0);
  }
  await("they are forgotten", [&] { return server.connections() == 1; });
}

TEST_CASE("a client that vanishes in the middle of a large reply disturbs nobody") {
  Emulator redis;
  Server server{redis};
  Socket stays = Socket::tcp(server.port());
  const std::string large(8 * 1024 * 1024, 'x');
  CHECK(stays.call({"SET", "large", large}) == status("OK"));
  {
    Socket goes = Socket::tcp(server.port());
    for (int i = 0; i < 8; ++i) goes.send(request({"GET", "large"}));
    CHECK(stays.call({"PING"}) == status("PONG"));
    goes.reset();
  }
  CHECK(stays.call({"STRLEN", "large"}) == large.size());
  await("it is forgotten", [&] { return server.connections() == 1; });
}

TEST_CASE("a slow reader gets every byte") {
  Emulator redis;
  Server server{redis};
  Socket slow = Socket::tcp(server.port());
  Socket other = Socket::tcp(server.port());
  const std::string large(1024 * 1024, 'y');
  CHECK(other.call({"SET", "large", large}) == status("OK"));
  for (int i = 0; i < 64; ++i) slow.send(request({"GET", "large"}) + request({"INCR", "n"}));
  CHECK(other.call({"PING"}) == status("PONG"));
  for (int i = 1; i <= 64; ++i) {
    REQUIRE(slow.reply() == large);
    REQUIRE(slow.reply() == i);
  }
}

TEST_CASE("a client that has finished sending still gets its replies") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  const std::string large(1024 * 1024, 'z');
  CHECK(client.call({"SET", "large", large}) == status("OK"));
  for (int i = 0; i < 32; ++i) client.send(request({"GET", "large"}));
  client.finish_sending();
  for (int i = 0; i < 32; ++i) REQUIRE(client.reply() == large);
  CHECK(client.ended());
}

TEST_CASE("who sends without end keeps nobody waiting") {
  Emulator redis;
  Server server{redis};
  std::string many = request({"CLIENT", "REPLY", "OFF"});
  for (int i = 0; i < 10'000; ++i) many += request({"SET", "k", "v"});
  std::atomic<bool> enough = false;
  std::atomic<bool> stopped = false;
  std::thread sender([&] {
    Socket flood = Socket::tcp(server.port());
    for (int i = 0; i < 2'000 && !enough; ++i) flood.send(many);
    stopped = true;
  });
  Socket other = Socket::tcp(server.port());
  await("the flood", [&] { return other.call({"EXISTS", "k"}) == 1; });
  for (int i = 0; i < 20; ++i) CHECK(other.call({"PING"}) == status("PONG"));
  CHECK(redis.connect().call("PING") == status("PONG"));
  CHECK(!stopped);
  enough = true;
  sender.join();
}

TEST_CASE("a request of any size is read, and its client's end is seen behind it") {
  Emulator redis;
  Server server{redis};
  // As much as is read at once, which is 16 KB, a byte less and a byte more, and many times of it.
  const std::size_t size = GENERATE(1, 16'384, 16'383, 16'385, 32'768, 1'000'000);
  const std::size_t beside = request({"ECHO", std::string(size, 'e')}).size() - size;
  const std::string text(size - std::min(size, beside), 'e');
  Socket client = Socket::tcp(server.port());
  client.call({"PING"});
  client.send(request({"ECHO", text}));
  CHECK(client.reply() == text);
  client.send(request({"ECHO", text}));
  client.finish_sending();
  CHECK(client.reply() == text);
  CHECK(client.ended());
  await("it is forgotten", [&] { return server.connections() == 0; });
}

TEST_CASE("QUIT is answered before the connection ends") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  client.send(request({"PING"}) + request({"QUIT"}));
  CHECK(client.reply() == status("PONG"));
  CHECK(client.reply() == status("OK"));
  CHECK(client.ended());
  await("it is forgotten", [&] { return server.connections() == 0; });
}

TEST_CASE("a broken protocol is answered with Redis's error before the connection ends") {
  Emulator redis;
  Server server{redis};
  const auto [bytes, text] = GENERATE(table<std::string, std::string>({
      {"*1\r\n$x\r\n", "ERR Protocol error: invalid bulk length"},
      {"*1\r\n$-1\r\n", "ERR Protocol error: invalid bulk length"},
      {"*x\r\n", "ERR Protocol error: invalid multibulk length"},
      {"*1\r\n+PING\r\n", "ERR Protocol error: expected '$', got '+'"},
      {"GET \"unbalanced\r\n", "ERR Protocol error: unbalanced quotes in request"},
  }));
  Socket client = Socket::tcp(server.port());
  client.send(bytes);
  CHECK(client.reply() == error(text));
  CHECK(client.ended());
}

TEST_CASE("CLIENT LIST shows where a client comes from") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  const std::string info = client.call({"CLIENT", "INFO"}).text();
  CHECK(info.find(" laddr=" + server.address() + " ") != std::string::npos);
  CHECK(info.find(" addr=127.0.0.1:") != std::string::npos);
}
