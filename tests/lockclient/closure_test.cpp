// Every request of every primitive lost, answered in vain, cut off or carried out twice, at every
// position: enumerated, not sampled.
#include <iostream>

#include <picklock/lock.hpp>

#include "tests/lockclient/faulty_link.hpp"
#include "tests/lockclient/watcher.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using test::Spoil;

namespace {

const LockOptions kOptions{.ttl = 1000ms, .answer_within = 40ms, .give_up_after = 800ms};

struct Primitive {
  const char* name;
  std::int64_t limit;  ///< Permits at the server; a string key counts as all of them.
  bool exclusive;      ///< Whether the second client is refused while the first holds.
  AnyLock (*first)(LockClient client);
  AnyLock (*second)(LockClient client);
};

template <class Lock>
AnyLock simple(LockClient client) {
  return Lock{std::move(client), "name", kOptions};
}
AnyLock pair_of_three(LockClient client) {
  return Semaphore{std::move(client), "name", 3, kOptions, 2};
}
AnyLock reader(LockClient client) {
  return ReadWriteLock{std::move(client), "name", kOptions}.read();
}
AnyLock writer(LockClient client) {
  return ReadWriteLock{std::move(client), "name", kOptions}.write();
}
AnyLock several(LockClient client) {
  return MultiLock{std::move(client), {"name", "other"}, kOptions};
}

constexpr std::int64_t kAll = std::int64_t{1} << 30;
constexpr std::array kPrimitives{
    Primitive{"lock", 1, true, simple<Lock>, simple<Lock>},
    Primitive{"reentrant lock", 1, true, simple<ReentrantLock>, simple<ReentrantLock>},
    Primitive{"fenced lock", 1, true, simple<FencedLock>, simple<FencedLock>},
    Primitive{"fair lock", 1, true, simple<FairLock>, simple<FairLock>},
    Primitive{"semaphore", 3, true, pair_of_three, pair_of_three},
    Primitive{"readers", kAll, false, reader, reader},
    Primitive{"reader, then writer", kAll, true, reader, writer},
    Primitive{"writer, then reader", kAll, true, writer, reader},
    Primitive{"several names", 1, true, several, several},
};

/// Two clients of one server; the plan decides which of their requests is spoilt.
class Run {
 public:
  /// `forgets`: the server forgets its scripts once the lock is held.
  Run(const Primitive& primitive, bool forgets, test::SpoilPlan plan)
      : primitive_(primitive), forgets_(forgets), plan_(std::move(plan)) {
    plan_.after_request = [this](const std::string& words) {
      const std::string wrong =
          watcher_.check(words.find(bob_.id()) == words.npos ? alice_.id() : bob_.id());
      if (!wrong.empty() && wrong_.empty()) wrong_ = wrong + " by " + words;
      check_belief(words);
    };
    plan_.before_duplicate = [this] { before_ = redis_.dump(); };
    plan_.between_duplicates = [this] {
      if (redis_.dump() != before_) note("M1: a request that came twice changed something again");
    };
    plan_.after_duplicate = [this](const Reply& one, const Reply& other) {
      if (one != other)
        note("M1: a request that came twice was answered " + one.to_string() + ", then " +
             other.to_string());
    };
  }

  /// What is wrong, empty if nothing is.
  std::string play() {
    auto first = primitive_.first(alice_);
    auto second = primitive_.second(bob_);
    auto held = first.acquire_within(5s).get();
    if (!held) return "the first client got nothing: " + held.error().to_string();
    held_ = &*held;
    if (forgets_) redis_.connect().call("SCRIPT", "FLUSH");
    auto refused = second.try_acquire().get();
    if (primitive_.exclusive == refused.has_value()) note("S: the second client was let in");
    auto waiting = second.acquire_within(5s);
    loop_.advance(30ms);
    if (!held->extend().get()) note("the extension failed");
    if (held->valid_for() < 900ms) note("the extension did not lengthen the hold");
    loop_.advance(30ms);
    const Released released = held->release().get();
    held_ = nullptr;
    if (released != Released::released)
      note("R1: release said " + std::string{to_string(released)});
    auto next = waiting.get();
    if (!next) return "L2: the second client got nothing: " + next.error().to_string();
    const Released last = next->release().get();
    if (last != Released::released) note("R1: release said " + std::string{to_string(last)});
    if (refused) static_cast<void>(refused->release().get());
    end();
    return wrong_;
  }

  std::size_t requests() const { return plan_.requests; }

 private:
  void note(const std::string& text) {
    if (wrong_.empty()) wrong_ = text;
  }

  /// S2: who believes to hold, holds.
  void check_belief(const std::string& words) {
    if (held_ == nullptr || !held_->is_held()) return;
    if (!watcher_.holders().contains(held_->owner()))
      note("S2: the first client believes to hold what it does not, after " + words);
  }

  void end() {
    if (plan_.resend) std::exchange(plan_.resend, nullptr)();
    loop_.advance(10s);
    for (const std::string& key : redis_.inspect().keys()) {
      if (key.find("fence") == key.npos) note("K1: this is left over: " + key);
    }
    if (alice_.under_way() + bob_.under_way() > 0) note("K2: something is still under way");
    if (alice_.subscriptions() + bob_.subscriptions() > 0) note("K2: a channel is still open");
  }

