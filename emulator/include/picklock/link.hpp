// The way to a server, as a lock client sees it.
//
// A connection to an emulator, a simulated connection and a TCP connection are links; code that
// speaks through a Link cannot tell which. Part of the resp layer (it speaks of replies). Used by
// one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <picklock/clock.hpp>
#include <picklock/reply.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// A connection to one server, real or simulated: all that a lock client knows of the network.
class Link {
 public:
  /// Names one request of this link; counts up from 1.
  using Ticket = std::uint64_t;

  /// Who is told when something has happened on the link.
  class Listener {
   public:
    /// A reply or a message has arrived, the connection has broken, or the instant of wake_at() has
    /// come. May send requests, and may destroy the link's users, but not the link.
    virtual void on_event() = 0;
    /// The link ends while it is listened to: nothing may be asked of it any more.
    virtual void on_end() {}

   protected:
    ~Listener() = default;
  };

  virtual ~Link() { end_listening(); }
  /// Sends one request; its words are copied. Replies arrive in the order of the requests. On a
  /// broken connection it opens a new one first. Throws std::invalid_argument without a word.
  virtual Ticket send(std::span<const std::string_view> words) = 0;
  /// The reply to `ticket`, once, as soon as it has arrived; nullopt before. What SUBSCRIBE and
  /// UNSUBSCRIBE confirm of their first channel is their reply.
  virtual std::optional<Reply> reply(Ticket ticket) = 0;
  /// The client's monotonic time. Its zero has no meaning: only differences count.
  virtual Instant now() const = 0;
  /// Asks to be resumed at `instant` at the latest, reply or not. Without a listener the earliest
  /// of several instants counts; with one, each call replaces the one before, and Instant::max()
  /// asks for nothing any more.
  virtual void wake_at(Instant instant) = 0;

  /// The oldest message that the server sent outside of replies and that was not taken yet.
  virtual std::optional<Reply> message() { return std::nullopt; }
  /// Whether the connection broke before the reply to `ticket` came: it never will.
  virtual bool is_lost(Ticket) const { return false; }
  /// Why the last connection broke, in words for people; empty if that is not known.
  virtual std::string why_broken() const { return {}; }
  /// Counts the connections that the link has had, the next one as soon as the last has broken,
  /// which is an event: a new one knows no subscriptions.
  virtual std::uint64_t connections() const { return 1; }
  /// 64 bits for identities and jitter: from the system on a real link, from the seed in a
  /// simulated world.
  virtual std::uint64_t random() = 0;
  /// Carries out the next thing that can happen, for callers that block: waits for it on a real
  /// link, moves the clock to it in a simulation. False if nothing can, or if this link is driven
  /// by something else.
  virtual bool run_one() { return false; }

  /// Makes `listener` the one that is told; null ends it. It must outlive the link or be taken
  /// away; a link that ends before tells it so. Throws std::logic_error if another one is told
  /// already. A link with a listener speaks RESP3 on every connection, so that requests and
  /// messages share it.
  void listen(Listener* listener) {
    if (listener != nullptr && listener_ != nullptr)
      throw std::logic_error(
          "this link already serves a lock client: take the locks from that one");
    listener_ = listener;
    if (listener != nullptr) speak_resp3();
  }
  /// The one that is told; null if there is none.
  Listener* listener() const { return listener_; }

  /// What the users of this link share, if they have put something here: locks made of the same
  /// link find their client so.
  std::weak_ptr<void> shared{};

 protected:
  /// For its listener the link is over.
  void end_listening() {
    if (listener_ != nullptr) std::exchange(listener_, nullptr)->on_end();
  }
  /// Sends HELLO 3 on the present connection, ahead of everything else, unless it was done.
  virtual void speak_resp3() = 0;

 private:
  Listener* listener_ = nullptr;
};

}  // namespace picklock

#pragma GCC visibility pop
