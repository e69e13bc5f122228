// Which of many sockets can be read or written: one set of them all, that is asked for those of a
// turn at once.
//
// A wait for each one, time after time, would be a call of the system for each of its requests.
// Belongs to the server's thread.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <optional>
#include <sys/epoll.h>

namespace picklock {

class ReadySockets {
 public:
  /// Once look() has found none, what happens while `io` sleeps wakes it up. Throws
  /// asio::system_error if the system has no descriptor to spare.
  explicit ReadySockets(asio::io_context& io);

  /// From now on, until it is closed, the socket is told of by that number, which is to be unique:
  /// whenever more arrives, and when it takes bytes again after it has refused some. False if the
  /// system has no room for it.
  [[nodiscard]] bool add(int socket, std::uint64_t number);

  struct Ready {
    std::uint64_t number = 0;
    bool readable = false;
    bool writable = false;
    bool to_its_end = false;  ///< Its peer sends no more: read until there is nothing left.
  };
  /// Looks for more, if all have been taken; false if there are none.
  bool look();
  /// The next one of those, which may have been closed meanwhile.
  std::optional<Ready> take();

 private:
  void wake_up_later();

  asio::posix::stream_descriptor set_;
  bool wakes_up_ = false;  // What happens will be told of to io.
  std::array<epoll_event, 128> found_;
  std::size_t count_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace picklock
