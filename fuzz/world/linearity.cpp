#include "fuzz/world/linearity.hpp"

#include <algorithm>
#include <numeric>

namespace picklock::race {
namespace {

using CallKind = LockCall::Kind;
using CallAnswer = LockCall::Answer;

std::vector<std::size_t> sorted_by(std::span<const LockCall> calls, std::uint64_t LockCall::*at) {
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return calls[a].*at < calls[b].*at; });
  return order;
}

/// The lock itself, as calls take effect on it one after the other.
class SequentialLock {
 public:
  explicit SequentialLock(const LockModel& model) : model_(model) {}

  /// Whether the answer of `call` is right now; takes its effect. Who may be over by itself is, if
  /// nothing else will do.
  bool take(const LockCall& call) {
    const std::size_t own = place_of(call.owner);
    if (call.kind == CallKind::release) return release(call, own);
    const bool again = own < holds_.size() && model_.reentrant;
    switch (call.answer) {
      case CallAnswer::granted:
        return grant(call, again);
      case CallAnswer::refused:
        return !again && !fits(call);
      case CallAnswer::unknown:
        if (call.executed != LockCall::kNever && (again || fits(call))) grant(call, again);
        return true;
    }
    return false;
  }

 private:
  struct Hold {
    std::uint64_t owner = 0;
    std::int64_t permits = 0;
    std::uint64_t lapses = LockCall::kNever;
  };

  std::size_t place_of(std::uint64_t owner) const {
    std::size_t place = 0;
    while (place < holds_.size() && holds_[place].owner != owner) ++place;
    return place;
  }
  std::int64_t weight(const Hold& hold) const { return model_.reentrant ? 1 : hold.permits; }
  std::int64_t taken() const {
    std::int64_t all = 0;
    for (const Hold& hold : holds_) all += weight(hold);
    return all;
  }
  bool fits(const LockCall& call) const {
    return taken() + (model_.reentrant ? 1 : call.permits) <= model_.capacity;
  }
  bool grant(const LockCall& call, bool again) {
    const auto full = [&] { return !again && !fits(call); };
    for (std::size_t i = 0; i < holds_.size() && full();) {
      if (holds_[i].lapses <= call.executed)
        holds_.erase(holds_.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (full()) return false;
    const std::size_t own = place_of(call.owner);
    if (own == holds_.size()) holds_.push_back({.owner = call.owner});
    holds_[own].permits += call.permits;
    holds_[own].lapses = call.lapses;
    return true;
  }
  bool release(const LockCall& call, std::size_t own) {
    const bool holds = own < holds_.size() && holds_[own].permits >= call.permits;
    if (call.answer == CallAnswer::refused) {
      if (!holds) return true;
      if (holds_[own].lapses > call.executed) return false;
      holds_.erase(holds_.begin() + static_cast<std::ptrdiff_t>(own));
      return true;
    }
    if (!holds) return call.answer == CallAnswer::unknown;
    if (call.executed == LockCall::kNever) return true;  // Of an unknown one: it never was.
    holds_[own].permits -= call.permits;
    if (holds_[own].permits == 0) holds_.erase(holds_.begin() + static_cast<std::ptrdiff_t>(own));
    return true;
  }

  LockModel model_;
  std::vector<Hold> holds_;
};

/// A hold that its owner was told of.
struct Hold {
  std::size_t call = 0;                     ///< The acquire that began it.
  std::uint64_t earliest = 0;               ///< It may have begun here...
  std::uint64_t from = 0;                   ///< ...and was there from here...
  std::uint64_t to = LockCall::kNever;      ///< ...to here for certain...
  std::uint64_t latest = LockCall::kNever;  ///< ...and perhaps to here.
  std::int64_t weight = 1;
};

/// The holds of all owners, if each did one thing at a time and their calls fit to each other.
class Holds {
 public:
  Holds(std::span<const LockCall> calls, const LockModel& model) : calls_(calls), model_(model) {
    std::vector<std::size_t> order = sorted_by(calls, &LockCall::begun);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return calls[a].owner < calls[b].owner; });
    for (std::size_t i = 0; i < order.size() && plain_; ++i) {
      const bool first = i == 0 || calls[order[i]].owner != calls[order[i - 1]].owner;
      if (first) {
        close(LockCall::kNever, LockCall::kNever);
        uncertain_ = false;
      } else if (calls[order[i - 1]].ended > calls[order[i]].begun &&
                 calls[order[i - 1]].answer != CallAnswer::unknown) {
        plain_ = false;
      }
      add(order[i]);
    }
    close(LockCall::kNever, LockCall::kNever);
  }

  bool are_plain() const { return plain_; }
  std::vector<Hold> holds;
  std::vector<std::size_t> refused;  ///< Acquires.
  bool unknown = false;              ///< Some acquire is.

