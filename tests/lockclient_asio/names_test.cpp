// Names of hosts: how long the system may take to say what they stand for, and which of several
// addresses is one's server.
//
// getaddrinfo is this program's own here, for a few names that no network knows.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <picklock/blocking_locks.hpp>
#include <picklock/lock.hpp>
#include <picklock/redis_loop.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using picklock::Endpoint;
using picklock::test::shared_server;

namespace {

constexpr const char* kHere = "127.0.0.1";
constexpr const char* kElsewhere = "127.0.0.2";
/// Where a lookup that takes long stands until the test is over, or for so long.
class Gate {
 public:
  void pass() {
    std::unique_lock lock{mutex_};
    held_up_ |= !opened_.wait_for(lock, 5s, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    opened_.notify_all();
  }
  /// Whether somebody has had to wait for the lookup.
  bool held_somebody_up() {
    const std::lock_guard lock{mutex_};
    return held_up_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  bool held_up_ = false;
};
Gate gate;

int look_up(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real =
      reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(name, service, hints, found);
}

/// Of the shared server, which does not listen elsewhere.
std::uint16_t port() {
  static const std::uint16_t port = [] {
    const std::uint16_t opened = shared_server().redis.listen_tcp();
    REQUIRE_FALSE(shared_server().ask({"CONFIG", "SET", "bind", kHere}).is_error());
    return opened;
  }();
  return port;
}
Endpoint named(const char* host) { return {.host = host, .port = port()}; }

/// A listener that is full: who wants in hears nothing.
class DeadEnd {
 public:
  explicit DeadEnd(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, kElsewhere, &address.sin_addr);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    listener_ = open();
    REQUIRE(::bind(listener_, where, sizeof address) == 0);
    REQUIRE(::listen(listener_, 0) == 0);
    for (int i = 0; i < 4; ++i) ::connect(open(SOCK_NONBLOCK), where, sizeof address);
  }
  ~DeadEnd() {
    for (const int descriptor : opened_) ::close(descriptor);
  }
  DeadEnd(const DeadEnd&) = delete;
  DeadEnd& operator=(const DeadEnd&) = delete;

 private:
  int open(int flags = 0) {
    opened_.push_back(::socket(AF_INET, SOCK_STREAM | flags, 0));
    return opened_.back();
  }
  std::vector<int> opened_;
  int listener_ = -1;
};

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  const std::string_view host = name != nullptr ? name : "";
  if (host == "slow.test") {
    gate.pass();
    return EAI_AGAIN;
  }
  if (host == "here.test") return look_up(kHere, service, hints, found);
  if (host != "two.test") return look_up(name, service, hints, found);
  const int error = look_up(kElsewhere, service, hints, found);
  return error != 0 ? error : look_up(kHere, service, hints, &(*found)->ai_next);
}

TEST_CASE("a name that the system takes long to look up holds up no other") {
  {
    picklock::RedisLoop loop;
    auto slow = loop.connect(named("slow.test"));
    auto link = loop.connect(named("here.test"));
    picklock::Lock in_vain{*slow, "in vain", {.ttl = 1s}};
    const auto trying = in_vain.try_acquire();
    picklock::Lock lock{*link, "named", {.ttl = 5s}};
    CHECK(lock.acquire_within(2s).get());
  }
  {
    picklock::BlockingLocks locks{named("slow.test")};
    auto lock = locks.make<picklock::Lock>("in vain", picklock::LockOptions{.ttl = 1s});
    CHECK_FALSE(lock.acquire_within(100ms));
  }
  CHECK_FALSE(gate.held_somebody_up());
  gate.open();
}

TEST_CASE("an address that says nothing leaves time for the next one of its name") {
  const DeadEnd dead{port()};
  picklock::RedisLoop loop;
  auto link = loop.connect(named("two.test"));
  picklock::Lock lock{*link, "two", {.ttl = 5s}};
  CHECK(lock.acquire_within(8s).get());
}
