// Serves an emulator to Redis clients: on a TCP port, a Unix socket, or a socket pair without any
// address.
//
// A Server has a thread of its own, which carries out everything that its clients and the
// emulator's owner ask, one thing at a time. While it lives, Emulator and Client may be used from
// any thread. Opt-in: a test that does not construct one has no socket and no thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// A further server behind a port of its own, in the same process and on the same clock.
struct NodeOptions {
  /// 1 to 64 visible ASCII characters, without quotes; not "default", which is the first server.
  std::string name;
  /// Its TCP port; 0: a free one; nullopt: the one after the port before, or a free one if the
  /// first server's was picked.
  std::optional<std::uint16_t> port;
  /// Whether it follows the first server; what is written there gets through after each turn.
  bool is_replica = false;
};

/// Where a Server listens, and whom it tells of what.
struct ServerOptions {
  /// The IP address to listen on.
  std::string address = "127.0.0.1";
  /// The TCP port; 0 picks a free one, nullopt listens on none.
  std::optional<std::uint16_t> port = 0;
  /// The path of a Unix socket to listen on; none when empty. It is removed at the end.
  std::string unix_socket;
  /// With more than one: serves a Redis Cluster of so many nodes with even shares of the slots, on
  /// `port` and those after it. The emulator, made with Options::cluster, is the first one; the
  /// server makes the others like it, on its clock.
  int cluster_nodes = 1;
  /// Further servers, which PICKLOCK NODE steers: made like the emulator, with ports on `address`.
  std::vector<NodeOptions> nodes;
  /// The port of a sentinel that watches the emulator and those that follow it; 0 picks one.
  std::optional<std::uint16_t> sentinel_port;
  /// What it calls them.
  std::string sentinel_name = "mymaster";
  /// Whether a simulated clock jumps to the next event whenever every client is blocked.
  bool auto_advance = false;
  /// Called on the server's thread when a client sends SHUTDOWN, to make the program end; without
  /// it SHUTDOWN is refused.
  std::function<void()> on_shutdown;
  /// Called on the server's thread with every line that a script gives to redis.log at the level
  /// of the setting `loglevel`, or above. What it throws leaves the call in this process that has
  /// run the script; of a client behind a socket nobody could catch it, and the program ends.
  std::function<void(const LogLine&)> on_script_log;
};

/// Thrown when a Server cannot listen (the port is in use...); its text says where and why.
class ListenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Serves one emulator from construction to destruction: `picklock::Server server{redis};`.
class Server {
 public:
  /// Listens and serves at once; throws ListenError, and std::logic_error if `emulator`, which must
  /// outlive the server, has another one. On a clock that flows, what falls due fires by itself.
  explicit Server(Emulator& emulator, const ServerOptions& options = {});
  /// Stops: closes every connection. The emulator stays as it is.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The TCP port; 0 when it listens on none.
  std::uint16_t port() const;
  /// The port of one of ServerOptions::nodes, or of one that PICKLOCK NODE ADD has made; 0 if there
  /// is none of that name.
  std::uint16_t port(const std::string& node) const;
  /// The sentinel's; 0 without one.
  std::uint16_t sentinel_port() const;
  /// The other nodes and the sentinel, for people: ", replica on 6381, sentinel on 26379".
  std::string nodes() const;
  /// Where it listens, for people: "127.0.0.1:6380", "/tmp/redis.sock", or both joined by " and ".
  std::string address() const;
  /// A connected socket that the caller owns and closes: `redisConnectFd(server.connect_fd())`.
  /// Throws std::system_error when the process has no descriptor left.
  int connect_fd();
  /// The number of connections open.
  std::size_t connections() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock

#pragma GCC visibility pop
