// Real servers: redis-server over a Unix socket and over TCP, picklock-server over TCP.
#include <array>
#include <chrono>

#include <picklock/redis_loop.hpp>
#include <picklock/server.hpp>

#include "tests/lockclient/place.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {
namespace {

using namespace std::chrono_literals;

/// What a real place needs of its servers.
class Servers {
 public:
  virtual ~Servers() = default;
  virtual Endpoint endpoint(std::size_t server) = 0;
  virtual Reply ask(std::size_t server, const std::vector<std::string>& words) = 0;
};

class RealPlace final : public Place {
 public:
  explicit RealPlace(std::unique_ptr<Servers> servers) : servers_(std::move(servers)) {}

  std::unique_ptr<Link> connect(std::size_t server) override {
    return loop_.connect(servers_->endpoint(server));
  }
  Reply ask(const std::vector<std::string>& words, std::size_t server) override {
    return servers_->ask(server, words);
  }
  bool is_exact() const override { return false; }
  Instant now() const override { return loop_.now(); }
  void pass(Duration duration) override { loop_.run_for(duration); }
  bool soon(const std::function<bool()>& is_done) override {
    const Instant limit = now() + 2s;
    while (!is_done()) {
      if (now() > limit) return false;
      loop_.run_one_within(10ms);
    }
    return true;
  }

 private:
  std::unique_ptr<Servers> servers_;
  RedisLoop loop_;
};

/// The processes live as long as the test program; every place finds them as if just started.
class RedisServers final : public Servers {
 public:
  explicit RedisServers(bool over_tcp) : over_tcp_(over_tcp) {}

  Endpoint endpoint(std::size_t server) override {
    Process& process = at(server);
    Endpoint endpoint;
    if (over_tcp_) {
      if (process.port == 0) process.port = process.redis.listen_tcp();
      endpoint.port = process.port;
    } else {
      endpoint.unix_socket = process.redis.socket_path();
    }
    return endpoint;
  }
  Reply ask(std::size_t server, const std::vector<std::string>& words) override {
    const std::vector<std::string_view> views{words.begin(), words.end()};
    return at(server).control.call(views);
  }

 private:
  struct Process {
    RealRedis redis;
    RawClient control{redis.socket_path()};
    std::uint16_t port = 0;
  };

  Process& at(std::size_t server) {
    static std::array<std::unique_ptr<Process>, 5> processes;
    if (!processes.at(server)) processes[server] = std::make_unique<Process>();
    Process& process = *processes[server];
    if (!std::exchange(fresh_.at(server), true)) {
      process.control.call({"FLUSHALL"});
      process.control.call({"SCRIPT", "FLUSH"});
      process.control.call({"CONFIG", "SET", "min-replicas-to-write", "0"});
    }
    return process;
  }

  const bool over_tcp_;
  std::array<bool, 5> fresh_{};
};

/// In this process, each on a thread of its own, on the machine's clock.
class PicklockServers final : public Servers {
 public:
  Endpoint endpoint(std::size_t server) override {
    Endpoint endpoint;
    endpoint.port = at(server).server.port();
    return endpoint;
  }
  Reply ask(std::size_t server, const std::vector<std::string>& words) override {
    const std::vector<std::string_view> views{words.begin(), words.end()};
    return at(server).control.send(views).reply();
  }

 private:
  struct Process {
    SystemClock clock;
    Emulator redis{{}, clock};
    Server server{redis};
    Client control = redis.connect();
  };

  Process& at(std::size_t server) {
    if (!servers_.at(server)) servers_[server] = std::make_unique<Process>();
    return *servers_[server];
  }

  std::array<std::unique_ptr<Process>, 5> servers_;
};

using Body = std::function<void(Place&)>;

void run_on(std::unique_ptr<Servers> servers, const Body& body) {
  RealPlace place{std::move(servers)};
  body(place);
}

}  // namespace

const std::vector<PlaceKind>& place_kinds() {
  static const std::vector<PlaceKind> kinds{
      {"redis-server, Unix socket",
       [](const Body& body) { run_on(std::make_unique<RedisServers>(false), body); }},
      {"redis-server, TCP",
       [](const Body& body) { run_on(std::make_unique<RedisServers>(true), body); }},
      {"picklock-server, TCP",
       [](const Body& body) { run_on(std::make_unique<PicklockServers>(), body); }}};
  return kinds;
}

}  // namespace picklock::test
