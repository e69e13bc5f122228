// One client connection as bytes: what a socket driver feeds and drains.
//
// Without I/O: the driver gives what arrived to receive(), sends output() and, once should_close()
// holds and the output is sent, closes. Belongs to the engine's thread.
#pragma once

#include <string>
#include <string_view>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/session.hpp"
#include "emulator/resp/request_parser.hpp"
#include "emulator/resp/resp_writer.hpp"

namespace picklock {

class Connection final : private SessionEvents {
 public:
  /// Told when output appears outside of receive(): a blocked request was answered, a message was
  /// pushed.
  class Driver {
   public:
    virtual ~Driver() = default;
    virtual void output_ready(Connection& connection) = 0;
    /// Bytes that the driver has taken and not sent yet.
    virtual std::size_t unsent() const { return 0; }
  };

  /// `peer` and `local` are the addresses shown by CLIENT LIST ("127.0.0.1:1234",
  /// "/tmp/redis.sock:0").
  Connection(Engine& engine, Driver* driver, std::string_view peer, std::string_view local);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Executes every request that is complete with `bytes`; the rest waits for more. While a request
  /// blocks, or much output waits for a client that does not read, later ones wait behind it.
  /// Returns how many were executed.
  std::size_t receive(std::string_view bytes);
  /// Bytes to send, in order; the driver erases what it has sent, and then calls drained().
  std::string& output() { return output_; }
  /// Goes on with requests that were held back because of the output that was waiting, or of their
  /// number: a turn at a time. Returns how many were executed.
  std::size_t drained();
  /// Whether there are such requests.
  bool is_held_back() const { return held_back_ && !session_.closing; }
  /// Whether a request of it is being executed: until that is over it may neither be fed nor
  /// destroyed. Somebody can ask only while a script lets others have their turns.
  bool is_executing() const { return executing_ > 0; }
  /// Whether the stream of effects goes to it.
  bool is_replica() const { return session_.is_replica; }
  /// CLIENT ID.
  std::uint64_t id() const { return session_.id; }
  const SessionState& session() const { return session_; }
  /// Makes it who `before` was, in this server: what it has selected and said of itself, and that
  /// it may do what that one might.
  void resume_as(const SessionState& before);
  /// What has arrived and is no whole request yet, or waits behind one.
  std::string unread() const { return parser_.unread(); }
  /// Whether the connection ends once the output is sent (QUIT, a protocol error).
  bool should_close() const { return session_.closing; }
  /// Whether it ends at once, whatever is still to be sent (CLIENT KILL, a limit).
  bool is_cut_off() const { return session_.closing && session_.output_is_void; }

 private:
  void resumed() override;
  void late_request_begins() override { ++executing_; }
  void late_request_ends() override;
  void output_appeared() override;
  std::string* byte_output() override { return &output_; }
  std::size_t pump();
  std::size_t execute_complete_requests();
  void fetch_ahead();
  void check_output();
  bool is_limited() const;
  std::size_t unsent() const { return output_.size() + (driver_ ? driver_->unsent() : 0); }

  Engine& engine_;
  Driver* driver_;
  std::string output_;
  RespWriter writer_{output_};
  RequestParser parser_;
  Session& session_;
  int executing_ = 0;       // Calls on the stack. The driver will look at the output anyway.
  bool held_back_ = false;  // Too much output waits, or it was much for one turn.
};

}  // namespace picklock
