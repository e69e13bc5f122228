#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <stdexcept>
#include <sys/un.h>

#include <picklock/redis_loop.hpp>

#include "lockclient/asio/redis_link.hpp"

namespace picklock {

/// A loop that has run out of work, or was stopped, has to be restarted before it can go on.
bool RedisLoop::Impl::run_one() {
  if (!own) return false;
  const bool done = io.run_one() > 0;
  if (io.stopped()) io.restart();
  return done;
}

Instant RedisLoop::Impl::now() {
  return Instant{std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
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

void RedisLoop::run_for(Duration duration) {
  const auto work = asio::make_work_guard(impl_->io);
  impl_->io.run_for(duration);
  if (impl_->io.stopped()) impl_->io.restart();
}

void RedisLoop::run() {
  const auto work = asio::make_work_guard(impl_->io);
  impl_->io.run();
  impl_->io.restart();
}

void RedisLoop::stop() { impl_->io.stop(); }
void RedisLoop::post(std::function<void()> task) { asio::post(impl_->io, std::move(task)); }
Instant RedisLoop::now() const { return Impl::now(); }

}  // namespace picklock
