// Every lock of the lock client, for threads that block while they wait.
//
// BlockingLocks has connections and a thread of its own, on which watchdogs run; the locks and
// holds that it makes keep that thread alive. Everything here may be called from any thread, and
// nothing sleeps or polls. Callbacks run on that thread, and must not wait for a lock.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <picklock/loop_thread.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// A lock that is held; see Hold. Destroying it gives the lock back without waiting.
class BlockingHold {
 public:
  /// On the thread of `thread`.
  BlockingHold(std::shared_ptr<LoopThread> thread, Hold hold);
  /// Leaves one that is not held any more.
  BlockingHold(BlockingHold&&) noexcept = default;
  BlockingHold& operator=(BlockingHold&&) noexcept = default;

  /// As Hold::is_held().
  bool is_held() const { return valid_for() > Duration{}; }
  /// As Hold::valid_for(); from any thread. Waits for no server, but until the loop's thread has
  /// time: a callback that goes on there holds it up, so hold nothing here that one of them wants.
  Duration valid_for() const;
  /// As Hold::owner(), and so it stays when the hold has been given up.
  const std::string& owner() const { return owner_; }
  /// As Hold::name(), and so it stays.
  const std::string& name() const { return name_; }
  /// As Hold::token(), and so it stays.
  FencingToken token() const { return token_; }
  /// As Hold::extend(); waits for the answer.
  Outcome<Done> extend(Duration ttl = {});
  /// As Hold::release(); waits for the answer.
  Released release();
  /// As Hold::lost_token().
  std::stop_token lost_token() const { return lost_; }
  /// As Hold::on_lost(); `callback` runs on the locks' own thread and must not wait there, nor
  /// throw: as in any thread, that ends the program.
  void on_lost(std::function<void(Loss)> callback);
  /// As Hold::hand_over().
  std::string hand_over();

 private:
  friend class BlockingReadWriteLock;
  std::shared_ptr<LoopThread> thread_;
  std::shared_ptr<Hold>
      hold_;  // By this object alone; its deleter is the thread's. Null once moved.
  std::string owner_;
  std::string name_;
  FencingToken token_;
  std::stop_token lost_;
};

/// Any lock that is acquired and released; see AnyLock. Copies name the same lock.
class BlockingLock {
 public:
  /// BlockingLocks::make() makes it.
  BlockingLock(std::shared_ptr<LoopThread> thread, std::shared_ptr<AnyLock> lock);

  /// A stop of `stop` ends the wait with LockError::Code::cancelled.
  Outcome<BlockingHold> acquire(const std::stop_token& stop = {});
  /// As AnyLock::try_acquire(); waits for the answer.
  Outcome<BlockingHold> try_acquire();
  /// As AnyLock::acquire_within(); cancelled if `stop` says so.
  Outcome<BlockingHold> acquire_within(Duration limit, const std::stop_token& stop = {});
  /// As AnyLock::adopt().
  Outcome<BlockingHold> adopt(std::string handed_over);
  /// Calls `body(BlockingHold&)` on this thread while the lock is held, and gives it back, also if
  /// `body` throws. What became of the release, or why there is no hold.
  template <class Body>
  Outcome<Released> guard(Duration limit, Body body) {
    auto held = acquire_within(limit);
    if (!held) return held.error();
    body(*held);
    return held->release();
  }
  /// The lock's name.
  const std::string& name() const { return name_; }

 private:
  template <class Start>
  Outcome<BlockingHold> hold(Start start, const std::stop_token& stop);

  std::shared_ptr<LoopThread> thread_;
  std::shared_ptr<AnyLock> lock_;  // Used on the thread only.
  std::string name_;
};

/// A ReadWriteLock for code that blocks. May be used by several threads.
class BlockingReadWriteLock {
 public:
  /// BlockingLocks::make() makes it.
  BlockingReadWriteLock(std::shared_ptr<LoopThread> thread, std::shared_ptr<ReadWriteLock> lock);

  /// The reader's side.
  BlockingLock& read() { return read_; }
  /// The writer's side.
  BlockingLock& write() { return write_; }
  /// As ReadWriteLock::downgrade().
  Outcome<Done> downgrade(BlockingHold& writer);

 private:
  std::shared_ptr<LoopThread> thread_;
  std::shared_ptr<ReadWriteLock> lock_;  // Used on the thread only.
  BlockingLock read_;
  BlockingLock write_;
};

/// A CountDownLatch for code that blocks. May be used by several threads.
class BlockingLatch {
 public:
  /// BlockingLocks::make() makes it.
  BlockingLatch(std::shared_ptr<LoopThread> thread, std::shared_ptr<CountDownLatch> latch)
      : thread_(std::move(thread)), latch_(std::move(latch)) {}

  /// As CountDownLatch::try_set_count().
  Outcome<bool> try_set_count(std::int64_t count);
  /// As CountDownLatch::count_down().
  Outcome<std::int64_t> count_down();
  /// As CountDownLatch::count().
  Outcome<std::int64_t> count();
  /// As CountDownLatch::wait_within(); cancelled if `stop` says so.
  Outcome<Done> wait_within(Duration limit, const std::stop_token& stop = {});
  /// As CountDownLatch::wait(); cancelled if `stop` says so.
  Outcome<Done> wait(const std::stop_token& stop = {});

 private:
  std::shared_ptr<LoopThread> thread_;
  std::shared_ptr<CountDownLatch> latch_;  // Used on the thread only.
};

/// Locks on real servers for code that blocks, with a thread that carries their messages and renews
/// what is held. It ends when the last lock and hold of it are gone.
class BlockingLocks {
 public:
  /// Connects when the first lock asks.
  explicit BlockingLocks(const Endpoint& endpoint)
      : BlockingLocks(std::vector<Endpoint>{endpoint}) {}
  /// Over several servers, for Redlock and MultiLock.
  explicit BlockingLocks(const std::vector<Endpoint>& endpoints)
      : thread_(LoopThread::start(endpoints)) {}

  /// The lock of type `Primitive` that is made of `arguments`, without the client:
  /// `locks.make<Semaphore>("seats", 3, LockOptions{.ttl = 1s})`.
  template <class Primitive, class... Arguments>
  auto make(Arguments&&... arguments) {
    auto made = thread_->keep(thread_->call([&](LockClient& client) {
      return std::make_unique<Primitive>(client, std::forward<Arguments>(arguments)...);
    }));
    if constexpr (std::is_base_of_v<AnyLock, Primitive>) {
      return BlockingLock{thread_, std::move(made)};
    } else if constexpr (std::is_same_v<Primitive, ReadWriteLock>) {
      return BlockingReadWriteLock{thread_, std::move(made)};
    } else {
      static_assert(std::is_same_v<Primitive, CountDownLatch>, "there is no such lock");
      return BlockingLatch{thread_, std::move(made)};
    }
  }

  /// As LockClient::who_holds().
  Outcome<std::vector<Holder>> who_holds(std::string name, std::size_t node = 0);
  /// As LockClient::force_release().
  Outcome<std::vector<std::string>> force_release(std::string name);
  /// As LockClient::counters(), at this instant.
  LockCounters counters() const;
  /// As LockClient::on_event(); `callback` runs on the locks' own thread, as that of on_lost().
  void on_event(std::function<void(const LockEvent&)> callback);

 private:
  std::shared_ptr<LoopThread> thread_;  // Shared with every lock and hold.
};

}  // namespace picklock

#pragma GCC visibility pop
