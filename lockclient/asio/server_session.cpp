#include "lockclient/asio/server_session.hpp"

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/address.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/socket_base.hpp>
#include <asio/write.hpp>
#include <utility>
#include <vector>

#include "emulator/resp/request_writer.hpp"

namespace picklock {
namespace {

/// How long a connection that nobody wants any more may take to hand over its last requests.
constexpr Duration kFinishWithin = std::chrono::seconds{1};

std::string greeting(const Endpoint& endpoint) {
  std::vector<std::string_view> hello{"HELLO", "3"};
  std::string_view user = "default";
  if (!endpoint.user.empty()) user = endpoint.user;
  if (!endpoint.password.empty()) hello.insert(hello.end(), {"AUTH", user, endpoint.password});
  if (!endpoint.client_name.empty()) hello.insert(hello.end(), {"SETNAME", endpoint.client_name});
  std::string bytes;
  append_request(bytes, hello);
  if (endpoint.database != 0) {
    const std::string database = std::to_string(endpoint.database);
    append_request(bytes, std::array<std::string_view, 2>{"SELECT", database});
  }
  return bytes;
}

}  // namespace

ServerSession::ServerSession(const asio::any_io_executor& executor, const Endpoint& endpoint,
                             std::shared_ptr<NameLookup> lookup, Owner& owner)
    : endpoint_(endpoint),
      owner_(&owner),
      lookup_(std::move(lookup)),
      socket_(executor),
      timer_(executor) {}

void ServerSession::start(Duration pause) {
  if (pause <= Duration{}) return look_up();
  timer_.expires_after(pause);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (!error && self->phase_ == Phase::pausing) self->look_up();
  });
}

void ServerSession::look_up() {
  phase_ = Phase::connecting;
  greeted_by_ = std::chrono::steady_clock::now() + endpoint_.connect_within;
  give_up_after(endpoint_.connect_within);
  if (!endpoint_.unix_socket.empty()) {
    addresses_.emplace_back(asio::local::stream_protocol::endpoint{endpoint_.unix_socket});
    return connect_next();
  }
  asio::error_code not_numeric;
  const auto address = asio::ip::make_address(endpoint_.host, not_numeric);
  if (!not_numeric) {
    addresses_.emplace_back(asio::ip::tcp::endpoint{address, endpoint_.port});
    return connect_next();
  }
  // The timer keeps this alive.
  lookup_->start([weak = weak_from_this()](const std::string& error, const auto& found) {
    const auto self = weak.lock();
    if (!self || self->phase_ != Phase::connecting) return;
    if (!error.empty()) return self->fail("looking the host up: " + error);
    for (const auto& one : found) self->addresses_.emplace_back(one);
    self->connect_next();
  });
}

void ServerSession::connect_next() {
  if (addresses_.empty()) return fail(refusal_);
  const auto address = std::move(addresses_.front());
  addresses_.pop_front();
  asio::error_code ignored;  // The next attempt needs a socket of its own.
  socket_.close(ignored);
  socket_.async_connect(address, [self = shared_from_this()](const asio::error_code& error) {
    if (self->phase_ != Phase::connecting) return;
    if (error && error != asio::error::operation_aborted)
      self->refusal_ = "connecting: " + error.message();
    if (error || !self->socket_.is_open()) return self->connect_next();  // Or its time was over.
    self->connected();
  });
  if (!addresses_.empty())
    leave_address_after(time_left() / static_cast<Duration::rep>(addresses_.size() + 1));
  else
    give_up_after(time_left());
}

Duration ServerSession::time_left() const {
  return std::chrono::floor<Duration>(greeted_by_ - std::chrono::steady_clock::now());
}

// An address where packets vanish must leave time for those behind it.
void ServerSession::leave_address_after(Duration limit) {
  timer_.expires_after(limit);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (error || self->phase_ != Phase::connecting) return;
    if (self->timer_.expiry() > std::chrono::steady_clock::now()) return;  // Set anew meanwhile.
    self->refusal_ = "connecting: no answer";
    asio::error_code ignored;
    self->socket_.close(ignored);
  });
}

void ServerSession::connected() {
  asio::error_code ignored;             // A Unix socket has no such options.
  socket_.non_blocking(true, ignored);  // For write(), which never waits.
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  give_up_after(time_left());
  greet();
}

