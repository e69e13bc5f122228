#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <stdexcept>
#include <sys/un.h>
#include <thread>

#include <picklock/asio.hpp>

#include "lockclient/asio/redis_link.hpp"

namespace picklock {

namespace {

/// No wait takes the processor for longer before it sleeps.
constexpr std::chrono::microseconds kLook{100};
/// Waits that sleep at once, at most, before one looks again whether answers come fast now.
constexpr unsigned kMostSleeps = 64;

}  // namespace

bool RedisLoop::Impl::run_one() {
  if (!own) return false;
  const bool done = look() || io.run_one() > 0;
  if (io.stopped()) io.restart();
  return done;
}

/// A server nearby answers before a thread that sleeps would have woken up. So a wait begins by
/// looking for what has come, unless that was in vain before: then more and more waits do not.
/// Others may run meanwhile, for the server may live on the same processor.
bool RedisLoop::Impl::look() {
  if (io.poll_one() > 0) return true;  // It was there already, so this says nothing about waits.
  if (io.stopped()) return false;
  if (sleeps > 0) {
    --sleeps;
    return false;
  }
  const auto until = std::chrono::steady_clock::now() + kLook;
  while (!io.stopped() && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    if (io.poll_one() == 0) continue;
    misses = 0;
    return true;
  }
  sleeps = std::min(1U << std::min(misses++, 31U), kMostSleeps);
  return false;
}

/// With or without something to do: until `go_on` returns. A loop that was stopped, or has run out
/// of work (as it may when the guard goes), has to be restarted before it can go on.
template <class Function>
auto RedisLoop::Impl::run_guarded(Function go_on) {
  auto work = asio::make_work_guard(io);
  const auto done = go_on();
  work.reset();
  if (io.stopped()) io.restart();
  return done;
}

Instant RedisLoop::Impl::now() {
  return Instant{std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

RedisLoop redis_loop_on(asio::io_context& io) {
  return RedisLoop{std::make_shared<RedisLoop::Impl>(io)};
}

RedisLoop::RedisLoop() : impl_(std::make_shared<Impl>()) {}
RedisLoop::RedisLoop(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
RedisLoop::~RedisLoop() = default;
RedisLoop::RedisLoop(RedisLoop&&) noexcept = default;
RedisLoop& RedisLoop::operator=(RedisLoop&&) noexcept = default;

std::unique_ptr<Link> RedisLoop::connect(const Endpoint& endpoint) {
  if (endpoint.unix_socket.size() >= sizeof(sockaddr_un::sun_path))
    throw std::invalid_argument("the path of a Unix socket has at most 107 bytes");
  if (endpoint.unix_socket.empty() && (endpoint.host.empty() || endpoint.port == 0))
    throw std::invalid_argument("an endpoint needs a host and a port, or a Unix socket");
  if (endpoint.connect_within <= Duration{} || endpoint.answer_within < Duration{})
    throw std::invalid_argument("the time limits of an endpoint must be positive");
  return std::make_unique<RedisLink>(impl_, endpoint);
}

bool RedisLoop::run_one() { return impl_->run_one(); }

bool RedisLoop::run_one_within(Duration limit) {
  if (!impl_->own) return false;
  return impl_->run_guarded([&] { return impl_->io.run_one_for(limit); }) > 0;
}

void RedisLoop::run_for(Duration duration) {
  impl_->run_guarded([&] { return impl_->io.run_for(duration); });
}

void RedisLoop::run() {
  impl_->run_guarded([&] { return impl_->io.run(); });
}

void RedisLoop::stop() { impl_->io.stop(); }
void RedisLoop::post(std::function<void()> task) { asio::post(impl_->io, std::move(task)); }
Instant RedisLoop::now() const { return Impl::now(); }

}  // namespace picklock
