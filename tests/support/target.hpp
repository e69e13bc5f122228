// A server under test, seen as bytes: the real redis-server or the emulator.
//
// Transcripts and the differential test speak to both through this one interface, so that bytes are
// compared with bytes. A target and its channels belong to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace picklock::test {

/// Thrown when the server itself has gone (a crash of redis-server, for instance).
class TargetDied : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One connection.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Sends `bytes` (perhaps none) and returns all that the server has answered once it has come to
  /// rest: it has read everything and has nothing more to say by itself.
  virtual std::string exchange(std::string_view bytes) = 0;
  /// What has come by itself; complete when another connection's exchange() has just returned.
  virtual std::string heard() = 0;
  /// Whether the server has closed the connection.
  virtual bool closed() const = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  /// A new connection, RESP2.
  virtual std::unique_ptr<Channel> connect() = 0;
  /// Whether time moves by pass() alone.
  virtual bool time_stands_still() const = 0;
  /// The server's own time, milliseconds since the Unix epoch.
  virtual std::int64_t now_ms() = 0;
  /// Lets time pass: the emulator's clock moves, the real server makes everybody wait.
  virtual void pass(std::chrono::milliseconds duration) = 0;
};

}  // namespace picklock::test
