// Operations at random, also within the callbacks of others: whatever is asked for comes to an end.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

/// Two clients of one server with locks of all kinds, in whose names they meet.
class Tangle {
 public:
  explicit Tangle(std::uint64_t seed) : random_(seed) {
    for (LockClient& client : clients_) {
      add<Lock>(client, "lock", {.ttl = 1s, .renew = true, .listen = heads()});
      add<ReentrantLock>(client, "reentrant", {.ttl = 2s, .listen = heads()});
      add<ReentrantLock>(client, "renewed", {.ttl = 1s, .renew = true});
      add<FencedLock>(client, "fenced", {.ttl = 1s, .renew = true});
      add<FairLock>(client, "fair", {.ttl = 2s});
      locks_.push_back(std::make_unique<Semaphore>(client, "semaphore", 2, LockOptions{.ttl = 1s}));
      both_.push_back(std::make_unique<ReadWriteLock>(client, "both", LockOptions{.ttl = 1s}));
      client.on_event([this](const LockEvent&) { now_and_then(8); });
    }
    for (const auto& lock : locks_) all_.push_back(lock.get());
    for (const auto& lock : both_) all_.insert(all_.end(), {&lock->read(), &lock->write()});
  }

  void run() {
    for (int i = 0; i < 100; ++i) {
      act();
      if (random_.below(3) == 0) loop_.advance(heads() ? Duration{100us} : up_to(900));
    }
    is_over_ = true;
  }
  /// Gives everything back, and waits for longer than anything may take.
  void end() {
    for (int i = 0; i < 20; ++i) {
      holds_.clear();
      std::erase_if(acquiring_, [](const auto& one) { return one.is_done(); });
      loop_.advance(5s);
    }
    for (const auto& one : changing_) CHECK(one.is_done());
    for (const auto& one : guarding_) CHECK(one.is_done());
    CHECK(acquiring_.empty());
    CHECK(unheard_ == 0);
    for (const LockClient& client : clients_) {
      CHECK(client.under_way() == 0);
      CHECK(client.subscriptions() == 0);
    }
  }

 private:
  template <class Kind>
  void add(LockClient& client, const char* name, LockOptions options) {
    locks_.push_back(std::make_unique<Kind>(client, name, std::move(options)));
  }
  bool heads() { return random_.below(2) == 0; }
  Duration up_to(std::uint64_t ms) {
    return std::chrono::milliseconds{static_cast<std::int64_t>(random_.below(ms))};
  }
  template <class List>
  auto& any(List& list) {
    return list[random_.below(list.size())];
  }
  template <class List>
  auto take(List& list) {
    auto& one = any(list);
    auto taken = std::move(one);
    one = std::move(list.back());
    list.pop_back();
    return taken;
  }
  /// One out of `odds` callbacks does something itself.
  void now_and_then(std::uint64_t odds) {
    if (!is_over_ && depth_ < 3 && random_.below(odds) == 0) act();
  }
  Ongoing<Outcome<Hold>> ask(AnyLock& lock) {
    switch (random_.below(3)) {
      case 0:
        return lock.acquire();
      case 1:
        return lock.try_acquire();
      default:
        return lock.acquire_within(up_to(3000));
    }
  }

  void act() {
    ++depth_;
    AnyLock& lock = *any(all_);
    switch (random_.below(12)) {
      case 0:
      case 1:
        ++unheard_;
        ask(lock).then([this](Outcome<Hold> held) {
          --unheard_;
          if (held) holds_.push_back(*std::move(held));
          now_and_then(2);
        });
        break;
      case 2:
        acquiring_.push_back(ask(lock));
        break;
      case 3:
        guarding_.push_back(lock.guard(up_to(2000), [this](Hold& hold) {
          now_and_then(2);
          if (random_.below(4) == 0) hold.release().then([](Released) {});
        }));
        break;
      case 4:
        drop_or_cancel();
        break;
      case 5:
        loop_.disconnect(*any(links_));
        break;
      case 6:
        if (random_.below(3) == 0) any(clients_).force_release(lock.name()).then([](auto) {});
        break;
      default:
        if (!holds_.empty()) act_on_hold();
    }
    --depth_;
  }
  void drop_or_cancel() {
    if (!acquiring_.empty()) {
      if (heads())
        any(acquiring_).cancel();
      else
        static_cast<void>(take(acquiring_));
    }
    if (!guarding_.empty() && heads()) static_cast<void>(take(guarding_));
    if (!changing_.empty() && heads()) static_cast<void>(take(changing_));
  }
  void act_on_hold() {
    switch (random_.below(6)) {
      case 0:
        ++unheard_;
        take(holds_).release().then([this](Released) {
          --unheard_;
          now_and_then(2);
        });
        break;
      case 1:
        take(holds_);
        break;
      case 2:
        changing_.push_back(any(holds_).extend(500ms + up_to(4000)));
        break;
      case 3:
        any(holds_).on_lost([this](Loss) { now_and_then(2); });
        break;
      case 4:
        changing_.push_back(any(both_)->downgrade(any(holds_)));
        break;
      default:
        hand_over(take(holds_));
    }
  }
  void hand_over(Hold hold) {
    const std::string name = hold.name();
    const std::string letter = hold.hand_over();
    if (letter.empty() || heads()) return;
    for (AnyLock* lock : all_) {
      if (lock->name() == name && heads()) return acquiring_.push_back(lock->adopt(letter));
    }
  }

  Random random_;
  Emulator redis_;
  LocalLoop loop_;
  std::array<std::unique_ptr<Link>, 2> links_{loop_.connect(redis_), loop_.connect(redis_)};
  std::array<LockClient, 2> clients_{LockClient{*links_[0]}, LockClient{*links_[1]}};
  std::vector<std::unique_ptr<AnyLock>> locks_;
  std::vector<std::unique_ptr<ReadWriteLock>> both_;
  std::vector<AnyLock*> all_;
  std::vector<Hold> holds_;
  std::vector<Ongoing<Outcome<Hold>>> acquiring_;
  std::vector<Ongoing<Outcome<Done>>> changing_;
  std::vector<Ongoing<Outcome<Released>>> guarding_;
  int unheard_ = 0;  ///< Whose callbacks have not been called.
  int depth_ = 0;
  bool is_over_ = false;
};

}  // namespace

TEST_CASE("operations that begin within others' callbacks all come to an end") {
  constexpr std::uint64_t kSeeds = 1000;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    Tangle tangle{seed};
    tangle.run();
    tangle.end();
  }
}
