// A private redis-server process for the time of a test.
//
// Listens on a Unix socket in a temporary directory, persists nothing, runs under LC_ALL=C, and
// dies with the object. Startup is awaited by connecting again and again, not by a fixed sleep. One
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/support/raw_client.hpp"
#include "tests/support/target.hpp"

namespace picklock::test {

class RealRedis final : public Target {
 public:
  /// Whether a cluster's node, which takes two seconds until it serves, is waited for by the
  /// constructor, or by the first connect().
  enum class Cluster { now, later };
  /// `options` are settings: name, value, ... A server in cluster mode gets every slot. Throws
  /// std::runtime_error that says what to install when there is no redis-server.
  explicit RealRedis(const std::vector<std::string>& options = {}, Cluster wait = Cluster::now);
  ~RealRedis() override;
  RealRedis(const RealRedis&) = delete;
  RealRedis& operator=(const RealRedis&) = delete;

  std::string_view name() const override { return "redis-server"; }
  std::unique_ptr<Channel> connect() override;
  bool time_stands_still() const override { return false; }
  std::int64_t now_ms() override;
  void pass(std::chrono::milliseconds duration) override;

  const std::string& socket_path() const { return socket_path_; }
  /// Returns once the server has been around its event loop, all earlier input in hand.
  void settle();
  /// As settle(); gives the server's time.
  std::int64_t barrier();
  /// Whether the process still runs.
  bool alive();
  /// Whether a script or function runs on and on, so that everybody is told BUSY.
  bool is_busy();
  /// From now on keys go when somebody looks at them, and at no moment between. For a server
  /// without a password.
  void expire_only_on_access();
  /// Makes the server listen on a free TCP port of 127.0.0.1 too, and gives it.
  std::uint16_t listen_tcp();
  /// Kills the process. Its socket stays, and refuses connections.
  void kill();
  /// After kill(): starts it anew, empty, with the same options and without a TCP port.
  void start_again();

 private:
  void start_node();
  void start();
  void await_ready();
  void await_cluster();

  const std::vector<std::string> options_;
  std::string directory_;
  std::string socket_path_;
  pid_t process_ = -1;
  std::optional<RawClient> control_;
  bool joins_cluster_ = false;
};

}  // namespace picklock::test
