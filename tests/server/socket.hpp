// A blocking socket to a server under test: bytes and replies, and the ways in which a client can
// vanish.
//
// Waits ten seconds at most, then fails the test. One thread each.
#pragma once

#include <arpa/inet.h>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_parser.hpp"

namespace picklock::test {

inline std::string request(std::initializer_list<std::string_view> words) {
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words)
    bytes += "$" + std::to_string(word.size()) + "\r\n" + std::string{word} + "\r\n";
  return bytes;
}

/// Polls until `condition` holds; throws when it does not come to hold.
template <class Condition>
void await(std::string_view what, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("never: " + std::string{what});
    std::this_thread::yield();
  }
}

class Socket {
 public:
  /// Takes a connected descriptor.
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    const timeval limit{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  static Socket tcp(std::uint16_t port, const std::string& to = "127.0.0.1") {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, to.c_str(), &address.sin_addr);
    return connected(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  static Socket unix_path(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  Socket(Socket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), parser_(std::move(other.parser_)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) throw std::runtime_error(std::string{"send: "} + std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  Reply reply() {
    while (true) {
      if (auto reply = parser_.next()) return *std::move(reply);
      char buffer[65536];
      const auto size = ::recv(descriptor_, buffer, sizeof buffer, 0);
      if (size < 0) throw std::runtime_error(std::string{"recv: "} + std::strerror(errno));
      if (size == 0) throw std::runtime_error("the server closed the connection");
      parser_.feed({buffer, static_cast<std::size_t>(size)});
    }
  }
  Reply call(std::initializer_list<std::string_view> words) {
    send(request(words));
    return reply();
  }
  /// Whether the server has closed the connection, all replies having been read; waits for either.
  bool ended() {
    char byte = 0;
    const auto size = ::recv(descriptor_, &byte, 1, 0);
    return size == 0 || (size < 0 && errno == ECONNRESET);
  }
  /// Waits until the server has read everything that was sent; for socket pairs and Unix sockets.
  void await_read() {
    await("the server reads", [this] {
      int unread = 0;
      return ::ioctl(descriptor_, SIOCOUTQ, &unread) == 0 && unread == 0;
    });
  }
  void finish_sending() { ::shutdown(descriptor_, SHUT_WR); }
  /// Vanishes without a word: the server sees a reset.
  void reset() {
    const linger hard{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    ::close(std::exchange(descriptor_, -1));
  }

 private:
  static Socket connected(int family, const sockaddr* address, socklen_t size) {
    const int descriptor = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Socket result(descriptor);
    if (::connect(descriptor, address, size) != 0)
      throw std::runtime_error(std::string{"connect: "} + std::strerror(errno));
    return result;
  }

  int descriptor_;
  ReplyParser parser_;
};

}  // namespace picklock::test
