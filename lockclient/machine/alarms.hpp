// When machines want to be resumed: a heap of instants that are looked at once they come first.
//
// Most alarms are moved or given up before they ring: until an entry comes first, nobody cares that
// it is out of date. A value, not thread-safe.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <picklock/clock.hpp>

#include "lockclient/machine/channels.hpp"

namespace picklock::lock {

/// Of one machine. Instant::max(): never.
struct Alarm {
  Instant at = Instant::max();     ///< When it is to ring.
  Instant noted = Instant::max();  ///< Its entry, which is no later: then it is looked at.
};

/// `find(slot)` is the alarm of a slot, null if that is gone.
class Alarms {
 public:
  void set(SlotId slot, Alarm& alarm, Instant at) {
    alarm.at = at;
    if (at < alarm.noted) note(slot, alarm);
  }

  /// The first instant at which one is to ring; nullopt: none is.
  template <class Find>
  std::optional<Instant> next(Find&& find) {
    while (!entries_.empty()) {
      const auto [at, slot] = entries_.front();
      Alarm* const alarm = find(slot);
      const bool is_its_entry = alarm != nullptr && alarm->noted == at;
      if (is_its_entry && alarm->at == at) return at;
      drop_first();
      if (is_its_entry) note(slot, *alarm);
    }
    return std::nullopt;
  }

  /// Whether one may be to ring by `now`; if not, none is.
  bool may_be_due(Instant now) const { return !entries_.empty() && entries_.front().first <= now; }

  /// Those that are to ring by `now`, the lowest slots first. They are so until they are set anew.
  template <class Find>
  std::vector<SlotId> due(Instant now, Find&& find) {
    std::vector<SlotId> slots;
    for (auto at = next(find); at && *at <= now; at = next(find)) {
      slots.push_back(entries_.front().second);
      drop_first();
      find(slots.back())->noted = Instant::max();
    }
    for (const SlotId slot : slots) note(slot, *find(slot));
    std::sort(slots.begin(), slots.end());
    return slots;
  }

  /// Notes all anew when most entries are out of date. `for_each(visit)` is to call `visit(slot,
  /// alarm)` for each of the `slots` that are there.
  template <class ForEach>
  void tidy(std::size_t slots, ForEach&& for_each) {
    if (entries_.size() < kFew + 2 * slots) return;
    entries_.clear();
    for_each([this](SlotId slot, Alarm& alarm) { note(slot, alarm); });
  }
  /// With those that are out of date. After tidy() less than kFew and two for each slot.
  std::size_t size() const { return entries_.size(); }

  static constexpr std::size_t kFew = 64;

 private:
  using Entry = std::pair<Instant, SlotId>;

  void note(SlotId slot, Alarm& alarm) {
    alarm.noted = alarm.at;
    if (alarm.at == Instant::max()) return;
    entries_.emplace_back(alarm.at, slot);
    std::push_heap(entries_.begin(), entries_.end(), std::greater<>{});
  }
  void drop_first() {
    std::pop_heap(entries_.begin(), entries_.end(), std::greater<>{});
    entries_.pop_back();
  }

  std::vector<Entry> entries_;  ///< A heap, the earliest first.
};

}  // namespace picklock::lock
