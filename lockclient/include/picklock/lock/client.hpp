// The lock client of a process: hands out locks by name, over one server or several.
//
// It owns an identity of 128 random bits, from which the owner ids of its acquisitions are made,
// and drives everything that is under way. It speaks through Links and nothing else, so the same
// client runs against an emulator, in a simulated world and against real servers. Belongs to the
// thread of its links, which must outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <picklock/link.hpp>
#include <picklock/lock/errors.hpp>
#include <picklock/lock/ongoing.hpp>
#include <picklock/lock/options.hpp>
#include <picklock/lock/shared.hpp>

#pragma GCC visibility push(default)

namespace picklock {

namespace lock {
struct ClientState;
}

/// Who holds a lock.
struct Holder {
  std::string owner;         ///< The id of its hold.
  std::int64_t permits = 1;  ///< Of a semaphore; 1 for all others.
  /// How long the server still keeps it; nullopt: for ever.
  std::optional<std::chrono::milliseconds> ttl;
};

/// What the locks of one program share: its identity, its scripts and subscriptions. Copies are the
/// same client. The links must outlive it; one thread at a time.
class LockClient {
 public:
  /// Over one server. Throws std::logic_error if the link serves another client already.
  explicit LockClient(Link& link);
  /// Over several servers: for Redlock and MultiLock. Throws std::invalid_argument if there is none
  /// or one is named twice.
  explicit LockClient(const std::vector<Link*>& links);
  /// The client that all locks made of `link` directly share.
  static LockClient of(Link& link);

  /// 32 hexadecimal digits: owner ids are this, a colon and a number.
  const std::string& id() const;
  /// How many servers it speaks to.
  std::size_t nodes() const;
  /// The time of its first link.
  Instant now() const;
  /// What has been counted so far.
  const LockCounters& counters() const;
  /// Called at every event of any lock of this client. Replaces an earlier one.
  void on_event(std::function<void(const LockEvent&)> callback);
  /// How many acquisitions, holds and requests are under way: 0 at rest.
  std::size_t under_way() const;
  /// How many channels are listened to: 0 while nobody waits.
  std::size_t subscriptions() const;

  /// The holders of the lock `name` on node `node`, in order of their owner ids; none if it is
  /// free. For every primitive but the latch.
  Ongoing<Outcome<std::vector<Holder>>> who_holds(std::string name, std::size_t node = 0);
  /// Ends the hold of whoever holds `name`, on every node; fenced locks' tokens move on. Gives the
  /// owner ids that were ended. The holders learn of it at their next renewal or release.
  Ongoing<Outcome<std::vector<std::string>>> force_release(std::string name);

  /// For the locks: what they all share.
  const lock::Shared<lock::ClientState>& state() const { return state_; }

 private:
  explicit LockClient(lock::Shared<lock::ClientState> state) : state_(std::move(state)) {}
  lock::Shared<lock::ClientState> state_;  // Shared with every lock and hold.
};

}  // namespace picklock

#pragma GCC visibility pop
