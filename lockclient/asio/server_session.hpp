// One connection to a server, from the first attempt to its end: it is never opened again.
//
// Looks the address up, connects, greets (HELLO, SELECT), then carries bytes of requests out and
// replies in. Its link hears of all that by Owner. Kept alive by its pending operations; whoever
// owns it leaves it by finish(). Belongs to the loop's thread.
#pragma once

#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/error_code.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include <picklock/endpoint.hpp>
#include <picklock/reply.hpp>

#include "emulator/resp/reply_parser.hpp"
#include "lockclient/asio/name_lookup.hpp"

namespace picklock {

/// Not just a Session: that is what the engine calls a client's, and programs may link both.
class ServerSession final : public std::enable_shared_from_this<ServerSession> {
 public:
  class Owner {
   public:
    /// A reply or a push frame. False: it makes no sense, the session is to break.
    virtual bool received(Reply reply) = 0;
    /// All that was received at once has been handed over.
    virtual void received_all() = 0;
    /// The server has refused the greeting with the error `reply`. The session is over.
    virtual void refused(const Reply& reply) = 0;
    /// The session is over, and why.
    virtual void broke(const std::string& why) = 0;
    /// Whether answers are awaited.
    virtual bool awaits_answers() const = 0;

   protected:
    ~Owner() = default;
  };

  /// `lookup` is of the endpoint's host.
  ServerSession(const asio::any_io_executor& executor, const Endpoint& endpoint,
                std::shared_ptr<NameLookup> lookup, Owner& owner);

  /// Begins after `pause`.
  void start(Duration pause);
  /// Takes the bytes of requests that were appended to output().
  std::string& output() { return output_; }
  void flush();
  /// The owner goes: what was written still goes out, nobody hears anything any more.
  void finish();

 private:
  enum class Phase : std::uint8_t { pausing, connecting, greeting, ready, finishing, closed };
  using Socket = asio::generic::stream_protocol::socket;

  void look_up();
  void connect_next();
  void leave_address_after(Duration limit);
  Duration time_left() const;
  void connected();
  void greet();
  void greeted(const Reply& reply);
  void become_ready();
  void read();
  void have_read(const asio::error_code& error, std::size_t size);
  void write();
  void end_output();
  void give_up_after(Duration limit);
  void watch_answers();
  void fail(const std::string& why);
  void close();

  const Endpoint endpoint_;
  Owner* owner_;  // Null once it has gone.
  Phase phase_ = Phase::pausing;
  std::shared_ptr<NameLookup>
      lookup_;  // Shared with the owner, whose next session goes on with it.
  Socket socket_;
  asio::steady_timer timer_;  // The pause, then the limit of connecting, then that of answers.
  std::deque<asio::generic::stream_protocol::endpoint> addresses_;  // Not tried yet.
  std::size_t greetings_ = 0;  // Answers that the greeting still awaits.
  bool heard_ = false;         // Something has arrived since the timer was set.
  std::chrono::steady_clock::time_point greeted_by_;  // Or given up.
  std::string refusal_;                               // Of the last address that was tried.
  ReplyParser parser_;
  std::array<char, 16 * 1024> input_;
  std::string output_;   // Requests that wait for the greeting, or for the socket.
  std::string sending_;  // What the socket is taking.
};

}  // namespace picklock
