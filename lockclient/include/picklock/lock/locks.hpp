// The locks: mutual exclusion in several manners, permits, latches, over one server or several.
//
// A lock object names a lock and says how it is to be held; it holds nothing itself. Cheap to make,
// to copy and to throw away. Made of a LockClient, or of a Link, whose locks share one client.
// Errors are values; misuse that can be seen at once is invalid_argument, and then nothing is sent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/lock/client.hpp>
#include <picklock/lock/hold.hpp>
#include <picklock/lock/shared.hpp>

#pragma GCC visibility push(default)

namespace picklock {

namespace lock {
class Protocol;
struct Recipe;
}  // namespace lock

/// What all locks that are acquired and released can do.
class AnyLock {
 public:
  /// Waits for ever. Awaitable; see Ongoing. Errors: node_failed, conflict, cancelled,
  /// quorum_not_reached, invalid_argument.
  Ongoing<Outcome<Hold>> acquire();
  /// Does not wait: not_acquired if somebody else holds it.
  Ongoing<Outcome<Hold>> try_acquire();
  /// Waits at most `limit`: then timed_out.
  Ongoing<Outcome<Hold>> acquire_within(Duration limit);
  /// Waits at most `limit`, calls `body` while the lock is held, and gives it back: also if `body`
  /// throws, which it should not in code that does not block: nobody hears of the release then.
  /// What became of the release; errors as of acquire_within().
  Ongoing<Outcome<Released>> guard(Duration limit, std::function<void(Hold&)> body);
  /// Goes on with a hold of this lock that another client has given up by Hold::hand_over(). It is
  /// extended first; not_owner if it is over.
  Ongoing<Outcome<Hold>> adopt(std::string handed_over);

  /// As it was given.
  const std::string& name() const;
  /// As they were given.
  const LockOptions& options() const;
  /// The client that it was made with.
  LockClient& client() { return client_; }

 protected:
  /// For the locks that derive from it.
  AnyLock(LockClient client, lock::Shared<lock::Recipe> recipe)
      : client_(std::move(client)), recipe_(std::move(recipe)) {}

  /// Who asks.
  LockClient client_;
  /// What is asked.
  lock::Shared<lock::Recipe> recipe_;  // Shared by copies: reentrant ones count in it.
};

/// Mutual exclusion: at most one holder. Not reentrant, whoever asks; waiters come in no order.
class Lock : public AnyLock {
 public:
  /// `name` is the key at the server.
  Lock(LockClient client, std::string name, LockOptions options = {});
  /// With the client that all locks of this link share.
  Lock(Link& link, std::string name, LockOptions options = {});
};

/// Can be acquired again by whoever holds it through this object or a copy of it: the levels are
/// counted here, so that no lost answer can miscount them, and the server sees one hold. Every
/// level is released by its own Hold; the last one frees the lock. An acquire while another of the
/// same object is under way shares its result.
class ReentrantLock : public AnyLock {
 public:
  /// As Lock.
  ReentrantLock(LockClient client, std::string name, LockOptions options = {});
  /// As Lock.
  ReentrantLock(Link& link, std::string name, LockOptions options = {});
  /// How many levels are held now.
  std::size_t levels() const;
};

/// A Lock whose holds carry a token that grows from holder to holder (Hold::token), for resources
/// that refuse what comes too late: see FencedResource. The fence outlives the lock, a forced
/// release and a failover that loses writes.
class FencedLock : public AnyLock {
 public:
  /// As Lock; the token counts in a key of its own beside it.
  FencedLock(LockClient client, std::string name, LockOptions options = {});
  /// As Lock.
  FencedLock(Link& link, std::string name, LockOptions options = {});
};

/// What a guarded resource keeps to refuse old tokens.
class FencedResource {
 public:
  /// Whether an operation under `token` may go on: true if no greater token has been seen.
  bool admit(FencingToken token) {
    if (token < highest_) return false;
    highest_ = token;
    return true;
  }
  /// The greatest token that was admitted.
  FencingToken highest() const { return highest_; }

