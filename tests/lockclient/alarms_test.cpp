// Alarms beside a model that goes through all of them.
#include "lockclient/machine/alarms.hpp"

#include <functional>
#include <map>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using picklock::Instant;
using picklock::lock::Alarm;
using picklock::lock::Alarms;
using picklock::lock::SlotId;

namespace {

constexpr Instant kNever = Instant::max();

/// Slots that come and go, and their alarms: as kept, and as set.
class Slots {
 public:
  void set(SlotId slot, Instant at) {
    alarms_.set(slot, kept_[slot], at);
    set_[slot] = at;
    alarms_.tidy(kept_.size(), [this](auto&& visit) {
      for (auto& [other, alarm] : kept_) visit(other, alarm);
    });
  }
  void forget(SlotId slot) {
    kept_.erase(slot);
    set_.erase(slot);
  }

  std::optional<Instant> next() { return alarms_.next(finder()); }
  std::optional<Instant> model_next() const {
    Instant first = kNever;
    for (const auto& [slot, at] : set_) first = std::min(first, at);
    return first == kNever ? std::nullopt : std::optional{first};
  }
  std::vector<SlotId> due(Instant now) { return alarms_.due(now, finder()); }
  std::vector<SlotId> model_due(Instant now) const {
    std::vector<SlotId> slots;
    for (const auto& [slot, at] : set_)
      if (at <= now) slots.push_back(slot);
    return slots;
  }
  bool may_be_due(Instant now) const { return alarms_.may_be_due(now); }
  std::size_t entries() const { return alarms_.size(); }
  std::size_t size() const { return kept_.size(); }

 private:
  std::function<Alarm*(SlotId)> finder() {
    return [this](SlotId slot) {
      const auto found = kept_.find(slot);
      return found == kept_.end() ? nullptr : &found->second;
    };
  }

  Alarms alarms_;
  std::map<SlotId, Alarm> kept_;
  std::map<SlotId, Instant> set_;
};

}  // namespace

TEST_CASE("alarms ring when they were set to last, whatever came in between") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    picklock::Random random{seed};
    Slots slots;
    Instant now{};
    for (int step = 0; step < 300; ++step) {
      const SlotId slot = 1 + random.below(8);
      switch (random.below(6)) {
        case 0:
          slots.forget(slot);
          break;
        case 1:
          slots.set(slot, kNever);
          break;
        case 2:
          now += std::chrono::milliseconds{random.below(5)};
          // Who is due stays so until it is set anew: one may throw, and keep the rest waiting.
          if (!slots.may_be_due(now)) REQUIRE(slots.model_due(now).empty());
          REQUIRE(slots.due(now) == slots.model_due(now));
          REQUIRE(slots.may_be_due(now) == !slots.model_due(now).empty());
          for (const SlotId one : slots.model_due(now))
            if (random.below(4) != 0)
              slots.set(one, now + std::chrono::milliseconds{random.below(9)});
          break;
        default:
          slots.set(slot, now + std::chrono::milliseconds{random.below(12)});
      }
      REQUIRE(slots.next() == slots.model_next());
    }
  }
}

TEST_CASE("alarms that are given up are not kept until they would have rung") {
  Slots slots;
  slots.set(1, Instant{1s});  // Comes first all the time, so that nobody sees those behind it.
  for (SlotId slot = 2; slot < 10'000; ++slot) {
    slots.set(slot, Instant{1h + std::chrono::seconds{slot}});
    slots.set(slot, Instant{1h});
    slots.forget(slot);
    REQUIRE(slots.next() == Instant{1s});
    REQUIRE(slots.entries() <= Alarms::kFew + 2 * (slots.size() + 1));
  }
  slots.forget(1);
  CHECK(slots.next() == std::nullopt);
  CHECK(slots.entries() == 0);
}
