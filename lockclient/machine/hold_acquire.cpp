// Acquiring: attempts, taking failed ones back, waiting for the next, giving up.
#include <algorithm>
#include <map>

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
  if (terms_.adopted != nullptr) {
    owner_ = terms_.adopted->owner;
    token_ = terms_.adopted->token;
    return;
  }
  ++terms_.row.number;
  if (++owners_ > 1) owner_ = terms_.client_id + '.' + std::to_string(owners_);
}

void HoldMachine::attempt(Instant now, Actions& actions) {
  due_.reset();
  woken_ = false;
  ++tries_;
  if (terms_.nodes - owed_.size() < terms_.quorum) {
    due_ = now + pause_of_polling();
    return wait_or_fail(now, actions);
  }
  if (old_owner_) new_owner();
  phase_ = Phase::asking;
  demand_.stamp_ms = protocol_->clock_ms(now);
  // Who tries once has the time of a whole operation; who wants the lock within a limit is answered
  // at the limit, but every attempt has the time of one answer.
  const Instant least = terms_.wait == Duration{}
                            ? asked_at_ + terms_.options->give_up_after
                            : now + std::min(answer_within(), terms_.options->give_up_after);
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
      actions.tell(Notice::Kind::acquired);
      return;
    }
    for (const Vote& vote : round_.votes) {
      if (vote.state == Vote::State::yes) token_ = std::max(token_, vote.answer.token);
    }
    valid_until_ = valid_by_votes();
    if (terms_.options->replicas > 0 && terms_.nodes == 1) {
      phase_ = Phase::confirming;
      return begin_round(Purpose::confirm, now + answer_within() + terms_.options->replicas_within,
                         now, actions);
    }
    if (!become_held(now, actions)) attempt_failed(now, actions);
    return;
  }
  if (yes + undecided() >= terms_.quorum) return;
  // Who needs every node is refused by the first; whether one holds them all, the others tell.
  if (listening_ && terms_.quorum == terms_.nodes && undecided() > 0) return;
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
  fail(share(std::move(error)), now, actions);
}

/// False if the time that is left is already over.
bool HoldMachine::become_held(Instant now, Actions& actions) {
  if (valid_until_ <= now) return false;
  phase_ = Phase::held;
  acquired_at_ = now;
  schedule_renewal(now);
  actions.tell(Notice::Kind::acquired);
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
  refusal_ = share(refusal());
  if (over || in_the_way) old_owner_ = true;
  if (auto error = hopeless()) return fail(std::move(error), now, actions);
  due_ = now + next;
  if (!in_the_way) return wait_or_fail(now, actions);
  if (out_of_time(now)) return fail(refusal_, now, actions);
  phase_ = Phase::clearing;
  clear(now, actions);
}

/// Less than a quorum was never the lock: giving it back is announced to nobody. Otherwise waiters
/// who have each taken a minority would wake one another, and themselves, again and again.
void HoldMachine::clear(Instant now, Actions& actions) {
  std::vector<bool> owed;
  for (const Vote& vote : round_.votes) owed.push_back(terms_.nodes == 1 || may_be_held(vote));
  const auto most = std::count(owed.begin(), owed.end(), true);
  quiet_ = terms_.nodes > 1 && static_cast<std::size_t>(most) < terms_.quorum;
  begin_round(Purpose::clear, now + terms_.ttl, now, actions);
  for (std::size_t node = 0; node < terms_.nodes; ++node) round_.votes[node].is_owed = owed[node];
}

/// What a failed attempt has left on a node would be in the way of the next one.
bool HoldMachine::leaves_something() const {
  if (!protocol_->is_held()) return false;
  const bool counts_doubtful = !protocol_->leaves_doubtful();
  return std::any_of(round_.votes.begin(), round_.votes.end(), [&](const Vote& vote) {
    return may_be_held(vote) && (vote.state == Vote::State::yes || counts_doubtful);
  });
}

bool HoldMachine::may_be_held(const Vote& vote) {
  return vote.unknown || vote.state == Vote::State::yes || vote.state == Vote::State::asking;
}

/// Each node has a value of its own, so a server that is named twice refuses one for the other; and
/// an attempt to which all nodes have said yes shows that none is. Answers to the last attempt show
/// it also when they come after it was decided.
void HoldMachine::look_at_node(const Event& event, Actions& actions) {
  if (!terms_.check_nodes || event.reply == nullptr) return;
  const auto sent = std::find_if(attempted_.begin(), attempted_.end(),
                                 [&](const Sent& one) { return one.request == event.request; });
  if (sent == attempted_.end()) return;
  std::optional<DemandTexts> texts;
  Demand demand = demand_for(sent->node, texts);
  demand.step = sent->step;
  const Answer answer = protocol_->read_acquire(*event.reply, demand);
  if (answer.kind == Answer::Kind::yes) said_yes_[sent->node] = true;
  const bool all = std::find(said_yes_.begin(), said_yes_.end(), false) == said_yes_.end();
  if (!all && !is_met_by(answer)) return;
  terms_.check_nodes = false;
  actions.tell(Notice::Kind::nodes_heard, all ? nullptr : same_server());
}

/// Whether two of the nodes are the same server.
bool HoldMachine::meets_itself() const {
  return terms_.nodes > 1 &&
         std::any_of(round_.votes.begin(), round_.votes.end(), [this](const Vote& vote) {
           return vote.state == Vote::State::no && is_met_by(vote.answer);
         });
}

LockErrorRef HoldMachine::same_server() {
  return share({.code = LockError::Code::invalid_argument,
                .message = "two of the links lead to the same server: name each server once"});
}