 private:
  void add(std::size_t place) {
    const LockCall& call = calls_[place];
    call.kind == CallKind::acquire ? acquire(place, call) : release(call);
  }
  void acquire(std::size_t place, const LockCall& call) {
    if (call.answer == CallAnswer::unknown) {
      unknown = true;
      uncertain_ = true;
    } else if (call.answer == CallAnswer::refused) {
      refused.push_back(place);
      plain_ &= count_ == 0 && !uncertain_;
    } else if (count_ > 0) {
      plain_ &= model_.reentrant && lapses_ > call.ended;  // Or it may have begun anew.
      count_ += call.permits;
      lapses_ = call.lapses;
    } else {
      holds.push_back({.call = place,
                       .earliest = call.begun,
                       .from = call.ended,
                       .weight = model_.reentrant ? 1 : call.permits});
      plain_ &= !uncertain_ && (model_.reentrant || call.permits <= model_.capacity);
      count_ = call.permits;
      lapses_ = call.lapses;
    }
  }
  void release(const LockCall& call) {
    plain_ &= !uncertain_;
    if (call.answer == CallAnswer::refused) {
      if (count_ == 0) return;
      plain_ &= lapses_ <= call.ended && count_ >= call.permits;
      return close(LockCall::kNever, call.ended);
    }
    if (call.answer == CallAnswer::unknown) {
      if (count_ > call.permits) plain_ = false;
      uncertain_ = true;
      return close(call.begun, LockCall::kNever);
    }
    plain_ &= count_ >= call.permits;
    if (count_ > call.permits) {
      plain_ &= model_.reentrant;  // Otherwise it holds fewer from now on.
      count_ -= call.permits;
      return;
    }
    // The server said that it was there until then, whatever its lease.
    lapses_ = LockCall::kNever;
    close(call.begun, call.ended);
  }
  void close(std::uint64_t to, std::uint64_t latest) {
    if (count_ == 0) return;
    Hold& hold = holds.back();
    hold.to = std::min(to, lapses_);
    hold.latest = latest;
    plain_ &= hold.to > hold.from;
    count_ = 0;
  }

  std::span<const LockCall> calls_;
  LockModel model_;
  bool plain_ = true;
  bool uncertain_ = false;  ///< The owner does not know whether it holds.
  std::int64_t count_ = 0;  ///< Of the owner's.
  std::uint64_t lapses_ = LockCall::kNever;
};

/// More is held for certain at one moment than there is.
std::optional<HistoryVerdict> find_overlap(const std::vector<Hold>& holds, std::int64_t capacity) {
  struct Event {
    std::uint64_t at = 0;
    std::size_t hold = 0;
    bool begins = false;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    events.push_back({holds[i].from, i, true});
    if (holds[i].to != LockCall::kNever) events.push_back({holds[i].to, i, false});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.at < b.at; });
  std::int64_t taken = 0;
  std::vector<std::size_t> present;
  for (const Event& event : events) {
    if (!event.begins) {
      taken -= holds[event.hold].weight;
      present.erase(std::find(present.begin(), present.end(), event.hold));
      continue;
    }
    taken += holds[event.hold].weight;
    const std::size_t call = holds[event.hold].call;
    if (taken > capacity)
      return HistoryVerdict{HistoryVerdict::Outcome::broken, HistoryVerdict::Stage::lock, call,
                            present.empty() ? call : holds[present.back()].call};
    present.push_back(event.hold);
  }
  return std::nullopt;
}

/// Somebody was refused by a mutex that nobody can have held meanwhile.
std::optional<HistoryVerdict> find_refusal(std::span<const LockCall> calls,
                                           const std::vector<std::size_t>& refused,
                                           std::vector<Hold> holds) {
  std::sort(holds.begin(), holds.end(),
            [](const Hold& a, const Hold& b) { return a.from < b.from; });
  for (std::size_t i = 1; i < holds.size(); ++i) {
    holds[i].earliest = std::max(holds[i].earliest, holds[i - 1].to);
    holds[i - 1].latest = std::min(holds[i - 1].latest, holds[i].from);
  }
  for (const std::size_t place : refused) {
    const LockCall& call = calls[place];
    const auto after = std::partition_point(
        holds.begin(), holds.end(), [&](const Hold& hold) { return hold.earliest < call.ended; });
    if (after == holds.begin() || std::prev(after)->latest < call.begun)
      return HistoryVerdict{HistoryVerdict::Outcome::broken, HistoryVerdict::Stage::lock, place,
                            place};
  }
  return std::nullopt;
}

}  // namespace

bool is_right_as_executed(std::span<const LockCall> calls, const LockModel& model) {
  SequentialLock lock{model};
  std::uint64_t last = 0;
  bool sorted = true;
  for (const LockCall& call : calls) {
    const bool known = call.answer != CallAnswer::unknown;
    if (known && (call.executed < call.begun || call.executed > call.ended)) return false;
    sorted &= call.executed >= last;
    last = call.executed;
  }
  if (sorted) return std::all_of(calls.begin(), calls.end(), [&](auto& c) { return lock.take(c); });
  for (const std::size_t place : sorted_by(calls, &LockCall::executed))
    if (!lock.take(calls[place])) return false;
  return true;
}

std::optional<HistoryVerdict> judge_as_lock(std::span<const LockCall> calls,
                                            const LockModel& model) {
  const Holds all{calls, model};
  if (!all.are_plain()) return std::nullopt;
  if (auto broken = find_overlap(all.holds, model.capacity)) return broken;
  // Each hold can be as short as it is for certain, and whoever never heard need not have any.
  constexpr HistoryVerdict kRight{.stage = HistoryVerdict::Stage::lock};
  if (all.refused.empty()) return kRight;
  if (all.unknown || model.capacity != 1) return std::nullopt;
  if (auto broken = find_refusal(calls, all.refused, all.holds)) return broken;
  return kRight;
}

HistoryVerdict check_history(std::span<const LockCall> calls, const LockModel& model,
                             std::uint64_t most_states) {
  if (is_right_as_executed(calls, model)) return {};
  if (const auto verdict = judge_as_lock(calls, model)) return *verdict;
  return try_all_orders(calls, model, most_states);
}

}  // namespace picklock::race
