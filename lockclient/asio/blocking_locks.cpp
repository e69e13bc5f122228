#include <picklock/blocking_locks.hpp>

namespace picklock {
namespace {

constexpr auto kAsItIs = [](auto result) { return result; };

LockError moved_away() {
  return {.code = LockError::Code::lost,
          .message = "this handle holds nothing any more: acquire the lock anew"};
}

}  // namespace

BlockingHold::BlockingHold(std::shared_ptr<LoopThread> thread, Hold hold)
    : thread_(std::move(thread)),
      hold_(thread_->keep(std::make_unique<Hold>(std::move(hold)))),
      owner_(hold_->owner()),
      name_(hold_->name()),
      token_(hold_->token()),
      lost_(hold_->lost_token()) {}

Duration BlockingHold::valid_for() const {
  if (!hold_) return {};
  return thread_->call([this](LockClient&) { return hold_->valid_for(); });
}
Outcome<Done> BlockingHold::extend(Duration ttl) {
  if (!hold_) return moved_away();
  return thread_->wait([this, ttl](LockClient&) { return hold_->extend(ttl); }, kAsItIs);
}
Released BlockingHold::release() {
  if (!hold_) return Released::not_owner;
  return thread_->wait([this](LockClient&) { return hold_->release(); }, kAsItIs);
}
void BlockingHold::on_lost(std::function<void(Loss)> callback) {
  if (!hold_) return;
  thread_->call([&](LockClient&) { hold_->on_lost(std::move(callback)); });
}
std::string BlockingHold::hand_over() {
  if (!hold_) return {};
  return thread_->call([this](LockClient&) { return hold_->hand_over(); });
}

BlockingLock::BlockingLock(std::shared_ptr<LoopThread> thread, std::shared_ptr<AnyLock> lock)
    : thread_(std::move(thread)), lock_(std::move(lock)), name_(lock_->name()) {}

template <class Start>
Outcome<BlockingHold> BlockingLock::hold(Start start, const std::stop_token& stop) {
  const auto wrap = [raw = thread_.get()](Outcome<Hold> outcome) -> Outcome<BlockingHold> {
    if (!outcome) return outcome.error();
    return BlockingHold{raw->shared_from_this(), *std::move(outcome)};
  };
  return thread_->wait(std::move(start), wrap, stop);
}

Outcome<BlockingHold> BlockingLock::acquire(const std::stop_token& stop) {
  return hold([this](LockClient&) { return lock_->acquire(); }, stop);
}
Outcome<BlockingHold> BlockingLock::try_acquire() {
  return hold([this](LockClient&) { return lock_->try_acquire(); }, {});
}
Outcome<BlockingHold> BlockingLock::acquire_within(Duration limit, const std::stop_token& stop) {
  return hold([this, limit](LockClient&) { return lock_->acquire_within(limit); }, stop);
}
Outcome<BlockingHold> BlockingLock::adopt(std::string handed_over) {
  return hold([this, &handed_over](LockClient&) { return lock_->adopt(handed_over); }, {});
}

BlockingReadWriteLock::BlockingReadWriteLock(std::shared_ptr<LoopThread> thread,
                                             std::shared_ptr<ReadWriteLock> lock)
    : thread_(std::move(thread)),
      lock_(std::move(lock)),
      read_(thread_, {lock_, &lock_->read()}),
      write_(thread_, {lock_, &lock_->write()}) {}

Outcome<Done> BlockingReadWriteLock::downgrade(BlockingHold& writer) {
  if (!writer.hold_) return moved_away();
  return thread_->wait([&](LockClient&) { return lock_->downgrade(*writer.hold_); }, kAsItIs);
}

Outcome<bool> BlockingLatch::try_set_count(std::int64_t count) {
  return thread_->wait([&](LockClient&) { return latch_->try_set_count(count); }, kAsItIs);
}
Outcome<std::int64_t> BlockingLatch::count_down() {
  return thread_->wait([&](LockClient&) { return latch_->count_down(); }, kAsItIs);
}
Outcome<std::int64_t> BlockingLatch::count() {
  return thread_->wait([&](LockClient&) { return latch_->count(); }, kAsItIs);
}
Outcome<Done> BlockingLatch::wait_within(Duration limit, const std::stop_token& stop) {
  return thread_->wait([&](LockClient&) { return latch_->wait_within(limit); }, kAsItIs, stop);
}
Outcome<Done> BlockingLatch::wait(const std::stop_token& stop) {
  return thread_->wait([&](LockClient&) { return latch_->wait(); }, kAsItIs, stop);
}

Outcome<std::vector<Holder>> BlockingLocks::who_holds(std::string name, std::size_t node) {
  return thread_->wait([&](LockClient& client) { return client.who_holds(name, node); }, kAsItIs);
}
Outcome<std::vector<std::string>> BlockingLocks::force_release(std::string name) {
  return thread_->wait([&](LockClient& client) { return client.force_release(name); }, kAsItIs);
}
LockCounters BlockingLocks::counters() const {
  return thread_->call([](LockClient& client) { return client.counters(); });
}
void BlockingLocks::on_event(std::function<void(const LockEvent&)> callback) {
  thread_->call([&](LockClient& client) { client.on_event(std::move(callback)); });
}

}  // namespace picklock
