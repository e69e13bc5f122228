// Holding: validity, renewal, extension, loss; and giving back.
#include <algorithm>

#include "lockclient/machine/hold_machine.hpp"

namespace picklock::lock {

using std::chrono::milliseconds;

/// As long as a quorum of nodes is sure to keep it.
Instant HoldMachine::valid_by_votes() const {
  const auto keeps = [](const Vote& vote, Instant until) {
    return vote.state == Vote::State::yes && vote.until && *vote.until >= until;
  };
  Instant longest = Instant::min();
  for (const Vote& vote : round_.votes) {
    if (!keeps(vote, longest)) continue;
    const auto votes = std::count_if(round_.votes.begin(), round_.votes.end(),
                                     [&](const Vote& one) { return keeps(one, *vote.until); });
    if (static_cast<std::size_t>(votes) >= terms_.quorum) longest = *vote.until;
  }
  return longest;
}

/// Every third of the ttl, a little earlier by chance so that many holders do not renew together.
void HoldMachine::schedule_renewal(Instant from) {
  renew_at_.reset();
  if (!terms_.options->renew || !protocol_->extends()) return;
  const Duration period = terms_.ttl / 3;
  renew_at_ = from + period - jitter(period / 10);
}

void HoldMachine::renew(Instant now, Actions& actions) {
  renew_at_.reset();
  Duration ttl = terms_.ttl;
  if (terms_.options->max_hold > Duration{}) {
    const Duration left = acquired_at_ + terms_.options->max_hold - now;
    ttl = std::min(ttl, Duration{std::chrono::floor<milliseconds>(left)});
  }
  if (now + ttl - drift(ttl) <= valid_until_) {
    // Near the maximum hold time, what is left of the hold is all that there will be. Otherwise the
    // caller has prolonged it beyond the watchdog's ttl, whose turn is in the last of that.
    if (ttl == terms_.ttl) schedule_renewal(valid_until_ + drift(ttl) - ttl);
    return;
  }
  by_caller_ = false;
  begin_extend(ttl, now, actions);
}

void HoldMachine::extend(Duration ttl, Instant now, Actions& actions) {
  if (phase_ != Phase::held) {
    return actions.tell(
        Notice::Kind::not_extended,
        share({.code = LockError::Code::lost, .message = "the hold is over: acquire it anew"}));
  }
  if (round_.active) {
    next_extension_ = ttl;
    return;
  }
  by_caller_ = true;
  begin_extend(ttl, now, actions);
}

void HoldMachine::begin_extend(Duration ttl, Instant now, Actions& actions) {
  round_.ttl = ttl;
  // A node that was not heard in the last round may have moved its deadline without our knowing: it
  // would take one that is named for a request that was sent twice.
  for (std::size_t node = 0; node < terms_.nodes; ++node) {
    if (round_.votes[node].state != Vote::State::yes) round_.votes[node].version = 0;
  }
  const Instant give_up =
      by_caller_ ? std::min(valid_until_, now + terms_.options->give_up_after) : valid_until_;
  begin_round(Purpose::extend, give_up, now, actions);
}

void HoldMachine::decide_extend(Instant now, Actions& actions) {
  const std::size_t needed = terms_.quorum;
  if (count(Vote::State::yes) >= needed) {
    round_.active = false;
    valid_until_ = std::max(valid_until_, valid_by_votes());
    actions.tell(Notice::Kind::extended).by_caller = by_caller_;
    schedule_renewal(now);
  } else if (count(Vote::State::no) > terms_.nodes - needed) {
    return lose(Loss::not_owner, actions);
  } else if (undecided() == 0) {
    round_.active = false;
    if (by_caller_) {
      LockError error{
          .code = terms_.nodes == 1 ? LockError::Code::node_failed
                                    : LockError::Code::quorum_not_reached,
          .message = "the extension was not confirmed; the hold lasts as long as it did",
          .nodes = node_errors()};
      actions.tell(Notice::Kind::not_extended, share(std::move(error)));
    }
    if (terms_.options->renew)
      renew_at_ = now + std::max<Duration>(terms_.ttl / 20, milliseconds{1});
  } else {
    return;
  }
  by_caller_ = false;
  if (next_extension_) {
    by_caller_ = true;
    begin_extend(*std::exchange(next_extension_, std::nullopt), now, actions);
  }
}

void HoldMachine::lose(Loss loss, Actions& actions) {
  round_.active = false;
  phase_ = Phase::lost;
  if (std::exchange(by_caller_, false) || next_extension_) {
    next_extension_.reset();
    actions.tell(
        Notice::Kind::not_extended,
        share({.code = LockError::Code::lost,
               .message = "the hold was lost while it was being extended: acquire it anew"}));
  }
  actions.tell(Notice::Kind::lost).loss = loss;
}

/// Goes out at once, also while a renewal is under way: an acquisition that is over cannot be
/// prolonged, whatever arrives later.
void HoldMachine::release(Instant now, Actions& actions) {
  if (phase_ != Phase::held && phase_ != Phase::lost) return;
  if (std::exchange(by_caller_, false) || next_extension_) {
    next_extension_.reset();
    actions.tell(Notice::Kind::not_extended,
                 share({.code = LockError::Code::cancelled,
                        .message = "the hold was released while it was being extended"}));
  }
  phase_ = Phase::releasing;
  released_at_ = now;
  quiet_ = false;
  const Duration effort = std::max(terms_.ttl, terms_.options->give_up_after);
  begin_round(Purpose::release, now + effort, now, actions);
}

/// Also of what is cleared away: there the caller has been answered, and only the end counts.
void HoldMachine::decide_release(Instant now, Actions& actions) {
  const bool clearing = phase_ == Phase::clearing;
  if (!clearing && count(Vote::State::yes) >= terms_.quorum)
    report_release(
        round_.votes.front().answer.still_held ? Released::still_held : Released::released,
        actions);
  if (undecided() > 0) {
    if (!clearing || terms_.nodes == 1 || count(Vote::State::asking) > 0) return;
    leave_owed(now);
  }
  round_.active = false;
  if (clearing) {
    for (Vote& vote : round_.votes) vote = Vote{.version = vote.version};
    unsettled_ = false;
    return wait_or_fail(now, actions);
  }
  phase_ = Phase::ended;
  std::size_t surely_not = 0;
  for (const Vote& vote : round_.votes) {
    const bool sure = !vote.unknown || protocol_->repeats_release_answer();
    if (vote.state == Vote::State::no && sure) ++surely_not;
  }
  if (surely_not <= terms_.nodes - terms_.quorum) return report_release(Released::unknown, actions);
  report_release(released_at_ < valid_until_ ? Released::not_owner : Released::expired, actions);
}

void HoldMachine::report_release(Released found, Actions& actions) {
  if (std::exchange(reported_, true)) return;
  actions.tell(Notice::Kind::released).released = found;
}

}  // namespace picklock::lock
