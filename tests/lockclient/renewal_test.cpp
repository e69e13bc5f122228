// The watchdog: whatever ends a hold, at whatever step, ends its renewals, signals a loss in time
// and never a false one.
#include <array>
#include <iostream>

#include <picklock/lock.hpp>

#include "lockclient/machine/call.hpp"
#include "tests/lockclient/faulty_link.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

const LockOptions kRenewed{.ttl = 300ms, .renew = true, .answer_within = 20ms};

enum class Interruption {
  release,
  destroy,      ///< The handle goes without a release.
  force,        ///< Somebody else ends the hold.
  vanish,       ///< The key is deleted behind everybody's back.
  crash,        ///< The client says nothing any more.
  unreachable,  ///< The server answers nothing any more, the client lives on.
};

/// One renewed hold that is interrupted after `steps` steps of the loop.
class Renewal {
 public:
  Renewal(bool fair, Interruption how) : fair_(fair), how_(how) {
    plan_.after_request = [this](const std::string& words) {
      const bool extends =
          words.find(extend_->sha) != words.npos || words.find(extend_->source) != words.npos;
      if (extends && over_) wrong_ = "W1: a renewal was sent after the end";
      if (extends) ++extensions_;
    };
  }

  std::string play(std::size_t steps) {
    AnyLock lock = fair_ ? static_cast<AnyLock>(FairLock{*client_, "name", kRenewed})
                         : static_cast<AnyLock>(Lock{*client_, "name", kRenewed});
    auto outcome = lock.acquire().get();
    if (!outcome) return "nothing was acquired";
    std::optional<Hold> hold{std::move(*outcome)};
    hold->on_lost([this](Loss) {
      ++losses_;
      lost_at_ = loop_.now();
    });
    for (std::size_t i = 0; i < steps; ++i) loop_.run_one();
    if (!hold->is_held()) return "N2: the hold ended by itself";
    server_deadline_ = redis_.inspect().deadline("name").value();
    interrupt(hold);
    loop_.advance(5s);
    check(hold);
    return wrong_;
  }

 private:
  void interrupt(std::optional<Hold>& hold) {
    switch (how_) {
      case Interruption::release:
        if (hold->release().get() != Released::released) wrong_ = "R1: not released";
        over_ = true;
        break;
      case Interruption::destroy:
        hold.reset();
        over_ = true;
        break;
      case Interruption::force:
        if (LockClient{*other_link_}.force_release("name").get().value().size() != 1)
          wrong_ = "nothing was forced";
        break;
      case Interruption::vanish:
        redis_.connect().call("DEL", "name");
        break;
      case Interruption::crash:
        plan_.mute = true;
        hold.reset();
        client_.reset();
        over_ = true;
        break;
      case Interruption::unreachable:
        plan_.mute = true;
        break;
    }
  }

  void check(const std::optional<Hold>& hold) {
    const bool loses = how_ == Interruption::force || how_ == Interruption::vanish ||
                       how_ == Interruption::unreachable;
    if (!loses && losses_ > 0) wrong_ = "N2: a loss was signalled that was none";
    if (loses && losses_ != 1) wrong_ = "N1: the loss was signalled " + std::to_string(losses_);
    // What the server has promised is the truth: requests are carried out when they are sent.
    if (loses && lost_at_ > server_deadline_) wrong_ = "N1: the loss was signalled too late";
    if (loses && hold->is_held()) wrong_ = "N1: it still says that it is held";
    if (redis_.inspect().exists("name")) wrong_ = "W1: the lock lives on";
    if (!hold && client_ && client_->under_way() > 0) wrong_ = "K2: something is under way";
  }

  bool fair_;
  Interruption how_;
  test::SpoilPlan plan_;
  Emulator redis_;
  LocalLoop loop_;
  std::unique_ptr<Link> inner_ = loop_.connect(redis_);
  std::unique_ptr<Link> other_link_ = loop_.connect(redis_);
  test::FaultyLink link_{loop_, *inner_, plan_};
  std::optional<LockClient> client_{link_};
  lock::ScriptRef extend_ = lock::embedded_script(fair_ ? "permits_extend" : "lock_extend");
  bool over_ = false;
  std::size_t extensions_ = 0;
  int losses_ = 0;
  Instant lost_at_{};
  Instant server_deadline_{};
  std::string wrong_;
};

}  // namespace

TEST_CASE("whatever ends a renewed hold, at whatever step, leaves no renewal behind") {
  std::size_t cases = 0;
  for (const bool fair : {false, true}) {
    for (const Interruption how :
         {Interruption::release, Interruption::destroy, Interruption::force, Interruption::vanish,
          Interruption::crash, Interruption::unreachable}) {
      for (std::size_t steps = 0; steps < 60; ++steps) {
        INFO("fair " << fair << ", interruption " << static_cast<int>(how) << " after " << steps);
        Renewal renewal{fair, how};
        CHECK(renewal.play(steps) == "");
        ++cases;
      }
    }
  }
  std::cout << "renewal: " << cases << " interruptions\n";
  CHECK(cases == 720);
}