/// Whether the server refuses one node's value for another's.
bool HoldMachine::is_met_by(const Answer& answer) const {
  return answer.holder().starts_with(owner() + '/');
}

/// Whether one other acquisition was seen on enough nodes to be the lock: its end is announced, and
/// until then no attempt can succeed.
bool HoldMachine::is_held_by_one() const {
  std::map<std::string_view, std::size_t> votes;
  for (const Vote& vote : round_.votes) {
    const std::string_view holder = vote.answer.holder();
    if (vote.state == Vote::State::no && !holder.empty())
      ++votes[holder.substr(0, holder.rfind('/'))];
  }
  return std::any_of(votes.begin(), votes.end(),
                     [this](const auto& one) { return one.second >= terms_.quorum; });
}

/// Why trying again makes no sense, if it does not.
LockErrorRef HoldMachine::hopeless() const {
  if (meets_itself()) return same_server();
  std::size_t lasting = 0;
  if (terms_.adopted != nullptr && count(Vote::State::no) > terms_.nodes - terms_.quorum)
    return share({.code = LockError::Code::not_owner,
                  .message = "the hold that was handed over is over: acquire the lock anew"});
  for (const Vote& vote : round_.votes) {
    if (vote.answer.kind == Answer::Kind::conflict && vote.state == Vote::State::no)
      return share({.code = LockError::Code::conflict, .message = vote.answer.text});
    if (vote.state == Vote::State::failed && !vote.answer.is_passing()) ++lasting;
  }
  if (lasting <= terms_.nodes - terms_.quorum) return nullptr;
  LockError error{.code = terms_.nodes == 1 ? LockError::Code::node_failed
                                            : LockError::Code::quorum_not_reached,
                  .message =
                      "the server refuses, and asking again will not help: see the node's "
                      "error",
                  .nodes = node_errors()};
  return share(std::move(error));
}

/// `due_` is when the next attempt would be.
void HoldMachine::wait_or_fail(Instant now, Actions& actions) {
  if (out_of_time(now)) return fail(refusal_ ? refusal_ : share(refusal()), now, actions);
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
  bool listens = listening_ && (terms_.nodes == 1 || is_held_by_one());
  for (const Vote& vote : round_.votes) {
    if (vote.state == Vote::State::no && vote.until && (!hint || *vote.until < *hint))
      hint = vote.until;
    listens &= vote.state != Vote::State::failed;
  }
  Duration pause = listens ? kLookAtLeastEvery : pause_of_polling();
  if (listens && hint) try_again_soon();
  // A key lives at its deadline and is free in the millisecond after.
  if (hint) pause = std::clamp(*hint + milliseconds{1} - now, Duration{milliseconds{1}}, pause);
  if (demand_.queue_ms > 0) pause = std::min<Duration>(pause, milliseconds{demand_.queue_ms} / 3);
  return pause;
}

Duration HoldMachine::pause_of_polling() {
  const Backoff& backoff = terms_.options->backoff;
  const std::uint64_t number = random().next();
  Duration pause{};
  if (const auto own = own_pause(number)) {
    pause = *own;
  } else if (backoff.kind == Backoff::Kind::constant) {
    pause = backoff.first;
  } else if (backoff.kind == Backoff::Kind::exponential) {
    pause = last_pause_ == Duration{} ? backoff.first : last_pause_ * 2;
  } else {
    const Duration most = std::max(last_pause_ * 3, backoff.first);
    const auto span = static_cast<std::uint64_t>((most - backoff.first).count()) + 1;
    pause = backoff.first + Duration{static_cast<std::int64_t>(number % span)};
  }
  last_pause_ = std::clamp(pause, Duration{milliseconds{1}},
                           std::max<Duration>(backoff.most, milliseconds{1}));
  return last_pause_;
}

/// The caller's, who is not to be able to stop a machine halfway.
std::optional<Duration> HoldMachine::own_pause(std::uint64_t number) const {
  const auto& own = terms_.options->backoff.own;
  if (!own) return std::nullopt;
  try {
    return own(tries_, number);
  } catch (...) {
    return std::nullopt;
  }
}

/// A release is announced by one node after the other: who went on at the first word would be
/// refused by the others. Several waiters do not go on together.
Duration HoldMachine::pause_when_woken() {
  const Duration first = terms_.options->backoff.first;
  return first + jitter(first - Duration{1});
}

/// Those who go on together when a hold ends may take each other's votes: polling begins anew.
void HoldMachine::try_again_soon() {
  last_pause_ = std::min(last_pause_, terms_.options->backoff.first);
}

void HoldMachine::message(std::string_view text, Instant now, Actions& actions) {
  if (!protocol_->concerns(text, owner())) return;
  woken_ = true;
  try_again_soon();
  if (phase_ != Phase::waiting) return;
  if (terms_.nodes == 1) return attempt(now, actions);
  due_ = std::min(*due_, now + pause_when_woken());
}

/// Answers the caller at once; what may have been taken is given back in the background.
void HoldMachine::fail(LockErrorRef error, Instant now, Actions& actions) {
  actions.tell(Notice::Kind::not_acquired, std::move(error));
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
  clear(now, actions);
}

LockError HoldMachine::refusal() const {
  LockError error;
  error.nodes = node_errors();
  bool heard = false;
  for (const Vote& vote : round_.votes) {
    if (vote.state == Vote::State::no) heard = true;
    if (vote.state != Vote::State::no || !error.holder.empty()) continue;
    error.holder = vote.answer.holder();
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
