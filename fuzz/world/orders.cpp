// The general stage of check_history(): all orders of the calls, depth first.
#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "fuzz/world/linearity.hpp"

namespace picklock::race {
namespace {

using CallKind = LockCall::Kind;
using CallAnswer = LockCall::Answer;

std::uint64_t scrambled(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

/// The calls in the order in which they began, of which some have taken effect.
class Orders {
 public:
  Orders(std::span<const LockCall> calls, const LockModel& model) : calls_(calls), model_(model) {
    order_.resize(calls.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return calls[a].begun < calls[b].begun; });
    std::vector<std::uint64_t> owners;
    for (const LockCall& call : calls) owners.push_back(call.owner);
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    for (const LockCall& call : calls)
      owner_.push_back(static_cast<std::size_t>(
          std::lower_bound(owners.begin(), owners.end(), call.owner) - owners.begin()));
    holds_.resize(owners.size());
    done_.resize(calls.size());
    for (const LockCall& call : calls) left_ += call.answer == CallAnswer::unknown ? 0 : 1;
  }

  HistoryVerdict search(std::uint64_t most_states) {
    if (left_ == 0) return {.stage = HistoryVerdict::Stage::general};
    enter();
    while (!path_.empty()) {
      Level& level = path_.back();
      if (level.next == level.end) {
        moves_.resize(level.begin);
        path_.pop_back();
        if (!path_.empty()) undo();
        continue;
      }
      if (!take(moves_[level.next++])) continue;
      if (left_ == 0) return {.stage = HistoryVerdict::Stage::general};
      if (!seen_.insert(hash_).second) {
        undo();
        continue;
      }
      if (seen_.size() >= most_states)
        return {.outcome = HistoryVerdict::Outcome::undecided,
                .stage = HistoryVerdict::Stage::general};
      enter();
    }
    return {.outcome = HistoryVerdict::Outcome::broken,
            .stage = HistoryVerdict::Stage::general,
            .call = stuck_,
            .other = stuck_};
  }

 private:
  struct Hold {
    std::int64_t permits = 0;
    std::uint64_t lapses = LockCall::kNever;
  };
  /// A call takes effect, or an owner's hold ends by itself.
  struct Move {
    std::size_t call = 0;
    std::size_t owner = 0;
    bool lapse = false;
  };
  struct Level {
    std::size_t begin = 0;  ///< Its moves in moves_.
    std::size_t end = 0;
    std::size_t next = 0;
  };
  struct Undo {
    Move move;
    Hold before;
  };

  /// The moves that are possible now: no call may come after one that began when it had ended.
  void enter() {
    const std::size_t begin = moves_.size();
    while (first_ < order_.size() && done_[order_[first_]]) ++first_;
    std::uint64_t least = LockCall::kNever;
    std::size_t urgent = 0;
    for (std::size_t i = first_; i < order_.size() && calls_[order_[i]].begun < least; ++i) {
      const std::size_t call = order_[i];
      if (done_[call]) continue;
      moves_.push_back({.call = call, .owner = owner_[call]});
      if (calls_[call].answer == CallAnswer::unknown || calls_[call].ended >= least) continue;
      least = calls_[call].ended;
      urgent = call;
    }
    for (std::size_t owner = 0; owner < holds_.size(); ++owner) {
      if (holds_[owner].permits > 0 && holds_[owner].lapses < least)
        moves_.push_back({.owner = owner, .lapse = true});
    }
    if (most_done_ <= log_.size() && least != LockCall::kNever) {
      most_done_ = log_.size();
      stuck_ = urgent;
    }
    path_.push_back({begin, moves_.size(), begin});
  }

  std::int64_t taken() const {
    std::int64_t all = 0;
    for (const Hold& hold : holds_)
      all += model_.reentrant ? static_cast<std::int64_t>(hold.permits > 0) : hold.permits;
    return all;
  }

  /// What the hold of the call's owner is afterwards; nullopt: the answer is not right now.
  std::optional<Hold> after(const LockCall& call, const Hold& hold) const {
    if (call.kind == CallKind::release) {
      const bool holds = hold.permits >= call.permits;
      if (call.answer == CallAnswer::refused) return holds ? std::nullopt : std::optional{hold};
      if (!holds) return std::nullopt;
      const std::int64_t left = hold.permits - call.permits;
      return Hold{left, left == 0 ? LockCall::kNever : hold.lapses};
    }
    const bool fits = (model_.reentrant && hold.permits > 0) ||
                      taken() + (model_.reentrant ? 1 : call.permits) <= model_.capacity;
    if (call.answer == CallAnswer::refused) return fits ? std::nullopt : std::optional{hold};
    if (!fits) return std::nullopt;
    return Hold{hold.permits + call.permits, call.lapses};
  }

  bool take(const Move& move) {
    Hold& hold = holds_[move.owner];
    const std::optional<Hold> next = move.lapse ? Hold{} : after(calls_[move.call], hold);
    if (!next) return false;
    log_.push_back({move, hold});
    set(move, *next, true);
    return true;
  }

  void undo() {
    const Undo last = log_.back();
    log_.pop_back();
    set(last.move, last.before, false);
  }

  void set(const Move& move, const Hold& hold, bool done) {
    hash_ ^= digest(move.owner);
    holds_[move.owner] = hold;
    hash_ ^= digest(move.owner);
    if (move.lapse) return;
    hash_ ^= scrambled(move.call + 1);
    done_[move.call] = done;
    if (calls_[move.call].answer != CallAnswer::unknown) left_ += done ? -1 : 1;
    if (!done) first_ = 0;
  }

  std::uint64_t digest(std::size_t owner) const {
    const Hold& hold = holds_[owner];
    if (hold.permits == 0) return 0;
    return scrambled(
        scrambled(owner * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(hold.permits)) +
        hold.lapses);
  }

  std::span<const LockCall> calls_;
  LockModel model_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> owner_;  ///< Of each call, counted.
  std::vector<Hold> holds_;         ///< Of each owner.
  std::vector<bool> done_;
  std::size_t first_ = 0;  ///< In order_: all before it are done.
  std::int64_t left_ = 0;  ///< Calls that must take effect.
  std::uint64_t hash_ = 0;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<Move> moves_;
  std::vector<Level> path_;
  std::vector<Undo> log_;
  std::size_t most_done_ = 0;
  std::size_t stuck_ = 0;  ///< The call that no order goes beyond.
};

}  // namespace

HistoryVerdict try_all_orders(std::span<const LockCall> calls, const LockModel& model,
                              std::uint64_t most_states) {
  return Orders{calls, model}.search(most_states);
}

}  // namespace picklock::race