 private:
  FencingToken highest_{};
};

/// Served in the order in which the server was asked.
class FairLock : public AnyLock {
 public:
  /// As Lock.
  FairLock(LockClient client, std::string name, LockOptions options = {});
  /// As Lock.
  FairLock(Link& link, std::string name, LockOptions options = {});
};

/// Up to `limit` permits at a time, each acquisition taking `permits` of them, in order of asking.
/// All clients must name the same limit: conflict otherwise.
class Semaphore : public AnyLock {
 public:
  /// `limit` from 1 to 2^30, `permits` from 1 to `limit`.
  Semaphore(LockClient client, std::string name, std::int64_t limit, LockOptions options = {},
            std::int64_t permits = 1);
  /// The same over one link.
  Semaphore(Link& link, std::string name, std::int64_t limit, LockOptions options = {},
            std::int64_t permits = 1);
};

/// Many readers or one writer, in order of asking, so that neither starves. Each hold has a lease
/// of its own. Not reentrant: a reader that asks again behind a waiting writer waits for itself.
class ReadWriteLock {
 public:
  /// As Lock; the options are those of either side.
  ReadWriteLock(LockClient client, std::string name, LockOptions options = {});
  /// As Lock.
  ReadWriteLock(Link& link, std::string name, LockOptions options = {});

  /// The reader's side; many may hold it at once.
  AnyLock& read() { return read_; }
  /// The writer's side.
  AnyLock& write() { return write_; }
  /// Turns a writer's hold into a reader's, with no gap between. Errors: not_owner, lost,
  /// node_failed.
  Ongoing<Outcome<Done>> downgrade(Hold& writer);

 private:
  class Side : public AnyLock {
   public:
    Side(LockClient client, std::string name, std::int64_t permits, LockOptions options);
  };
  Side read_;
  Side write_;
};

/// All of several names, or none. On one server in one step; over several servers every server
/// takes all names, and all servers must.
class MultiLock : public AnyLock {
 public:
  /// The order of names does not matter; one named twice is an invalid argument.
  MultiLock(LockClient client, std::vector<std::string> names, LockOptions options = {});
  /// The same over one link.
  MultiLock(Link& link, std::vector<std::string> names, LockOptions options = {});
};

/// A lock over N independent servers, held while a majority keeps it. For mutual exclusion only:
/// semaphores and read-write locks over majorities admit too many, so there are none.
class Redlock : public AnyLock {
 public:
  /// `client` must have been made of at least three links.
  Redlock(LockClient client, std::string name, LockOptions options = {});
};

/// Opens when it has been counted down to 0.
class CountDownLatch {
 public:
  /// As Lock.
  CountDownLatch(LockClient client, std::string name, LockOptions options = {});
  /// As Lock.
  CountDownLatch(Link& link, std::string name, LockOptions options = {});

  /// Makes the latch, which lives for the ttl of the options; `count` from 1 to 1,000,000. False if
  /// there is one already.
  Ongoing<Outcome<bool>> try_set_count(std::int64_t count);
  /// Counts down by one, and gives what is left.
  Ongoing<Outcome<std::int64_t>> count_down();
  /// What is left to count down; 0 if it is open. Errors: conflict (no such latch), node_failed.
  Ongoing<Outcome<std::int64_t>> count();
  /// Waits until it is open. Errors: timed_out, conflict (no such latch), node_failed.
  Ongoing<Outcome<Done>> wait_within(Duration limit);
  /// Waits until it is open, without a limit.
  Ongoing<Outcome<Done>> wait();

 private:
  Ongoing<Outcome<Done>> wait_at_most(std::optional<Duration> limit);
  LockClient client_;
  lock::Shared<lock::Recipe> recipe_;  // Shared by copies.
};

}  // namespace picklock

#pragma GCC visibility pop
