#include "tests/support/raw_client.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "tests/support/target.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {

RawClient::RawClient(const std::string& socket_path)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) throw TargetDied("socket path is too long");
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(fd_);
    throw TargetDied("nobody listens at " + socket_path + ": " + reason);
  }
}

RawClient::~RawClient() {
  if (fd_ >= 0) ::close(fd_);
}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      closed_(other.closed_),
      received_(std::move(other.received_)),
      parser_(std::move(other.parser_)) {}

void RawClient::receive(bool wait) {
  std::array<char, 65536> buffer;
  while (!closed_) {
    const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), wait ? 0 : MSG_DONTWAIT);
    if (got > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(got));
      wait = false;
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else {
      closed_ = true;
    }
  }
}

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty() && !closed_) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd events{fd_, POLLIN | POLLOUT, 0};
      ::poll(&events, 1, -1);
      receive(false);
    } else if (sent < 0 && errno != EINTR) {
      receive(false);
      closed_ = true;
    }
  }
}

std::string RawClient::drain() {
  receive(false);
  return std::exchange(received_, {});
}

std::string RawClient::drain(int patience_ms) {
  pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
  ::poll(&waiting, 1, patience_ms);
  return drain();
}

bool RawClient::all_was_read() const {
  int unread = 0;
  return closed_ || ::ioctl(fd_, SIOCOUTQ, &unread) != 0 || unread == 0;
}

Reply RawClient::call(std::span<const std::string_view> words) {
  send(encode_request(words));
  while (true) {
    parser_.feed(std::exchange(received_, {}));
    if (auto reply = parser_.next()) return *std::move(reply);
    if (!parser_.error().empty()) throw TargetDied("the server sent no RESP: " + parser_.error());
    if (closed_) throw TargetDied("the server closed the connection");
    receive(true);
  }
}

}  // namespace picklock::test