TEST_CASE("no spoilt request of a watchdog loses a hold that the server still keeps") {
  const std::size_t cases = test::spoil_each(12, [](test::SpoilPlan& plan) {
    Emulator redis;
    LocalLoop loop;
    const auto inner = loop.connect(redis);
    test::FaultyLink link{loop, *inner, plan};
    Lock lock{link, "name", kRenewed};
    auto held = lock.acquire().get();
    REQUIRE(held);
    bool lost = false;
    held->on_lost([&](Loss) { lost = true; });
    // Never without the key, never with less than half of the ttl left.
    for (int i = 0; i < 300; ++i) {
      loop.advance(5ms);
      REQUIRE(redis.inspect().string("name") == held->owner());
      REQUIRE(held->valid_for() > 100ms);
    }
    CHECK_FALSE(lost);
    CHECK(held->release().get() == Released::released);
  });
  std::cout << "renewal: " << cases << " spoilt requests\n";
  CHECK(cases == 138);
}

namespace {

/// How many requests a lock that is entered `levels` times sends in 3 s, if it is left but once
/// after `steps` steps.
std::uint64_t requests_of(std::size_t levels, std::size_t steps) {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  ReentrantLock lock{*link, "name", kRenewed};
  std::vector<Hold> holds;
  for (std::size_t i = 0; i < levels; ++i) holds.push_back(lock.acquire().get().value());
  const Instant end = loop.now() + 3s;
  for (std::size_t i = 0; i < steps; ++i) loop.run_one();
  while (holds.size() > 1) {
    CHECK(holds.back().release().get() == Released::still_held);
    holds.pop_back();
  }
  loop.advance(end - loop.now());
  CHECK(holds.front().is_held());
  const std::uint64_t requests = lock.client().counters().requests;
  CHECK(holds.front().release().get() == Released::released);
  loop.advance(3s);
  CHECK(lock.client().counters().requests == requests + 1);
  return requests;
}

}  // namespace

TEST_CASE("a re-entered lock is renewed by one timer, however often and wherever it is left") {
  std::size_t cases = 0;
  const std::uint64_t once = requests_of(1, 0);
  CHECK(once >= 30);
  CHECK(once <= 35);
  for (std::size_t levels = 1; levels <= 6; ++levels) {
    for (std::size_t steps = 0; steps < 20; ++steps, ++cases)
      CHECK(requests_of(levels, steps) == once);
  }
  std::cout << "renewal: " << cases << " re-entries\n";
}

TEST_CASE("a hold with a maximum is renewed up to it and lost at it") {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  LockOptions options = kRenewed;
  options.max_hold = 1s;
  Lock lock{*link, "name", options};
  auto held = lock.acquire().get();
  std::optional<Loss> loss;
  held->on_lost([&](Loss why) { loss = why; });
  loop.advance(900ms);
  CHECK(held->is_held());
  loop.advance(110ms);
  CHECK(loss == Loss::max_hold);
  loop.advance(10ms);
  CHECK_FALSE(redis.inspect().exists("name"));
}

TEST_CASE("a maximum below the ttl is all that a hold is given") {
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  Lock lock{*link, "name", {.renew = true, .max_hold = 1s}};
  auto held = lock.acquire().get();
  std::optional<Loss> loss;
  held->on_lost([&](Loss why) { loss = why; });
  loop.advance(900ms);
  CHECK(held->is_held());
  loop.advance(110ms);
  CHECK(loss == Loss::max_hold);
  CHECK_FALSE(redis.inspect().exists("name"));

  const LockOptions too_short{.renew = true, .max_hold = 1ms};
  CHECK(Lock{*link, "name", too_short}.acquire().get().error().message.starts_with("the maximum"));
}

TEST_CASE("an extension for less than is left shortens nothing") {
  for (const bool fair : {false, true}) {
    Emulator redis;
    LocalLoop loop;
    const auto link = loop.connect(redis);
    const auto other_link = loop.connect(redis);
    const auto make = [fair](Link& to) {
      return fair ? static_cast<AnyLock>(FairLock{to, "name", {.ttl = 10s}})
                  : static_cast<AnyLock>(Lock{to, "name", {.ttl = 10s}});
    };
    auto held = make(*link).acquire().get();
    CHECK(held->extend(1s).get());
    CHECK(held->valid_for() > 9s);
    loop.advance(5s);
    CHECK_FALSE(make(*other_link).try_acquire().get());
    CHECK(held->release().get() == Released::released);
  }
}

TEST_CASE("a Redlock that has lost one vote of three is extended by the others") {
  std::array<Emulator, 3> servers;
  LocalLoop loop;
  std::vector<std::unique_ptr<Link>> links;
  for (Emulator& server : servers) links.push_back(loop.connect(server));
  LockClient client{{links[0].get(), links[1].get(), links[2].get()}};
  auto held = Redlock{client, "name", {.ttl = 10s}}.acquire().get();
  servers[0].connect().call("DEL", "name");
  CHECK(held->extend().get());
  CHECK(held->is_held());
  CHECK(held->release().get() == Released::released);
}
