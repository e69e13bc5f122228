// One client on a socket: carries bytes between the socket and the engine's Connection.
//
// Knows nothing of commands, nor of how the socket came to be. Replies leave at the end of the
// loop's turn, as far as the socket takes them; the rest waits for it. Belongs to the server's
// thread.
#pragma once

#include <asio/generic/stream_protocol.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/engine/connection.hpp"
#include "emulator/server/place.hpp"
#include "emulator/server/ready_sockets.hpp"

namespace picklock {

class SocketClient final : public std::enable_shared_from_this<SocketClient>,
                           private Connection::Driver {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  /// The loop that a client lives in.
  class Host {
   public:
    virtual ~Host() = default;
    /// `client` has output: flush it at the end of this turn.
    virtual void flush_later(std::shared_ptr<SocketClient> client) = 0;
    /// A client has sent this many requests at once.
    virtual void received(std::size_t requests) = 0;
    /// The engine has worked: flush, and look at the clock.
    virtual void turn_ended() = 0;
    /// Where a client puts what it reads, which it hands on at once: one for all, since most
    /// clients are idle.
    virtual std::span<char> read_buffer() = 0;
    /// Carries `task` out in a turn of its own.
    virtual void post(std::function<void()> task) = 0;
    /// Where it is found by its number.
    virtual ReadySockets& sockets() = 0;
    /// The socket of `client` is closed; forget it.
    virtual void ended(std::uint64_t number) = 0;
  };

  /// `number` is the host's name for the client; the addresses are those of CLIENT LIST.
  SocketClient(Host& host, std::uint64_t number, Place& place, Socket socket, std::string_view peer,
               std::string_view local);
  ~SocketClient() override;

  const Place& place() const { return *place_; }
  /// Whether it is another server, which waits for nothing but what happens here.
  bool is_replica() const { return connection_ && connection_->is_replica(); }
  /// Whether it is the session of that id there.
  bool is_session(const Place& place, std::uint64_t id) const;
  /// Makes it a client of `place`, once what it has been answered is on its way.
  void move_to(Place& place) { next_place_ = &place; }

  /// Takes it out of its server, which knows it no more, with `reply` to what it has asked; it
  /// comes back, as it was, when it is flushed.
  void set_aside(std::string_view reply);

  int descriptor() const { return socket_; }
  /// Reads what has come, as much as fits at once, and sends what the socket takes. The caller ends
  /// the turn.
  void ready(const ReadySockets::Ready& ready);
  /// Whether it closes as soon as everything is sent.
  bool has_ended() const { return !connection_ || connection_->should_close(); }
  /// Sends what the socket takes; closes once everything is sent, if the connection has ended.
  void flush();
  /// Ends the session and closes the socket, whatever is still to be sent.
  void close();

 private:
  /// What a client keeps while its server ends.
  struct Aside {
    std::string unread;
    SessionState session;
  };

  void output_ready(Connection& connection) override;
  std::size_t unsent() const override { return sending_.size() - sent_; }
  void read(bool to_its_end);
  /// Whether a request of its own is on the stack: a script that lets others have their turns.
  bool is_executing() const { return connection_ && connection_->is_executing(); }
  void received(std::string_view bytes);
  void peer_finished();
  bool refill();
  void go_on_later();
  void keep_unsent();
  void move();
  void come_back();

  Host& host_;
  std::uint64_t number_;
  int socket_;  // -1 once it is closed.
  Place* place_;
  Place* next_place_ = nullptr;   // Where it is to move.
  std::unique_ptr<Aside> aside_;  // While it is out of its server.
  std::string peer_;
  std::string local_;
  std::optional<Connection> connection_;  // Empty once the session has ended.
  // What is being sent, and how much of it has been: the engine appends to another string
  // meanwhile, so that a slow reader of a large reply costs no moving of bytes.
  std::string sending_;
  std::size_t sent_ = 0;
  bool waiting_ = false;  // For the socket to take more.
  bool peer_finished_ =
      false;             // It sends no more, but there are requests that wait for it to read.
  bool failed_ = false;  // To be closed as soon as its script has ended.
  bool readable_later_ =
      false;  // It became so while its own script ran: a look once that has ended.
};

}  // namespace picklock