// Requests wait for the answers: sent along they would be carried out as another user, or in
// another database, if the greeting is refused.
void ServerSession::greet() {
  phase_ = Phase::greeting;
  greetings_ = endpoint_.database != 0 ? 2 : 1;
  sending_ = greeting(endpoint_);
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                      self->sending_.clear();
                      // A server that is full says so and closes: what there is to read tells why.
                      if (!error) self->flush();
                    });
  read();
}

void ServerSession::greeted(const Reply& reply) {
  if (reply.is_error()) {
    Owner* const owner = std::exchange(owner_, nullptr);
    close();
    if (owner != nullptr) owner->refused(reply);
    return;
  }
  if (--greetings_ == 0) become_ready();
}

void ServerSession::become_ready() {
  phase_ = Phase::ready;
  watch_answers();
  flush();
}

void ServerSession::read() {
  socket_.async_read_some(
      asio::buffer(input_),
      [self = shared_from_this()](const asio::error_code& error, std::size_t size) {
        self->have_read(error, size);
      });
}

void ServerSession::have_read(const asio::error_code& error, std::size_t size) {
  if (phase_ == Phase::closed) return;
  if (error == asio::error::eof) return fail("the server closed it");
  if (error) return fail("reading: " + error.message());
  if (phase_ == Phase::finishing) return read();
  heard_ = true;
  parser_.feed({input_.data(), size});
  // What comes along with the greeting's answer cannot answer requests: none was sent before it.
  const bool were_requests_sent = phase_ == Phase::ready;
  while (auto reply = parser_.next()) {
    if (phase_ == Phase::greeting) {
      greeted(*reply);
    } else if (!were_requests_sent || owner_ == nullptr || !owner_->received(*std::move(reply))) {
      return fail("the server sent a reply that nobody asked for");
    }
    if (phase_ == Phase::closed) return;
  }
  if (!parser_.error().empty()) return fail("this is not RESP: " + std::string{parser_.error()});
  read();
  if (phase_ == Phase::ready && owner_ != nullptr) owner_->received_all();
}

void ServerSession::flush() {
  if (phase_ == Phase::ready || phase_ == Phase::finishing) write();
}

void ServerSession::write() {
  if (!sending_.empty()) return;
  if (output_.empty()) {
    if (phase_ == Phase::finishing) end_output();
    return;
  }
  // Most requests fit into the socket at once. What does not, and what went wrong, is the loop's
  // business: nobody hears of a broken session while it is still asking for something.
  asio::error_code not_now;
  const std::size_t written = socket_.write_some(asio::buffer(output_), not_now);
  if (!not_now) output_.erase(0, written);
  if (output_.empty()) return write();
  sending_.swap(output_);
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                      self->sending_.clear();
                      if (error) return self->fail("writing: " + error.message());
                      self->flush();
                    });
}

void ServerSession::finish() {
  owner_ = nullptr;
  if (phase_ != Phase::ready) return close();
  phase_ = Phase::finishing;
  give_up_after(kFinishWithin);
  flush();
}

// Closing at once would make the kernel answer a late reply with a reset, and the server might drop
// what it has not read yet. So only our side is closed, and the server's end is waited for.
void ServerSession::end_output() {
  asio::error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) close();
}

void ServerSession::give_up_after(Duration limit) {
  timer_.expires_after(limit);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (error || self->phase_ == Phase::ready) return;
    if (self->timer_.expiry() > std::chrono::steady_clock::now()) return;  // Set anew meanwhile.
    self->fail("the server did not greet within the time to connect");
  });
}

// A server that takes requests and stays silent: without this limit a connection whose cable was
// cut would be waited on for a quarter of an hour.
void ServerSession::watch_answers() {
  if (endpoint_.answer_within == Duration{}) {
    timer_.cancel();
    return;
  }
  heard_ = owner_ == nullptr || !owner_->awaits_answers();
  timer_.expires_after(endpoint_.answer_within);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (error || self->phase_ != Phase::ready) return;
    if (!self->heard_) return self->fail("the server did not answer within the endpoint's limit");
    self->watch_answers();
  });
}

void ServerSession::fail(const std::string& why) {
  Owner* const owner = std::exchange(owner_, nullptr);
  close();
  if (owner != nullptr) owner->broke(why);
}

void ServerSession::close() {
  if (phase_ == Phase::closed) return;  // The lookup may be another session's by now.
  phase_ = Phase::closed;
  lookup_->cancel();
  timer_.cancel();
  asio::error_code ignored;  // The descriptor is closed all the same.
  socket_.close(ignored);
}

}  // namespace picklock
