// A queue for one lock: a holder and some waiters, whose steps come in the order that an Enumerator
// chooses; play() goes through one order and says what was wrong with it.
//
// Used by the test of waiting; everything is in a namespace of its own, which it uses whole.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <picklock/lock.hpp>

#include "tests/lockclient/stepped.hpp"
#include "tests/lockclient/watcher.hpp"

namespace picklock::test::waiting {

using namespace std::chrono_literals;
using lock::Notice;

/// Without chance: how long to pause between polls is not what is gone through here.
inline const LockOptions kOptions{.ttl = 1000ms, .backoff = {.kind = Backoff::Kind::constant}};

enum class End { release, expire, force };

/// P1: what a waiter may send from asking to being gone, all announcements of its run included.
inline constexpr std::size_t kMostRequests = 12;

/// A holder and some waiters; every order of their steps is one run.
class Queue {
 public:
  struct Settings {
    bool fair = false;
    std::size_t waiters = 2;
    End end = End::release;
    bool one_leaves = false;  ///< The first waiter gives up at some point.
    bool split = false;       ///< Answers take steps of their own.
    /// The first waiter dies at some point: what it has sent may still be carried out.
    bool one_dies = false;
  };

  /// `redis` is as prepare() has left it.
  Queue(Emulator& redis, const lock::ProtocolRef& protocol, const Settings& settings,
        test::Enumerator& enumerator)
      : settings_(settings), enumerator_(enumerator), redis_(redis) {
    holder_ = std::make_unique<test::SteppedClient>(redis_, "holder");
    holder_->acquire(protocol, kOptions, 0ms, redis_.now());
    settle(*holder_);
    for (std::size_t i = 0; i < settings.waiters; ++i) {
      waiters_.push_back(
          std::make_unique<test::SteppedClient>(redis_, "waiter" + std::to_string(i)));
      waiters_.back()->acquire(protocol, kOptions, std::nullopt, redis_.now());
    }
  }

  /// Of any waiter in any run.
  static inline std::size_t most_requests = 0;

  static void prepare(Emulator& redis) {
    for (const char* script : {"lock_acquire", "lock_release", "permits_acquire", "permits_reduce"})
      redis.connect().call("SCRIPT", "LOAD", lock::embedded_script(script)->source);
  }

  /// What is wrong, empty if nothing is.
  std::string play() {
    bool ended = false;
    bool left = !settings_.one_leaves;
    while (true) {
      struct Step {
        test::SteppedClient* client;
        enum { execute, deliver, end, leave, die, lose } what;
      };
      std::vector<Step> steps;
      bool may_start = true;
      for (auto& waiter : waiters_) {
        // Waiters are alike, but for the one that leaves or dies: it is enough that they begin in
        // the order of their numbers.
        const bool begins = waiter->executed == 0;
        const bool is_special =
            waiter == waiters_.front() && (settings_.one_leaves || settings_.one_dies);
        if (!waiter->requests.empty() && (!begins || may_start || is_special))
          steps.push_back({waiter.get(), Step::execute});
        may_start = may_start && (!begins || is_special);
        if (!waiter->answers.empty() && !is_dead(*waiter))
          steps.push_back({waiter.get(), Step::deliver});
      }
      if (dead_ && !waiters_[0]->requests.empty()) steps.push_back({nullptr, Step::lose});
      if (settings_.one_dies && !dead_) steps.push_back({nullptr, Step::die});
      if (!ended) steps.push_back({nullptr, Step::end});
      if (!left) steps.push_back({nullptr, Step::leave});
      if (steps.empty()) break;
      if (steps.size() > 1 && enumerator_.has_met(state(ended), costs())) return wrong_;
      const Step step = steps[steps.size() == 1 ? 0 : enumerator_.choose(steps.size())];
      if (step.what == Step::execute) {
        step.client->execute();
        if (!settings_.split && !is_dead(*step.client)) step.client->deliver(redis_.now());
      } else if (step.what == Step::deliver) {
        step.client->deliver(redis_.now());
      } else if (step.what == Step::end) {
        ended = true;
        end_hold();
      } else if (step.what == Step::die) {
        dead_ = true;
        if (story_ != nullptr) *story_ += "waiter0 dies\n";
      } else if (step.what == Step::lose) {
        waiters_[0]->requests.clear();
      } else {
        left = left_ = true;
        waiters_[0]->core.cancel(waiters_[0]->slot, redis_.now());
        waiters_[0]->collect();
      }
      after_step();
    }
    return finish();
  }

