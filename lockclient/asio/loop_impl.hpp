// What a RedisLoop and its links share: the io_context, and where random bits come from.
//
// Belongs to the thread that runs the io_context.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <optional>
#include <random>

#include <picklock/redis_loop.hpp>

#include "emulator/base/short_wait.hpp"

namespace picklock {

struct RedisLoop::Impl {
  Impl() : io(own.emplace(1)) {}
  explicit Impl(asio::io_context& the_io) : io(the_io) {}

  bool run_one();
  template <class Function>
  auto run_guarded(Function go_on);
  static Instant now();

  std::optional<asio::io_context> own;  // Empty: `io` is the caller's.
  asio::io_context& io;
  std::random_device random;
  ShortWait short_wait{std::chrono::microseconds{100}};
};

}  // namespace picklock
