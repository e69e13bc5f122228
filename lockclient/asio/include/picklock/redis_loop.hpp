// Connections to real Redis and Valkey servers, and the event loop that serves them: the driver of
// the lock client for programs that are not tests.
//
// Every link speaks RESP3 on one connection of its own. Requests wait until it stands; when it
// breaks, those unanswered are lost (Link::is_lost) and the next request opens a new one, after a
// pause that grows from 10 ms to 1 s while that fails. A server that refuses the greeting (a wrong
// password) answers every waiting request with its error. One thread runs the loop and uses its
// links; stop() and post() may be called from any.
#pragma once

#include <functional>
#include <memory>

#include <picklock/endpoint.hpp>
#include <picklock/link.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Carries the connections of links to real servers. One thread at a time; links must not outlive
/// it.
class RedisLoop {
 public:
  struct Impl;

  RedisLoop();
  /// For drivers: see <picklock/asio.hpp>.
  explicit RedisLoop(std::shared_ptr<Impl> impl);
  ~RedisLoop();
  /// Leaves one that may only be destroyed or assigned to.
  RedisLoop(RedisLoop&&) noexcept;
  RedisLoop& operator=(RedisLoop&&) noexcept;

  /// A connection to the server at `endpoint`, opened by the first request: that there is no such
  /// server shows in the requests. Throws std::invalid_argument if there can be none (a path that
  /// is too long, a port 0).
  std::unique_ptr<Link> connect(const Endpoint& endpoint);

  /// Waits until something happens and carries it out. False if nothing can, or if the loop is an
  /// io_context of the caller's own. Keeps the processor for up to 100 us before it sleeps, while
  /// that spares it from sleeping: the answers of a server nearby come before a thread could wake
  /// up.
  bool run_one();
  /// As run_one(), but sleeps at once, and for `limit` at most: false then.
  bool run_one_within(Duration limit);
  /// Carries out what happens within `duration`, and takes that long.
  void run_for(Duration duration);
  /// Carries out whatever happens until stop().
  void run();
  /// Ends the run() or run_for() that goes on, or else the next one.
  void stop();
  /// Has `task` called by the thread that runs the loop.
  void post(std::function<void()> task);
  /// The steady clock's time, as the links' users see it.
  Instant now() const;

 private:
  std::shared_ptr<Impl> impl_;  // Shared with the links, which may outlive the loop.
};

}  // namespace picklock

#pragma GCC visibility pop
