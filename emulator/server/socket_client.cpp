#include "emulator/server/socket_client.hpp"

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/post.hpp>
#include <memory>
#include <utility>

namespace picklock {

namespace {

// A buffer that one large reply has blown up beyond this is given back once it is sent.
constexpr std::size_t kKeptCapacity = 1024 * 1024;

}  // namespace

SocketClient::SocketClient(Host& host, std::uint64_t number, Place& place, Socket socket,
                           std::string_view peer, std::string_view local)
    : host_(host),
      number_(number),
      socket_(std::move(socket)),
      place_(&place),
      peer_(peer),
      local_(local) {
  socket_.non_blocking(true);
  Connection::Driver* const driver = this;
  connection_.emplace(place.engine(), driver, peer_, local_);
}

bool SocketClient::is_session(const Place& place, std::uint64_t id) const {
  return connection_ && place_ == &place && connection_->id() == id;
}

void SocketClient::output_ready(Connection&) { host_.flush_later(shared_from_this()); }

void SocketClient::read() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const asio::error_code& error) {
    self->readable(error);
  });
}

// Redis: protectClient. The client whose script runs on is not read from.
void SocketClient::readable(const asio::error_code& error) {
  if (!connection_) return;  // It was closed meanwhile.
  if (is_executing()) {
    readable_later_ = true;
    return;
  }
  if (error) return close();
  const std::span<char> buffer = host_.read_buffer();
  asio::error_code failure;
  const std::size_t size = socket_.receive(asio::buffer(buffer.data(), buffer.size()), 0, failure);
  if (failure == asio::error::would_block || failure == asio::error::interrupted) return read();
  if (failure == asio::error::eof) return peer_finished();
  if (failure) return close();
  received({buffer.data(), size});
}

void SocketClient::received(std::string_view bytes) {
  host_.received(connection_->receive(bytes));
  host_.flush_later(shared_from_this());
  host_.turn_ended();
  // A connection about to close reads no more, as on Redis. It never stops reading because output
  // waits: a client may well send everything before it reads its first reply.
  if (!has_ended()) read();
}

// The peer sends no more, but it may still read (a half-close): what was answered is sent before
// the socket closes. Its session ends now, with whatever it was blocked on.
void SocketClient::peer_finished() {
  peer_finished_ = connection_->is_held_back();
  if (peer_finished_) return;
  keep_unsent();
  connection_.reset();
  host_.flush_later(shared_from_this());
  host_.turn_ended();
}

void SocketClient::keep_unsent() {
  sending_.erase(0, sent_);
  sent_ = 0;
  sending_ += connection_->output();
}

// PICKLOCK USE. What it has sent behind that is for the other server.
void SocketClient::move() {
  keep_unsent();
  const std::string unread = connection_->unread();
  connection_.reset();
  place_ = std::exchange(next_place_, nullptr);
  Connection::Driver* const driver = this;
  connection_.emplace(place_->engine(), driver, peer_, local_);
  connection_->receive(unread);
}

void SocketClient::set_aside(std::string_view reply) {
  keep_unsent();
  sending_ += reply;
  aside_ = std::make_unique<Aside>(Aside{connection_->unread(), connection_->session()});
  connection_.reset();
  host_.flush_later(shared_from_this());
}

void SocketClient::come_back() {
  const Aside aside = std::move(*std::exchange(aside_, nullptr));
  Connection::Driver* const driver = this;
  connection_.emplace(place_->engine(), driver, peer_, local_);
  connection_->resume_as(aside.session);
  connection_->receive(aside.unread);
}

void SocketClient::flush() {
  if (!socket_.is_open() || is_executing()) return;  // Its end is followed by another flush.
  if (aside_) come_back();
  if (next_place_ && connection_) move();
  if (failed_ || (connection_ && connection_->is_cut_off())) return close();
  if (std::exchange(readable_later_, false))
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->readable({}); });
  if (waiting_) return;
  while (sent_ < sending_.size() || refill()) {
    asio::error_code error;
    const asio::const_buffer rest = asio::buffer(sending_) + sent_;
    sent_ += socket_.send(rest, 0, error);  // Never raises SIGPIPE.
    if (error == asio::error::would_block) return wait_until_writable();
    if (error && error != asio::error::interrupted) return close();
  }
  if (has_ended()) return close();
  if (peer_finished_ && !connection_->is_held_back()) close();
}

// Takes the engine's next output; false if there is none.
bool SocketClient::refill() {
  sent_ = 0;
  sending_.clear();
  if (sending_.capacity() > kKeptCapacity) sending_ = std::string{};
  if (!connection_) return false;
  if (connection_->output().empty() && connection_->is_held_back()) go_on_later();
  sending_.swap(connection_->output());
  return !sending_.empty();
}

// A turn of its own for each portion of a long pipeline, so that nobody else waits for all of it.
void SocketClient::go_on_later() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (!self->connection_ || self->is_executing()) return;
    self->connection_->drained();
    self->host_.flush_later(self);
    self->host_.turn_ended();
  });
}

void SocketClient::wait_until_writable() {
  waiting_ = true;
  socket_.async_wait(Socket::wait_write,
                     [self = shared_from_this()](const asio::error_code& error) {
                       self->waiting_ = false;
                       if (error) return self->close();
                       self->flush();
                     });
}

void SocketClient::close() {
  if (!socket_.is_open()) return;
  if (is_executing()) {
    failed_ = true;
    return;
  }
  const auto self = shared_from_this();  // The host lets go of it below.
  connection_.reset();
  asio::error_code ignored;  // The peer may be gone already; the descriptor is closed all the same.
  socket_.close(ignored);
  host_.ended(number_);
}

}  // namespace picklock
