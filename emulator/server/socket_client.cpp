#include "emulator/server/socket_client.hpp"

#include <cerrno>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "emulator/base/memory.hpp"
#include "emulator/server/listeners.hpp"

namespace picklock {

namespace {

// A buffer that one large reply has blown up beyond this is given back once it is sent.
constexpr std::size_t kKeptCapacity = 1024 * 1024;

}  // namespace

SocketClient::SocketClient(Host& host, std::uint64_t number, Place& place, Socket socket,
                           std::string_view peer, std::string_view local)
    : host_(host),
      number_(number),
      socket_((socket.non_blocking(true), socket.release())),
      place_(&place),
      peer_(peer),
      local_(local) {
  close_on_exec(socket_);
  Connection::Driver* const driver = this;
  connection_.emplace(place.engine(), driver, peer_, local_);
}

SocketClient::~SocketClient() {
  if (socket_ >= 0) ::close(socket_);
}

bool SocketClient::is_session(const Place& place, std::uint64_t id) const {
  return connection_ && place_ == &place && connection_->id() == id;
}

void SocketClient::output_ready(Connection&) { host_.flush_later(shared_from_this()); }

void SocketClient::ready(const ReadySockets::Ready& ready) {
  if (ready.writable && std::exchange(waiting_, false)) {
    host_.sockets().wait_to_write(socket_, number_, false);
    flush();
  }
  if (ready.readable) read(ready.to_its_end);
}

// Redis: protectClient. The client whose script runs on is not read from. A connection about to
// close reads no more, as on Redis. It never stops reading because output waits: a client may well
// send everything before it reads its first reply.
void SocketClient::read(bool to_its_end) {
  if (is_executing() || aside_) {
    readable_later_ = true;
    return;
  }
  if (has_ended() || peer_finished_) return;
  const std::span<char> buffer = host_.read_buffer();
  const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (size == 0) return peer_finished();
  if (size < 0 && errno == EAGAIN) return;
  if (size < 0 && errno != EINTR) return close();
  const std::size_t bytes = size < 0 ? 0 : static_cast<std::size_t>(size);
  if (to_its_end || size < 0 || bytes == buffer.size()) host_.sockets().read_again(number_);
  if (bytes > 0) received({buffer.data(), bytes});
}

void SocketClient::received(std::string_view bytes) {
  host_.received(connection_->receive(bytes));
  host_.flush_later(shared_from_this());
}

// The peer sends no more, but it may still read (a half-close): what was answered is sent before
// the socket closes. Its session ends now, with whatever it was blocked on.
void SocketClient::peer_finished() {
  peer_finished_ = connection_->is_held_back();
  if (peer_finished_) return;
  keep_unsent();
  connection_.reset();
  host_.flush_later(shared_from_this());
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
  if (socket_ < 0 || is_executing()) return;  // Its end is followed by another flush.
  if (aside_) come_back();
  while (next_place_ && connection_) move();  // What it has sent may lead on from there.
  if (failed_ || (connection_ && connection_->is_cut_off())) return close();
  if (std::exchange(readable_later_, false)) host_.sockets().read_again(number_);
  if (waiting_) return;
  while (sent_ < sending_.size() || refill()) {
    const ssize_t size =
        ::send(socket_, sending_.data() + sent_, sending_.size() - sent_, MSG_NOSIGNAL);
    if (size >= 0) sent_ += static_cast<std::size_t>(size);
    if (size < 0 && errno == EAGAIN) {
      waiting_ = true;
      return host_.sockets().wait_to_write(socket_, number_, true);
    }
    if (size < 0 && errno != EINTR) return close();
  }
  if (has_ended()) return close();
  if (peer_finished_ && !connection_->is_held_back()) close();
}

// Takes the engine's next output; false if there is none.
bool SocketClient::refill() {
  sent_ = 0;
  sending_.clear();
  if (sending_.capacity() > kKeptCapacity) give_back(sending_);
  if (!connection_) return false;
  if (connection_->output().empty() && connection_->is_held_back()) go_on_later();
  sending_.swap(connection_->output());
  return !sending_.empty();
}

// A turn of its own for each portion of a long pipeline, so that nobody else waits for all of it.
void SocketClient::go_on_later() {
  host_.post([self = shared_from_this()] {
    if (!self->connection_ || self->is_executing()) return;
    self->host_.received(self->connection_->drained());
    self->host_.flush_later(self);
    self->host_.turn_ended();
  });
}

void SocketClient::close() {
  if (socket_ < 0) return;
  if (is_executing()) {
    failed_ = true;
    return;
  }
  const auto self = shared_from_this();  // The host lets go of it below.
  connection_.reset();
  ::close(std::exchange(socket_, -1));
  host_.ended(number_);
}

}  // namespace picklock
