// What a RedisLoop and its links share: the io_context, and where random bits come from.
//
// Belongs to the thread that runs the io_context.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>

#include <picklock/redis_loop.hpp>

#include "emulator/base/short_wait.hpp"

namespace picklock {

struct RedisLoop::Impl {
  Impl() : io(own.emplace(1)), executor(io.get_executor()) {}
  Impl(asio::io_context& the_io, asio::any_io_executor the_executor)
      : io(the_io), executor(std::move(the_executor)) {}

  bool run_one();
  /// Calls `go_on` until it says false, or until stop().
  template <class Function>
  void run_until_stopped(Function go_on);
  static Instant now();

  std::optional<asio::io_context> own;  // Empty: `io` is the caller's.
  asio::io_context& io;
  asio::any_io_executor executor;  // Of `io`, or a strand on it: where all that links do is done.
  std::atomic<bool> stopping = false;  // A stop() waits for the run() that it ends.
  std::random_device random;
  ShortWait short_wait{std::chrono::microseconds{100}};
};

}  // namespace picklock
