// Lock clients and emulators in one process, in simulated time: the driver for hermetic tests.
//
// A loop carries requests to its emulators at once, and moves their clocks together: time goes on
// only when advance() says so, or when a caller blocks until something happens. Nothing sleeps, no
// thread runs. Not thread-safe; emulators and links must not outlive each other: destroy links
// first, then the loop, then the emulators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <picklock/emulator.hpp>
#include <picklock/link.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Makes links to emulators and lets their time pass. Example: `auto link = loop.connect(redis)`.
class LocalLoop {
 public:
  /// `seed` decides what the clients draw: identities and jitter.
  explicit LocalLoop(std::uint64_t seed = 1);
  ~LocalLoop();
  LocalLoop(const LocalLoop&) = delete;
  LocalLoop& operator=(const LocalLoop&) = delete;

  /// A connection to `redis`, which from now on follows the loop's time: move it with the loop, not
  /// by itself, unless its clock is meant to jump.
  std::unique_ptr<Link> connect(Emulator& redis);

  /// Breaks the connection of `link` as a network would: what was sent is carried out, answers and
  /// messages that have not arrived are lost. The link's next request opens a new one. Throws
  /// std::invalid_argument for a link of somebody else's.
  void disconnect(Link& link);

  /// Lets `duration` pass on every clock, carrying out in order what falls due: replies, messages,
  /// renewals, time limits, expiries. Throws std::invalid_argument for less than nothing and for
  /// more than a thousand years.
  void advance(Duration duration);
  /// Carries out the next thing that can happen, moving the clocks to it if need be. False if
  /// nothing can any more.
  bool run_one();
  /// The loop's time: that of the first emulator's clock when it was connected, moved since.
  Instant now() const;

 private:
  friend class LocalLink;
  struct State;
  std::shared_ptr<State> state_;  // Shared with the links, which may outlive the loop.
};

}  // namespace picklock

#pragma GCC visibility pop
