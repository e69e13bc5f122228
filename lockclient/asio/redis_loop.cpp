#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <stdexcept>
#include <sys/un.h>

#include <picklock/asio.hpp>

#include "lockclient/asio/redis_link.hpp"

namespace picklock {

namespace {

/// Beyond this the nanoseconds of a timer would overflow.
constexpr Duration kLongest = std::chrono::hours{24 * 365 * 100};

}  // namespace

bool RedisLoop::Impl::run_one() {
  if (!own) return false;
  if (io.stopped()) io.restart();  // An exception has left it so.
  bool done = io.poll_one() > 0;   // It was there already, so this says nothing about waits.
  if (!done && !io.stopped())
    short_wait.succeeds([&] {
      done = io.poll_one() > 0;
      return done || io.stopped();
    });
  if (!done) done = io.run_one() > 0;
  if (io.stopped()) io.restart();
  return done;
}

namespace {
/// Keeps an io_context running with or without something to do. One that its owner has stopped, or
/// that has run out of work (as it may when the guard goes), has to be restarted before it can go
/// on.
class Running {
 public:
  explicit Running(asio::io_context& io) : io_(io), work_(asio::make_work_guard(io)) {}
  ~Running() {
    work_.reset();
    if (io_.stopped()) io_.restart();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  asio::io_context& io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
};
}  // namespace

template <class Function>
void RedisLoop::Impl::run_until_stopped(Function go_on) {
  if (own && io.stopped()) io.restart();
  const Running running{io};
  while (!stopping.exchange(false)) {
    if (!go_on() || io.stopped()) return;
  }
}

Instant RedisLoop::Impl::now() {
  return Instant{std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

RedisLoop redis_loop_on(asio::io_context& io) {
  return RedisLoop{std::make_shared<RedisLoop::Impl>(io, io.get_executor())};
}
RedisLoop redis_loop_on(const asio::strand<asio::io_context::executor_type>& strand) {
  return RedisLoop{
      std::make_shared<RedisLoop::Impl>(strand.get_inner_executor().context(), strand)};
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
  Endpoint within_limits = endpoint;
  within_limits.connect_within = std::min(endpoint.connect_within, kLongest);
  within_limits.answer_within = std::min(endpoint.answer_within, kLongest);
  return std::make_unique<RedisLink>(impl_, std::move(within_limits));
}

bool RedisLoop::run_one() { return impl_->run_one(); }

bool RedisLoop::run_one_within(Duration limit) {
  if (!impl_->own) return false;
  if (impl_->io.stopped()) impl_->io.restart();
  const Running running{impl_->io};
  return impl_->io.run_one_for(std::min(limit, kLongest)) > 0;
}

void RedisLoop::run_for(Duration duration) {
  const auto end = std::chrono::steady_clock::now() + std::min(duration, kLongest);
  impl_->run_until_stopped([&] { return impl_->io.run_one_until(end) > 0; });
}

void RedisLoop::run() {
  impl_->run_until_stopped([&] { return impl_->io.run_one() > 0; });
}

// What goes on may be no run(), but a wait of run_one(), which is not to end by this.
void RedisLoop::stop() {
  impl_->stopping = true;
  asio::post(impl_->io, [] {});
}
void RedisLoop::post(std::function<void()> task) { asio::post(impl_->executor, std::move(task)); }
Instant RedisLoop::now() const { return Impl::now(); }

}  // namespace picklock
