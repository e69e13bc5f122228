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
  };

  /// `peer` and `local` are the addresses shown by CLIENT LIST ("127.0.0.1:1234",
  /// "/tmp/redis.sock:0").
  Connection(Engine& engine, Driver* driver, std::string_view peer, std::string_view local);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Executes every request that is complete with `bytes`; the rest waits for more. While a request
  /// blocks, later ones wait behind it.
  void receive(std::string_view bytes);
  /// Bytes to send, in order; the driver erases what it has sent.
  std::string& output() { return output_; }
  /// Whether the connection ends once the output is sent (QUIT, a protocol error, CLIENT KILL).
  bool should_close() const { return session_.closing; }

 private:
  void resumed() override;
  void output_appeared() override;
  void pump();
  void execute_complete_requests();

  Engine& engine_;
  Driver* driver_;
  std::string output_;
  RespWriter writer_{output_};
  RequestParser parser_;
  Session& session_;
  bool pumping_ = false;  // The driver will look at the output anyway.
};

}  // namespace picklock