  void tell(std::string& story) {
    story_ = &story;
    for (auto& waiter : waiters_) waiter->story = &story;
  }

 private:
  void settle(test::SteppedClient& client) {
    while (!client.requests.empty() || !client.answers.empty()) {
      if (!client.requests.empty()) client.execute();
      if (!client.answers.empty()) client.deliver(redis_.now());
    }
  }

  /// All that decides how it can go on and what will be found wrong with it.
  std::string state(bool ended) const {
    std::ostringstream text;
    for (const auto& waiter : waiters_) text << waiter->state();
    for (const std::size_t i : asked_) text << i << ' ';
    text << '/';
    for (const std::size_t i : order_) text << i << ' ';
    text << ended << left_ << dead_ << ' ' << to_unix_ms(freed_) << ' ' << to_unix_ms(legacy_)
         << ' ' << to_unix_ms(redis_.now()) << '\n'
         << redis_.dump();
    return text.str();
  }

  /// P1 counts these.
  test::Enumerator::Costs costs() const {
    test::Enumerator::Costs requests;
    for (const auto& waiter : waiters_)
      requests.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(waiter->executed, 255)));
    return requests;
  }

  void end_hold() {
    if (story_ != nullptr) *story_ += "the hold ends\n";
    if (settings_.end == End::expire) {
      redis_.advance(1001ms);
      wake_all();
    } else if (settings_.end == End::force) {
      redis_.connect().call("DEL", "name");
      redis_.connect().call("PUBLISH", lock::beside("name", "over"), "waiter0 waiter1 waiter2");
    } else {
      holder_->core.release(holder_->slot, redis_.now());
      holder_->collect();
      settle(*holder_);
    }
    freed_ = redis_.now();
  }

  bool is_dead(const test::SteppedClient& client) const {
    return dead_ && &client == waiters_[0].get();
  }

  /// Q1: who the server let wait first is first to get it. Called after every request.
  void check_order() {
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      const bool asked = std::find(asked_.begin(), asked_.end(), i) != asked_.end();
      if (waiters_[i]->executed > 0 && !asked) asked_.push_back(i);
    }
    if (!settings_.fair) return;
    std::vector<std::size_t> should_be = asked_;
    std::erase_if(should_be, [this](std::size_t i) { return !served(i); });
    if (order_ != should_be) note("Q1: somebody was served before one who had asked earlier");
    // Of those who were served nobody overtook one who still waits.
    for (const std::size_t i : asked_) {
      const bool passed_by = !served(i) && !(i == 0 && (left_ || dead_));
      if (!passed_by) continue;
      for (auto after = std::find(asked_.begin(), asked_.end(), i); after != asked_.end();
           ++after) {
        if (served(*after)) note("Q1: somebody was overtaken");
      }
    }
  }

  /// Q2: how long the server goes on keeping something for the one who died.
  void note_legacy() {
    if (!dead_) return;
    const auto keep = [this](std::int64_t deadline_ms) {
      legacy_ = std::max(legacy_, from_unix_ms(deadline_ms));
    };
    for (const auto& [owner, held] : watcher_.holders()) {
      if (owner.starts_with("waiter0")) keep(held.deadline_ms);
    }
    const Reply place = look_.call("HGET", lock::beside("name", "queue"), "waiter0");
    if (place.is_null()) return;
    std::istringstream words{place.text()};
    std::int64_t ticket = 0, permits = 0, deadline_ms = 0;
    words >> ticket >> permits >> deadline_ms;
    keep(deadline_ms);
  }
  void note(const std::string& text) {
    if (wrong_.empty()) wrong_ = text;
  }

  /// Whoever has got the lock notes it and lets go.
  void after_step() {
    note_legacy();
    for (auto& waiter : waiters_) waiter->take_messages();
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      test::SteppedClient& waiter = *waiters_[i];
      if (!waiter.has_heard(Notice::Kind::acquired) || served(i)) continue;
      order_.push_back(i);
      check_order();
      waiter.core.release(waiter.slot, redis_.now());
      waiter.collect();
    }
    // When those who are done say good-bye makes no difference to the others.
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      const bool gone = served(i) || (i == 0 && left_);
      if (gone) settle(*waiters_[i]);
    }
    check_order();
    for (auto& waiter : waiters_) {
      waiter->take_messages();
      if (is_dead(*waiter)) continue;
      // With nothing of its own on the way, when it hears of it makes no difference to others.
      while (!settings_.split && waiter->requests.empty() && !waiter->answers.empty())
        waiter->deliver(redis_.now());
    }
  }
  bool served(std::size_t waiter) const {
    return std::find(order_.begin(), order_.end(), waiter) != order_.end();
  }

  bool all_served() const {
    for (std::size_t i = left_ || dead_ ? 1 : 0; i < waiters_.size(); ++i) {
      if (!served(i)) return false;
    }
    return true;
  }

  void wake_all() {
    for (auto& waiter : waiters_) {
      if (!is_dead(*waiter)) wake(*waiter);
    }
  }
  void wake(test::SteppedClient& client) {
    for (auto due = client.core.wake(); due && *due <= redis_.now(); due = client.core.wake())
      client.core.time(redis_.now());
    client.collect();
  }

  /// Nothing is on its way: from here on only time can wake somebody.
  std::string finish() {
    for (int i = 0; i < 1000; ++i) {
      bool busy = false;
      for (auto& waiter : waiters_) {
        if (is_dead(*waiter)) continue;
        settle(*waiter);
        after_step();
      }
      for (auto& waiter : waiters_)
        busy |= !is_dead(*waiter) && (!waiter->requests.empty() || !waiter->answers.empty());
      if (busy) continue;
      if (all_served()) break;
      std::optional<Instant> next;
      for (auto& waiter : waiters_) {
        if (is_dead(*waiter)) continue;
        if (const auto due = waiter->core.wake(); due && (!next || *due < *next)) next = due;
      }
      if (!next) return "L2: somebody waits for ever";
      redis_.advance(std::max(*next - redis_.now(), Duration{}));
      wake_all();
      after_step();
    }
    if (!all_served()) return "L2: a waiter got nothing";
    const Duration slept = redis_.now() - std::max(freed_, legacy_);
    if (slept > 3ms)
      note((dead_ ? "Q2: a dead waiter blocked somebody beyond its lease, for "
                  : "L2: somebody slept past a free lock, for ") +
           std::to_string(slept.count()) + " us");
    for (const auto& waiter : waiters_) {
      most_requests = std::max(most_requests, waiter->executed);
      if (waiter->executed > kMostRequests)
        note("P1: a waiter has sent " + std::to_string(waiter->executed) + " requests");
    }
    redis_.advance(10s);
    if (!redis_.inspect().keys().empty()) note("K1: " + redis_.inspect().keys().front());
    return wrong_;
  }

  Settings settings_;
  test::Enumerator& enumerator_;
  Emulator& redis_;
  std::unique_ptr<test::SteppedClient> holder_;
  std::vector<std::unique_ptr<test::SteppedClient>> waiters_;
  std::vector<std::size_t> asked_;  ///< In the order in which the server heard of them.
  std::vector<std::size_t> order_;  ///< In the order in which they got it.
  Client look_ = redis_.connect();
  test::Watcher watcher_{redis_, "name", 1};
  bool left_ = false;
  bool dead_ = false;
  Instant legacy_{};
  std::string wrong_;
  std::string* story_ = nullptr;
  Instant freed_{};
};

}  // namespace picklock::test::waiting