  const Primitive& primitive_;
  bool forgets_;
  test::SpoilPlan plan_;
  Emulator redis_;
  LocalLoop loop_;
  std::unique_ptr<Link> alice_inner_ = loop_.connect(redis_);
  std::unique_ptr<Link> bob_inner_ = loop_.connect(redis_);
  test::FaultyLink alice_link_{loop_, *alice_inner_, plan_};
  test::FaultyLink bob_link_{loop_, *bob_inner_, plan_};
  LockClient alice_{alice_link_};
  LockClient bob_{bob_link_};
  test::Watcher watcher_{redis_, "name", primitive_.limit};
  Hold* held_ = nullptr;
  std::string before_;
  std::string wrong_;
};

}  // namespace

TEST_CASE("no lost, broken or repeated request of any primitive breaks a property") {
  std::size_t cases = 0;
  for (const Primitive& primitive : kPrimitives) {
    for (const bool forgets : {false, true}) {
      INFO(primitive.name << ", the server " << (forgets ? "forgets" : "knows") << " its scripts");
      Run undisturbed{primitive, forgets, {}};
      CHECK(undisturbed.play() == "");
      // A spoilt request makes others necessary, which are spoilt in their turn.
      cases += test::spoil_each(undisturbed.requests() + 4, [&](test::SpoilPlan& plan) {
        CHECK(Run{primitive, forgets, std::move(plan)}.play() == "");
      });
    }
  }
  std::cout << "reply-loss closure, one server: " << cases << " cases of " << kPrimitives.size()
            << " primitives\n";
  CHECK(cases > 3000);
}

namespace {

/// A client of three servers, and another; the plan decides which request to which is spoilt.
class QuorumRun {
 public:
  QuorumRun(bool redlock, test::SpoilPlan plan) : redlock_(redlock), plan_(std::move(plan)) {
    for (std::size_t i = 0; i < 6; ++i) {
      inner_.push_back(loop_.connect(servers_[i % 3]));
      links_.push_back(std::make_unique<test::FaultyLink>(loop_, *inner_[i], plan_));
    }
    alice_.emplace(links_of(0));
    bob_.emplace(links_of(3));
    plan_.after_request = [this](const std::string& words) {
      if (held_ == nullptr || !held_->is_held()) return;
      std::size_t kept = 0;
      for (const Emulator& server : servers_) {
        const auto value = server.inspect().string("name");
        if (value && value->starts_with(held_->owner())) ++kept;
      }
      if (kept < (redlock_ ? 2U : 3U)) note("S2: too few servers keep the hold, after " + words);
    };
  }

  std::string play() {
    AnyLock first = lock(*alice_);
    AnyLock second = lock(*bob_);
    auto held = first.acquire_within(5s).get();
    if (!held) return "the first client got nothing: " + held.error().to_string();
    held_ = &*held;
    if (second.try_acquire().get()) note("S: the second client was let in");
    auto waiting = second.acquire_within(5s);
    loop_.advance(60ms);
    if (!held->extend().get()) note("the extension failed");
    const Released released = held->release().get();
    held_ = nullptr;
    if (released != Released::released)
      note("R1: release said " + std::string{to_string(released)});
    auto next = waiting.get();
    if (!next) return "L2: the second client got nothing: " + next.error().to_string();
    const Released last = next->release().get();
    if (last != Released::released) note("R1: release said " + std::string{to_string(last)});
    if (plan_.resend) std::exchange(plan_.resend, nullptr)();
    loop_.advance(10s);
    for (const Emulator& server : servers_) {
      if (!server.inspect().keys().empty()) note("K1: " + server.inspect().keys().front());
    }
    if (alice_->under_way() + bob_->under_way() > 0) note("K2: something is still under way");
    return wrong_;
  }

  std::size_t requests() const { return plan_.requests; }

 private:
  std::vector<Link*> links_of(std::size_t from) const {
    return {links_[from].get(), links_[from + 1].get(), links_[from + 2].get()};
  }
  AnyLock lock(LockClient client) const {
    if (redlock_) return Redlock{std::move(client), "name", kOptions};
    return MultiLock{std::move(client), {"name", "other"}, kOptions};
  }
  void note(const std::string& text) {
    if (wrong_.empty()) wrong_ = text;
  }

  bool redlock_;
  test::SpoilPlan plan_;
  std::array<Emulator, 3> servers_;
  LocalLoop loop_;
  std::vector<std::unique_ptr<Link>> inner_;
  std::vector<std::unique_ptr<test::FaultyLink>> links_;
  std::optional<LockClient> alice_;
  std::optional<LockClient> bob_;
  const Hold* held_ = nullptr;
  std::string wrong_;
};

}  // namespace

TEST_CASE("no spoilt request to one of three servers breaks a lock over all of them") {
  std::size_t cases = 0;
  for (const bool redlock : {true, false}) {
    INFO((redlock ? "redlock" : "several names on several servers"));
    QuorumRun undisturbed{redlock, {}};
    CHECK(undisturbed.play() == "");
    cases += test::spoil_each(undisturbed.requests() + 6, [&](test::SpoilPlan& plan) {
      CHECK(QuorumRun{redlock, std::move(plan)}.play() == "");
    });
  }
  std::cout << "reply-loss closure, three servers: " << cases << " cases\n";
  CHECK(cases > 2000);
}
