#include "emulator/server/ready_sockets.hpp"

#include <array>
#include <asio/error.hpp>
#include <asio/system_error.hpp>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace picklock {

namespace {

int checked(int descriptor) {
  if (descriptor >= 0) return descriptor;
  throw asio::system_error({errno, asio::error::get_system_category()}, "epoll");
}

epoll_event event_for(std::uint64_t number) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
  event.data.u64 = number;
  return event;
}

ReadySockets::Ready ready_of(const epoll_event& event) {
  const bool failed = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
  const bool finished = failed || (event.events & EPOLLRDHUP) != 0;
  return {.number = event.data.u64,
          .readable = finished || (event.events & EPOLLIN) != 0,
          .writable = failed || (event.events & EPOLLOUT) != 0,
          .to_its_end = finished};
}

}  // namespace

ReadySockets::ReadySockets(asio::io_context& io)
    : set_(io, checked(::epoll_create1(EPOLL_CLOEXEC))),
      interrupter_(io, checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  checked(add(interrupter_.native_handle(), 0) ? 0 : -1);
}

void ReadySockets::interrupt() {
  const std::uint64_t one = 1;  // Each is told of, whatever the sum of them.
  static_cast<void>(::write(interrupter_.native_handle(), &one, sizeof one));
}

// Not while there are some: then it would wake up for the same ones over and over.
void ReadySockets::wake_up_later() {
  if (std::exchange(wakes_up_, true)) return;
  set_.async_wait(asio::posix::descriptor_base::wait_read,
                  [this](const asio::error_code&) { wakes_up_ = false; });
}

bool ReadySockets::add(int socket, std::uint64_t number) {
  epoll_event event = event_for(number);
  return ::epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, socket, &event) == 0;
}

// Not always: a Unix socket tells of room whenever its peer has read something.
void ReadySockets::wait_to_write(int socket, std::uint64_t number, bool waits) {
  epoll_event event = event_for(number);
  if (waits) event.events |= EPOLLOUT;
  ::epoll_ctl(set_.native_handle(), EPOLL_CTL_MOD, socket, &event);
}

bool ReadySockets::look(std::chrono::milliseconds longest) {
  if (taken_ < found_.size()) return true;
  std::array<epoll_event, 128> events;
  const int most = static_cast<int>(events.size());
  const int wait = again_.empty() ? static_cast<int>(longest.count()) : 0;
  const int count = ::epoll_wait(set_.native_handle(), events.data(), most, wait);
  taken_ = 0;
  found_.clear();
  for (int i = 0; i < count; ++i) found_.push_back(ready_of(events[static_cast<std::size_t>(i)]));
  found_.insert(found_.end(), again_.begin(), again_.end());
  again_.clear();
  if (found_.empty()) wake_up_later();
  return !found_.empty();
}

std::optional<ReadySockets::Ready> ReadySockets::take() {
  if (taken_ == found_.size()) return std::nullopt;
  return found_[taken_++];
}

}  // namespace picklock
