#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <stdexcept>
#include <sys/un.h>

#include <picklock/asio.hpp>

#include "lockclient/asio/redis_link.hpp"

namespace picklock {

bool RedisLoop::Impl::run_one() {
  if (!own) return false;
  bool done = io.poll_one() > 0;  // It was there already, so this says nothing about waits.
  if (!done && !io.stopped())
    short_wait.succeeds([&] {
      done = io.poll_one() > 0;
      return done || io.stopped();
    });
  if (!done) done = io.run_one() > 0;
  if (io.stopped()) io.restart();
  return done;
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
