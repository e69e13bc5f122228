// The way to a server, as a lock client sees it.
//
// An emulator's client, a simulated connection and a TCP connection are links; code that speaks
// through a Link cannot tell which. Part of the resp layer (it speaks of replies). Used by one
// thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <picklock/clock.hpp>
#include <picklock/reply.hpp>

namespace picklock {

class Link {
 public:
  /// Names one request of this link; counts up from 1.
  using Ticket = std::uint64_t;

  virtual ~Link() = default;
  /// Sends one request; its words are copied. Replies arrive in the order of the requests.
  virtual Ticket send(std::span<const std::string_view> words) = 0;
  /// The reply to `ticket`, once, as soon as it has arrived; nullopt before.
  virtual std::optional<Reply> reply(Ticket ticket) = 0;
  /// The client's monotonic time. Its zero has no meaning: only differences count.
  virtual Instant now() const = 0;
  /// Asks to be resumed at `instant` at the latest, reply or not.
  virtual void wake_at(Instant instant) = 0;
};

}  // namespace picklock
