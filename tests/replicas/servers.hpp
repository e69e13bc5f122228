// The servers of the tests of replication over sockets: one of ours behind a port, a scripted one.
//
// Ours runs in the test's own process, so that sanitizers see it, on the machine's clock, since the
// other end is real. One thread uses each of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/server.hpp>

#include "tests/server/socket.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/target.hpp"

namespace picklock::test {

/// A connection over TCP that waits for the answers to what it has sent.
class SocketChannel final : public Channel {
 public:
  explicit SocketChannel(std::uint16_t port);
  std::string exchange(std::string_view bytes) override;
  std::string heard() override { return {}; }
  bool closed() const override { return false; }

 private:
  int descriptor_;
  std::optional<Socket> socket_;
  std::uint64_t last_ = 0;
};

/// picklock's server, on a port of its own.
class Ours {
 public:
  explicit Ours(Options options = {}) : emulator(options, clock), server(std::in_place, emulator) {}

  std::uint16_t port() const { return server->port(); }
  Socket socket() const { return Socket::tcp(port()); }
  std::unique_ptr<Channel> connect() const { return std::make_unique<SocketChannel>(port()); }

  SystemClock clock;
  Emulator emulator;
  std::optional<Server> server;
};

/// A real redis-server, on a port of its own.
class Theirs {
 public:
  explicit Theirs(const std::vector<std::string>& options = {})
      : redis(options), port_(redis.listen_tcp()) {}

  std::uint16_t port() const { return port_; }
  Socket socket() const { return Socket::tcp(port_); }
  std::unique_ptr<Channel> connect() { return redis.connect(); }

  RealRedis redis;

 private:
  std::uint16_t port_;
};

/// A server that says what a test wants.
class Scripted {
 public:
  Scripted();
  ~Scripted();
  Scripted(const Scripted&) = delete;
  Scripted& operator=(const Scripted&) = delete;

  std::uint16_t port() const { return port_; }
  /// Waits for the next connection, ten seconds at most.
  int accept();
  /// Reads from `connection` until what has come contains `text`; returns all of it.
  static std::string hear(int connection, std::string_view text);
  static void say(int connection, std::string_view bytes);
  /// Waits until the other end has closed it.
  static bool was_closed(int connection);
  /// Accepts, and goes through the handshake up to PSYNC, whose words it returns.
  std::string greet(int& connection);

 private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

/// A line of INFO's section replication, without its name; empty if there is none.
std::string info(Socket& socket, const std::string& name);
/// REPLICAOF, and the wait until the link is up.
void follow(Socket& replica, std::uint16_t port);
void await_link(Socket& replica, std::string_view status = "up");
/// Waits until the replica has carried out what its primary has sent.
void await_equal_offsets(Socket& primary, Socket& replica);
/// By the name that dataset() has for it, what is not the same.
using Differences = std::map<std::string, std::string>;

/// How two servers differ that have caught up, deadlines, encodings and functions included. Keys
/// that expire meanwhile are given time; consumers of streams may have been seen at different
/// moments.
Differences differences_that_stay(Channel& theirs, Channel& ours);

}  // namespace picklock::test
