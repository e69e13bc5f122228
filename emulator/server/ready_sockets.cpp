#include "emulator/server/ready_sockets.hpp"

#include <asio/error.hpp>
#include <asio/system_error.hpp>
#include <cerrno>
#include <utility>

namespace picklock {

namespace {

int make_set() {
  const int set = ::epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) throw asio::system_error({errno, asio::error::get_system_category()}, "epoll");
  return set;
}

}  // namespace

ReadySockets::ReadySockets(asio::io_context& io) : set_(io, make_set()) {}

// Not while there are some: then it would wake up for the same ones over and over.
void ReadySockets::wake_up_later() {
  if (std::exchange(wakes_up_, true)) return;
  set_.async_wait(asio::posix::descriptor_base::wait_read,
                  [this](const asio::error_code&) { wakes_up_ = false; });
}

bool ReadySockets::add(int socket, std::uint64_t number) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = number;
  return ::epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, socket, &event) == 0;
}

bool ReadySockets::look() {
  if (taken_ < count_) return true;
  const int most = static_cast<int>(found_.size());
  const int found = ::epoll_wait(set_.native_handle(), found_.data(), most, 0);
  taken_ = 0;
  count_ = found > 0 ? static_cast<std::size_t>(found) : 0;
  if (count_ == 0) wake_up_later();
  return count_ > 0;
}

std::optional<ReadySockets::Ready> ReadySockets::take() {
  if (taken_ == count_) return std::nullopt;
  const epoll_event& event = found_[taken_++];
  const bool failed = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
  const bool finished = failed || (event.events & EPOLLRDHUP) != 0;
  return Ready{.number = event.data.u64,
               .readable = finished || (event.events & EPOLLIN) != 0,
               .writable = failed || (event.events & EPOLLOUT) != 0,
               .to_its_end = finished};
}

}  // namespace picklock
