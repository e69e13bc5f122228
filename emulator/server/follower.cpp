#include "emulator/server/follower.hpp"

#include <asio/buffer.hpp>
#include <asio/connect.hpp>
#include <asio/write.hpp>
#include <utility>

namespace picklock {

namespace {

using namespace std::chrono_literals;

constexpr auto kCheckEvery = 1s;

}  // namespace

Follower::Follower(asio::io_context& io, Engine& engine, Hooks hooks)
    : engine_(&engine),
      hooks_(std::move(hooks)),
      link_(engine),
      resolver_(io),
      socket_(io),
      timer_(io) {}

void Follower::look() {
  if (engine_ == nullptr) return;
  const Replication& replication = engine_->replication;
  const auto wanted = replication.over_network ? replication.primary : std::nullopt;
  if (wanted != target_ || (target_ && link_.is_overtaken())) {
    hang_up();
    target_ = wanted;
    timer_.cancel();
    if (!target_) return;
    connect();
    await_tick();
  }
  if (!target_) return;
  link_.go_on();
  flush();
}

void Follower::stop() {
  hang_up();
  target_.reset();
  timer_.cancel();
  engine_ = nullptr;
}

void Follower::await_tick() {
  timer_.expires_after(kCheckEvery);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (error || self->engine_ == nullptr || !self->target_) return;
    self->await_tick();
    self->tick();
  });
}

// Redis: replicationCron.
void Follower::tick() {
  const std::int64_t patience = engine_->config.number("repl-timeout");
  if ((socket_.is_open() || is_connecting_) && ++quiet_seconds_ > patience) hang_up();
  if (!socket_.is_open() && !is_connecting_) {
    connect();
  } else {
    link_.acknowledge();
    flush();
  }
  hooks_.turn_ended();
}

void Follower::connect() {
  ++attempt_;
  is_connecting_ = true;
  quiet_seconds_ = 0;
  link_.connect();
  asio::error_code error;
  const auto ip = asio::ip::make_address(target_->host, error);
  if (!error) return connect_to({ip, static_cast<std::uint16_t>(target_->port)});
  resolver_.async_resolve(target_->host, std::to_string(target_->port),
                          [self = shared_from_this(), attempt = attempt_](
                              const asio::error_code& failure, const auto& found) {
                            if (attempt != self->attempt_) return;
                            if (failure) return self->connected(failure);
                            self->connect_to_one_of(found);
                          });
}

void Follower::connect_to_one_of(const asio::ip::tcp::resolver::results_type& found) {
  asio::async_connect(socket_, found,
                      [self = shared_from_this(), attempt = attempt_](
                          const asio::error_code& error, const asio::ip::tcp::endpoint&) {
                        if (attempt == self->attempt_) self->connected(error);
                      });
}

void Follower::connect_to(const asio::ip::tcp::endpoint& endpoint) {
  asio::error_code ignored;  // What is wrong with the address, connecting says.
  socket_.open(endpoint.protocol(), ignored);
  socket_.async_connect(
      endpoint, [self = shared_from_this(), attempt = attempt_](const asio::error_code& error) {
        if (attempt == self->attempt_) self->connected(error);
      });
}

void Follower::connected(const asio::error_code& error) {
  is_connecting_ = false;
  if (error) {
    hang_up();
    return hooks_.turn_ended();
  }
  asio::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  hooks_.watch(socket_.native_handle());
  quiet_seconds_ = 0;
  link_.begin();
  flush();
  read();
}

void Follower::read() {
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this(), attempt = attempt_](
                              const asio::error_code& error, std::size_t size) {
                            if (attempt == self->attempt_) self->received(error, size);
                          });
}

void Follower::received(const asio::error_code& error, std::size_t size) {
  const std::uint64_t attempt = attempt_;
  quiet_seconds_ = 0;
  if (!error) link_.receive({buffer_.data(), size});
  if (attempt != attempt_) return;  // A script of the primary's ran for long, and much happened.
  if (error)
    lose();
  else
    flush();
  hooks_.turn_ended();
  if (attempt == attempt_) read();
}

// One that was up comes back at once; one that never was, or that is of no use, at the next tick.
void Follower::lose() {
  const bool was_up = engine_->replication.link == Replication::Link::connected;
  hang_up();
  if (was_up && target_ == engine_->replication.primary) connect();
}

void Follower::flush() {
  if (link_.has_failed()) return hang_up();
  if (is_writing_ || is_connecting_ || !socket_.is_open() || link_.output().empty()) return;
  sending_ = std::exchange(link_.output(), {});
  is_writing_ = true;
  asio::async_write(
      socket_, asio::buffer(sending_),
      [self = shared_from_this(), attempt = attempt_](const asio::error_code& error, std::size_t) {
        if (attempt != self->attempt_) return;
        self->is_writing_ = false;
        if (!error) return self->flush();
        self->hang_up();
        self->hooks_.turn_ended();
      });
}

// The next tick connects anew.
void Follower::hang_up() {
  ++attempt_;
  is_connecting_ = is_writing_ = false;
  resolver_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
  link_.end();
}

}  // namespace picklock
