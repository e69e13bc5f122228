// Which of many sockets can be read or written: one set of them all, that is asked for those of a
// turn at once.
//
// A wait for each one, time after time, would be a call of the system for each of its requests.
// Belongs to the server's thread.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace picklock {

class ReadySockets {
 public:
  /// Once look() has found none, what happens while `io` sleeps wakes it up. Throws
  /// asio::system_error if the system has no descriptor to spare.
  explicit ReadySockets(asio::io_context& io);

  /// From now on, until it is closed, the socket is told of by that number, which is to be unique
  /// but for 0, whenever more arrives. False if the system has no room for it.
  [[nodiscard]] bool add(int socket, std::uint64_t number);
  /// Whether it is told of, too, when it takes bytes, now or later.
  void wait_to_write(int socket, std::uint64_t number, bool waits);
  /// There may be more to read there, of which nobody will tell: it is found by the next look.
  void read_again(std::uint64_t number) {
    again_.push_back({.number = number, .readable = true, .to_its_end = true});
  }

  struct Ready {
    std::uint64_t number = 0;
    bool readable = false;
    bool writable = false;
    bool to_its_end = false;  ///< Nobody will tell of what is left over once it has been read.
  };
  /// Looks for more, if all have been taken, for so long if there are none; false if none came.
  bool look(std::chrono::milliseconds longest = {});
  /// Ends another thread's, or the next, look() that waits: as a socket with the number 0.
  void interrupt();
  /// The next one of what that look has found, which may have been closed meanwhile.
  std::optional<Ready> take();

 private:
  void wake_up_later();

  asio::posix::stream_descriptor set_;
  asio::posix::stream_descriptor interrupter_;
  bool wakes_up_ = false;  // What happens will be told of to io.
  std::vector<Ready> found_;
  std::size_t taken_ = 0;  // Of those.
  std::vector<Ready> again_;
};

}  // namespace picklock
