// The lock client for real servers, where there is none: an error, and no wait for it.
#include <picklock/asio.hpp>
#include <picklock/blocking_locks.hpp>
using namespace std::chrono_literals;

int main() {
  picklock::BlockingLocks locks{picklock::Endpoint{.unix_socket = "/nonexistent/redis.sock"}};
  auto lock = locks.make<picklock::Lock>("ledger", picklock::LockOptions{.ttl = 10s});
  const auto hold = lock.acquire_within(20ms);
  return hold ? 1 : 0;
}
