// Acquiring: attempts, taking failed ones back, waiting for the next, giving up.
#include <algorithm>

#include "lockclient/machine/hold_machine.hpp"

namespace picklock::lock {
namespace {

using std::chrono::milliseconds;

/// Announcements can be lost (a failover, a holder that does not announce): a listener looks for
/// itself at least this often.
constexpr Duration kLookAtLeastEvery = std::chrono::seconds{5};

}  // namespace

void HoldMachine::start(Instant now, Actions& actions) {
  asked_at_ = now;
  if (terms_.wait) give_up_ = now + *terms_.wait;
  new_owner();
  attempt(now, actions);
}

void HoldMachine::new_owner() {
  old_owner_ = false;
  if (!terms_.adopt.empty()) {
    demand_.owner = terms_.adopt;
    token_ = terms_.adopted_token;
    return;
  }
  demand_.owner = terms_.client_id;
  if (++owners_ > 1) demand_.owner += '.' + std::to_string(owners_);
}

void HoldMachine::attempt(Instant now, Actions& actions) {
  due_.reset();
  woken_ = false;
  ++tries_;
  if (old_owner_) new_owner();
  phase_ = Phase::asking;
  demand_.stamp_ms = protocol_->clock_ms(now);
  // Who tries once has the time of a whole operation; who wants the lock within a limit is answered
  // at the limit, but every attempt has the time of one answer.
  const Instant least = terms_.wait == Duration{}
                            ? asked_at_ + terms_.options.give_up_after
                            : now + std::min(answer_within(), terms_.options.give_up_after);
  answer_by_ = give_up_ ? std::max(*give_up_, least) : Instant::max();
  begin_round(Purpose::acquire, answer_by_, now, actions);
}

void HoldMachine::decide_acquire(Instant now, Actions& actions) {
  const std::size_t yes = count(Vote::State::yes);
  if (meets_itself()) {
    round_.active = false;
    return attempt_failed(now, actions);
  }
  if (terms_.hear_all && undecided() > 0) return;
  terms_.hear_all = false;
  if (yes >= terms_.quorum) {
    round_.active = false;
    if (!protocol_->is_held()) {
      phase_ = Phase::ended;
      return actions.notices.push_back({.kind = Notice::Kind::acquired});
    }
    for (const Vote& vote : round_.votes) {
      if (vote.state == Vote::State::yes) token_ = std::max(token_, vote.answer.token);
    }
    valid_until_ = valid_by_votes();
    if (terms_.options.replicas > 0 && terms_.nodes == 1) {
      phase_ = Phase::confirming;
      return begin_round(Purpose::confirm, now + answer_within() + terms_.options.replicas_within,
                         now, actions);
    }
    if (!become_held(now, actions)) attempt_failed(now, actions);
    return;
  }
  if (yes + undecided() >= terms_.quorum) return;
  round_.active = false;
  attempt_failed(now, actions);
}

void HoldMachine::decide_confirm(Instant now, Actions& actions) {
  if (undecided() > 0) return;
  round_.active = false;
  if (count(Vote::State::yes) > 0 && become_held(now, actions)) return;
  LockError error{.code = LockError::Code::node_failed,
                  .message =
                      "too few replicas have confirmed the acquisition in time, so it was "
                      "given back: check the replicas, or ask for fewer",
                  .nodes = node_errors()};
  fail(std::move(error), now, actions);
}

/// False if the time that is left is already over.
bool HoldMachine::become_held(Instant now, Actions& actions) {
  if (valid_until_ <= now) return false;
  phase_ = Phase::held;
  acquired_at_ = now;
  schedule_renewal(now);
  actions.notices.push_back({.kind = Notice::Kind::acquired});
  return true;
}

/// The votes of the last round stand as they are, undecided ones too.
void HoldMachine::attempt_failed(Instant now, Actions& actions) {
  bool over = false;
  for (const Vote& vote : round_.votes) {
    if (vote.state == Vote::State::no) heard_no_ = true;
    if (vote.answer.kind == Answer::Kind::over) over = true;
  }
  // On one node the next attempt is the same acquisition: what this one has left, it takes over.
  const bool same_again = terms_.nodes == 1 && protocol_->may_repeat_acquire();
  const bool in_the_way = same_again ? count(Vote::State::yes) > 0 : leaves_something();
  unsettled_ |= leaves_something();
  const Duration next = pause_before_next(now);
  refusal_ = refusal();
  if (over || in_the_way) old_owner_ = true;
  if (const auto error = hopeless()) return fail(*error, now, actions);
  due_ = now + next;
  if (!in_the_way) return wait_or_fail(now, actions);
  if (out_of_time(now)) return fail(refusal_, now, actions);
  phase_ = Phase::clearing;
  begin_round(Purpose::clear, now + terms_.options.ttl, now, actions);
}

/// What a failed attempt has left on a node would be in the way of the next one.
bool HoldMachine::leaves_something() const {
  if (!protocol_->is_held()) return false;
  const bool counts_doubtful = !protocol_->leaves_doubtful();
  return std::any_of(round_.votes.begin(), round_.votes.end(), [&](const Vote& vote) {
    if (vote.state != Vote::State::yes && !counts_doubtful) return false;
    return vote.unknown || vote.state == Vote::State::yes || vote.state == Vote::State::asking;
  });
}

/// Whether two of the nodes are the same server.
bool HoldMachine::meets_itself() const {
  return terms_.nodes > 1 &&
         std::any_of(round_.votes.begin(), round_.votes.end(), [this](const Vote& vote) {
           return vote.state == Vote::State::no &&
                  vote.answer.holder.starts_with(demand_.owner + '/');
         });
}

/// Why trying again makes no sense, if it does not.
std::optional<LockError> HoldMachine::hopeless() const {
  if (meets_itself())
    return LockError{.code = LockError::Code::invalid_argument,
                     .message = "two of the links lead to the same server: name each server once"};
  std::size_t lasting = 0;
  if (!terms_.adopt.empty() && count(Vote::State::no) > terms_.nodes - terms_.quorum)
    return LockError{.code = LockError::Code::not_owner,
                     .message = "the hold that was handed over is over: acquire the lock anew"};
  for (const Vote& vote : round_.votes) {
    if (vote.answer.kind == Answer::Kind::conflict && vote.state == Vote::State::no)
      return LockError{.code = LockError::Code::conflict, .message = vote.answer.detail};
    if (vote.state == Vote::State::failed && !vote.answer.error.is_passing()) ++lasting;
  }
  if (lasting <= terms_.nodes - terms_.quorum) return std::nullopt;
  LockError error{.code = terms_.nodes == 1 ? LockError::Code::node_failed
                                            : LockError::Code::quorum_not_reached,
                  .message =
                      "the server refuses, and asking again will not help: see the node's "
                      "error",
                  .nodes = node_errors()};
  return error;
}

/// `due_` is when the next attempt would be.
void HoldMachine::wait_or_fail(Instant now, Actions& actions) {
  if (out_of_time(now)) return fail(refusal_, now, actions);
  if (woken_ && terms_.nodes == 1) return attempt(now, actions);
  if (woken_ && due_) due_ = std::min(*due_, now + pause_when_woken());
  phase_ = Phase::waiting;
  const Instant earliest = now + Duration{1};
  due_ = std::max(due_.value_or(earliest), earliest);
  if (give_up_) due_ = std::min(*due_, *give_up_);
}

/// How long to wait if nobody wakes us: until something can change by itself, until a place in a
/// queue must be asked for again, until a poll is due.
Duration HoldMachine::pause_before_next(Instant now) {
  std::optional<Instant> hint;
  bool errors = false;
  for (const Vote& vote : round_.votes) {
    if (vote.state == Vote::State::no && vote.until && (!hint || *vote.until < *hint))
      hint = vote.until;
    errors |= vote.state == Vote::State::failed;
  }
  Duration pause = kLookAtLeastEvery;
  if (!listening_ || errors || terms_.nodes > 1) {
    const Backoff& backoff = terms_.options.backoff;
    const std::uint64_t random = random_.next();
    if (backoff.own) {
      pause = backoff.own(tries_, random);
    } else if (backoff.kind == Backoff::Kind::constant) {
      pause = backoff.first;
    } else if (backoff.kind == Backoff::Kind::exponential) {
      pause = last_pause_ == Duration{} ? backoff.first : last_pause_ * 2;
    } else {
      const Duration most = std::max(last_pause_ * 3, backoff.first);
      const auto span = static_cast<std::uint64_t>((most - backoff.first).count()) + 1;
      pause = backoff.first + Duration{static_cast<std::int64_t>(random % span)};
    }
    pause = std::clamp(pause, Duration{milliseconds{1}},
                       std::max<Duration>(backoff.most, milliseconds{1}));
    last_pause_ = pause;
  }
  // A key lives at its deadline and is free in the millisecond after.
  if (hint) pause = std::clamp(*hint + milliseconds{1} - now, Duration{milliseconds{1}}, pause);
  if (demand_.queue_ms > 0) pause = std::min<Duration>(pause, milliseconds{demand_.queue_ms} / 3);
  return pause;
}

/// Over several nodes, taking back a failed attempt is announced too, to the one who takes it back
/// as well: who went on at once would wake itself again and again, and others with it.
Duration HoldMachine::pause_when_woken() {
  const Duration first = terms_.options.backoff.first;
  return first + Duration{static_cast<std::int64_t>(
                     random_.below(static_cast<std::uint64_t>(first.count())))};
}

void HoldMachine::message(std::string_view text, Instant now, Actions& actions) {
  if (!protocol_->concerns(text, demand_.owner)) return;
  woken_ = true;
  if (phase_ != Phase::waiting) return;
  if (terms_.nodes == 1) return attempt(now, actions);
  due_ = std::min(*due_, now + pause_when_woken());
}

/// Answers the caller at once; what may have been taken is given back in the background.
void HoldMachine::fail(LockError error, Instant now, Actions& actions) {
  actions.notices.push_back({.kind = Notice::Kind::not_acquired, .error = std::move(error)});
  reported_ = true;
  due_.reset();
  if (phase_ == Phase::clearing && round_.active) {
    phase_ = Phase::releasing;
    return;
  }
  const bool queued = demand_.queue_ms > 0;
  const bool taken = phase_ == Phase::confirming || unsettled_ || leaves_something();
  if (!protocol_->is_held() || (!taken && !queued)) {
    round_.active = false;
    phase_ = Phase::ended;
    return;
  }
  phase_ = Phase::releasing;
  released_at_ = now;
  begin_round(Purpose::clear, now + terms_.options.ttl, now, actions);
}

LockError HoldMachine::refusal() const {
  LockError error;
  error.nodes = node_errors();
  bool heard = false;
  for (const Vote& vote : round_.votes) {
    if (vote.state == Vote::State::no) heard = true;
    if (vote.state != Vote::State::no || !error.holder.empty()) continue;
    error.holder = vote.answer.holder;
    if (vote.answer.left)
      error.holder_ttl = std::chrono::duration_cast<milliseconds>(*vote.answer.left);
  }
  const bool waited = terms_.wait != Duration{};
  if (terms_.nodes > 1 && !error.nodes.empty()) {
    error.code = LockError::Code::quorum_not_reached;
    error.message = "too few of the nodes gave their vote: see each node's error";
  } else if (!heard && heard_no_ == false && !error.nodes.empty()) {
    const bool silent = error.nodes.front().kind == NodeError::Kind::no_answer ||
                        error.nodes.front().kind == NodeError::Kind::closed;
    error.code = silent ? LockError::Code::timed_out : LockError::Code::node_failed;
    error.message = silent ? "the server did not answer in time: check that it can be reached"
                           : "the server cannot do it now: see the node's error";
  } else if (waited) {
    error.code = LockError::Code::timed_out;
    error.message = "it did not become free in time: wait longer, or find out who holds it";
  } else {
    error.message = "somebody else holds it: wait with acquire_within(), or try later";
  }
  return error;
}

}  // namespace picklock::lock
