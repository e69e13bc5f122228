// What a lock protocol is: how it words its requests and what the answers mean.
//
// A protocol is immutable and has no state of its own; one object serves any number of holds and
// their copies. The order of requests, time limits, renewals and waiting are the HoldMachine's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/lock/errors.hpp>
#include <picklock/lock/options.hpp>
#include <picklock/lock/shared.hpp>
#include <picklock/reply.hpp>

#include "lockclient/machine/call.hpp"

namespace picklock::lock {

/// What all requests of an attempt have in common.
struct AttemptDemand {
  std::int64_t ttl_ms = 0;
  std::int64_t memory_ms = 0;
  std::int64_t queue_ms = 0;  ///< How long a place in a queue is kept; 0: do not queue.
  FencingToken known;         ///< The highest token that the client has seen of this lock.
  /// The client's clock when the attempt began, for protocols that believe in it.
  std::int64_t stamp_ms = 0;
};

/// What a request of an acquisition is made of. The texts are the acquisition's: one is made for
/// each request.
struct Demand : AttemptDemand {
  std::string_view owner;   ///< Unique to the acquisition.
  std::string_view row;     ///< See Row: where the server notes that it is over...
  std::string_view number;  ///< ...which is the one of this number of it, in its digits.
  bool quiet = false;       ///< Of a release: it makes no difference to those who wait.
  // Of protocols that take several requests, or believe in the client's own clock.
  std::size_t step = 0;     ///< Which request of the sequence.
  std::string_view heard;   ///< What the one before was answered.
  std::int64_t now_ms = 0;  ///< The client's clock when an answer is read.
};

/// What a node has answered.
struct Answer {
  enum class Kind : std::uint8_t {
    yes,       ///< Held, extended, released.
    no,        ///< Somebody else's, or nobody's.
    over,      ///< This acquisition is over: go on with a new one.
    conflict,  ///< Held in another way than asked for.
    goes_on,   ///< Neither yet: the next request of the sequence is to be sent.
    failed,    ///< See error().
  };
  Kind kind = Kind::failed;
  NodeError::Kind failure = NodeError::Kind::other;  ///< Of failed.
  bool still_held = false;  ///< Of a release's yes: a level was given back, others remain.
  /// Of yes: how long the server keeps it from the instant of the answer. Of no: how long until
  /// something can change by itself. nullopt: not said, or for ever.
  std::optional<Duration> left{};
  std::int64_t version = 0;  ///< Of yes: the server's deadline, to be named when extending.
  FencingToken token{};
  /// Of no: the holder, if it is known. Of conflict: a sentence for the caller. Of goes_on: what to
  /// remember. Of failed: what the server said, or why the connection broke, if that is known.
  std::string text{};

  static Answer failed(NodeError::Kind kind, std::string text = {});
  std::string_view holder() const { return kind == Kind::no ? text : std::string_view{}; }
  /// Of failed, as the answer of this node.
  NodeError error(std::size_t node) const {
    return {node, failure, kind == Kind::failed ? text : std::string{}};
  }
  /// Of failed: see NodeError::is_passing().
  bool is_passing() const { return NodeError{.kind = failure}.is_passing(); }
};

/// `reply` as a failure if it is an error reply; nullopt if it is none.
std::optional<Answer> read_error(const Reply& reply);
/// What stands for a reply of a shape that the protocol does not know.
Answer unexpected(const Reply& reply);

class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual CallRef acquire(const Demand& demand) const = 0;
  virtual Answer read_acquire(const Reply& reply, const Demand& demand) const = 0;
  /// `version` is that of the node's last yes, 0 if it gave none.
  virtual CallRef extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t version) const = 0;
  virtual Answer read_extend(const Reply& reply, const Demand& demand) const = 0;
  virtual CallRef release(const Demand& demand) const = 0;
  virtual Answer read_release(const Reply& reply, const Demand& demand) const = 0;

  /// Where releases are announced; empty: nowhere.
  virtual std::string channel() const { return {}; }
  /// Of a lock of several names, where that of each is.
  virtual std::vector<std::string> channels() const;
  /// Whether `message` on the channel is for the waiter `owner`.
  virtual bool concerns(std::string_view message, std::string_view owner) const;
  /// Whether there is something to hold: a latch is only waited for.
  virtual bool is_held() const { return true; }
  /// Whether asking takes a place in a queue on the server, so that a waiter must ask now and then
  /// and must say when it leaves.
  virtual bool queues() const { return false; }
  /// Whether an acquisition may be sent again when its answer was lost. If not, it is released and
  /// tried anew.
  virtual bool may_repeat_acquire() const { return true; }
  /// Whether a release that is sent again repeats its answer, instead of finding nothing to
  /// release.
  virtual bool repeats_release_answer() const { return true; }
  /// Whether there is an extend().
  virtual bool extends() const { return true; }
  /// Whether an acquisition whose answer was lost is left to its ttl, because giving it back could
  /// hit another's hold.
  virtual bool leaves_doubtful() const { return false; }
  /// What the client's clock shows when the link's time is `now`; nobody but bad examples asks it.
  virtual std::int64_t clock_ms(Instant now) const { return to_unix_ms(now); }
};
using ProtocolRef = Shared<const Protocol>;

/// A lock of one or several names on each node, one value a name. All or none of the names.
ProtocolRef make_lock_protocol(std::vector<std::string> names);
ProtocolRef make_fenced_protocol(std::string name);
/// `want` of `limit` permits.
ProtocolRef make_permits_protocol(std::string name, std::int64_t want, std::int64_t limit);
/// Waits until the latch is open.
ProtocolRef make_latch_protocol(std::string name);

/// A key beside `name`, in the same hash slot wherever Redis's rule of hash tags allows it.
std::string beside(std::string_view name, std::string_view what);

}  // namespace picklock::lock
