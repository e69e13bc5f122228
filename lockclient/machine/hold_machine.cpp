// Rounds of requests: asking every node, time limits, asking again, counting votes.
#include "lockclient/machine/hold_machine.hpp"

#include <algorithm>

namespace picklock::lock {

using std::chrono::milliseconds;

HoldMachine::HoldMachine(ProtocolRef protocol, Terms&& terms, std::uint64_t seed)
    : protocol_(std::move(protocol)),
      terms_(std::move(terms)),
      seed_(seed),
      round_{.votes = OneOrMore<Vote>(terms_.nodes)} {
  if (terms_.ttl == Duration{}) terms_.ttl = terms_.options->ttl;
  demand_.ttl_ms = std::chrono::duration_cast<milliseconds>(terms_.ttl).count();
  // The mark is all of the row's: one that was handed over is remembered as its client promised.
  // The server takes no 0.
  const Duration memory = std::max(memory_of(*terms_.options, terms_.ttl), terms_.row.memory);
  demand_.memory_ms = std::chrono::ceil<milliseconds>(memory).count();
  if (protocol_->queues() && terms_.wait != Duration{})
    demand_.queue_ms =
        std::chrono::duration_cast<milliseconds>(terms_.options->waiter_lease).count();
  demand_.known = terms_.known;
}

void HoldMachine::resume(const Event& event, Actions& actions) {
  switch (event.kind) {
    case Event::Kind::start:
      return start(event.now, actions);
    case Event::Kind::answer:
    case Event::Kind::closed:
      return answer(event, actions);
    case Event::Kind::message:
      return message(event.message, event.now, actions);
    case Event::Kind::listening:
      listening_ = true;
      if (phase_ == Phase::waiting) return attempt(event.now, actions);
      woken_ = true;
      return;
    case Event::Kind::time:
      return time(event.now, actions);
    case Event::Kind::extend:
      return extend(event.ttl, event.now, actions);
    case Event::Kind::release:
      return release(event.now, actions);
    case Event::Kind::cancel:
      if (phase_ == Phase::ended || phase_ >= Phase::held) return;
      return fail(
          share({.code = LockError::Code::cancelled,
                 .message = "the acquisition was cancelled; what it may have taken is given back"}),
          event.now, actions);
  }
}

std::optional<Instant> HoldMachine::wake() const {
  constexpr Instant kNever = Instant::max();
  Instant next = kNever;
  const auto consider = [&next](Instant instant) { next = std::min(next, instant); };
  if (round_.active) {
    for (const Vote& vote : round_.votes) {
      if (vote.state == Vote::State::asking || vote.state == Vote::State::pausing)
        consider(vote.due);
    }
    consider(round_.give_up);
  }
  if (due_ && phase_ == Phase::waiting) consider(*due_);
  if (phase_ == Phase::asking || phase_ == Phase::clearing) consider(answer_by_);
  if (phase_ == Phase::held) {
    consider(valid_until_);
    if (renew_at_ && !round_.active) consider(*renew_at_);
  }
  if (phase_ == Phase::releasing && !reported_)
    consider(released_at_ + terms_.options->give_up_after);
  for (const Owed& owed : owed_) consider(std::min(owed.due, owed.until));
  return next == kNever ? std::nullopt : std::optional{next};
}

bool HoldMachine::wants_messages() const {
  const bool acquiring =
      phase_ == Phase::asking || phase_ == Phase::clearing || phase_ == Phase::waiting;
  return acquiring && heard_no_ && terms_.options->listen && !protocol_->channel().empty();
}

void HoldMachine::time(Instant now, Actions& actions) {
  ask_owed(now, actions);
  if (round_.active) {
    for (std::size_t node = 0; node < round_.votes.size() && round_.active; ++node) {
      Vote& vote = round_.votes[node];
      if (vote.due > now) continue;
      if (vote.state == Vote::State::pausing) {
        actions.tell(Notice::Kind::retried);
        ask(node, now, actions);
      } else if (vote.state == Vote::State::asking) {
        no_answer(node, NodeError::Kind::no_answer, now);
      }
    }
    decide(now, actions);
  }
  const bool acquiring = phase_ == Phase::asking || phase_ == Phase::clearing;
  if (acquiring && now >= answer_by_) return fail(share(refusal()), now, actions);
  if (phase_ == Phase::waiting && due_ && now >= *due_) return attempt(now, actions);
  if (phase_ == Phase::held && now >= valid_until_) {
    const bool capped = terms_.options->max_hold > Duration{} && terms_.options->renew &&
                        valid_until_ + drift(terms_.ttl) >= acquired_at_ + terms_.options->max_hold;
    return lose(capped ? Loss::max_hold : Loss::expired, actions);
  }
  if (phase_ == Phase::held && renew_at_ && now >= *renew_at_ && !round_.active)
    return renew(now, actions);
  if (phase_ == Phase::releasing && !reported_ &&
      now >= released_at_ + terms_.options->give_up_after)
    report_release(Released::unknown, actions);
}

void HoldMachine::begin_round(Purpose purpose, Instant give_up, Instant now, Actions& actions) {
  round_.purpose = purpose;
  round_.active = true;
  round_.give_up = give_up;
  for (Vote& vote : round_.votes) {
    if (vote.request != 0 || vote.state != Vote::State::none) vote = Vote{.version = vote.version};
  }
  sent_.clear();
  if (purpose == Purpose::acquire && terms_.nodes > 1) {
    attempted_.clear();
    said_yes_.assign(terms_.check_nodes ? terms_.nodes : 0, false);
  }
  for (std::size_t node = 0; node < terms_.nodes; ++node) {
    round_.votes[node].first_sent = now;
    const Owed* const owed = owed_by(node);
    const bool left_alone =
        owed != nullptr && (purpose == Purpose::acquire || purpose == Purpose::clear);
    if (!left_alone) {
      ask(node, now, actions);
      continue;
    }
    round_.votes[node].state = Vote::State::failed;
    const NodeError& error = owed->error;
    round_.votes[node].answer = Answer::failed(error.kind, error.text);
  }
}

void HoldMachine::ask(std::size_t node, Instant now, Actions& actions) {
  Vote& vote = round_.votes[node];
  vote.state = Vote::State::asking;
  vote.request = ++last_request_;
  vote.due = now + answer_within();
  if (round_.purpose == Purpose::confirm) vote.due += terms_.options->replicas_within;
  sent_.push_back({vote.request, node, vote.step, now});
  if (terms_.check_nodes && round_.purpose == Purpose::acquire) attempted_.push_back(sent_.back());
  actions.send(node, vote.request, call_for(node));
}

/// Over several nodes each has its own value: a server that is named twice then sees two owners,
/// and cannot vote twice. `texts` is where they stand for as long as the demand is used.
Demand HoldMachine::demand_for(std::size_t node, std::optional<DemandTexts>& texts) const {
  Demand demand{demand_};
  demand.owner = owner();
  demand.row = terms_.row.name == nullptr ? terms_.client_id : *terms_.row.name;
  demand.number = terms_.row.number.digits();
  if (terms_.nodes > 1) {
    const std::string end = '/' + std::to_string(node);
    texts = {.owner = owner() + end, .row = std::string{demand.row} + end};
    demand.owner = texts->owner;
    demand.row = texts->row;
  }
  demand.quiet = quiet_;
  demand.step = round_.votes[node].step;
  demand.heard = round_.votes[node].heard;
  return demand;
}

CallRef HoldMachine::call_for(std::size_t node) const {
  std::optional<DemandTexts> texts;
  const Demand demand = demand_for(node, texts);
  switch (round_.purpose) {
    case Purpose::acquire:
      return terms_.adopted == nullptr ? protocol_->acquire(demand)
                                       : protocol_->extend(demand, demand.ttl_ms, 0);
    case Purpose::extend:
      return protocol_->extend(demand, std::chrono::duration_cast<milliseconds>(round_.ttl).count(),
                               round_.votes[node].version);
    case Purpose::confirm:
      return Call::command(
          {"WAIT", std::to_string(terms_.options->replicas),
           std::to_string(
               std::chrono::duration_cast<milliseconds>(terms_.options->replicas_within).count())});
    case Purpose::clear:
    case Purpose::release:
      break;
  }
  return protocol_->release(demand);
}

Answer HoldMachine::read(std::size_t node, const Reply& reply, Instant now) const {
  std::optional<DemandTexts> texts;
  Demand demand = demand_for(node, texts);
  demand.now_ms = protocol_->clock_ms(now);
  switch (round_.purpose) {
    case Purpose::acquire:
      return terms_.adopted == nullptr ? protocol_->read_acquire(reply, demand)
                                       : protocol_->read_extend(reply, demand);
    case Purpose::extend:
      return protocol_->read_extend(reply, demand);
    case Purpose::confirm: {
      if (const auto error = read_error(reply)) return *error;
      if (reply.type() != Reply::Type::integer) return unexpected(reply);
      Answer answer;
      answer.kind =
          reply.integer() >= terms_.options->replicas ? Answer::Kind::yes : Answer::Kind::no;
      return answer;
    }
    case Purpose::clear:
    case Purpose::release:
      break;
  }
  return protocol_->read_release(reply, demand);
}

/// Answers to requests of an earlier round say nothing any more: every round asks all that it needs
/// to know.
void HoldMachine::answer(const Event& event, Actions& actions) {
  look_at_node(event, actions);
  if (answer_owed(event)) return;
  const auto sent = std::find_if(sent_.begin(), sent_.end(),
                                 [&](const Sent& one) { return one.request == event.request; });
  if (!round_.active || sent == sent_.end()) return;
  const std::size_t node = sent->node;
  const Instant at = sent->at;
  Vote& vote = round_.votes[node];
  const bool is_of_this_step = sent->step == vote.step;
  sent_.erase(sent);
  if (!is_of_this_step) return;
  if (vote.state != Vote::State::asking && vote.state != Vote::State::pausing) return;
  // Whoever says what replicas have may be another server by now, which knows nothing of the hold.
  const bool is_new = round_.purpose == Purpose::confirm && event.connection != taken_on_;
  if (event.kind == Event::Kind::answer && !is_new) {
    Answer heard = read(node, *event.reply, event.now);
    if (round_.purpose == Purpose::acquire) taken_on_ = event.connection;
    if (heard.kind == Answer::Kind::goes_on && event.now < round_.give_up) {
      ++vote.step;
      vote.heard = std::move(heard.text);
      return ask(node, event.now, actions);
    }
    // What was held is over by now, but the same was asked once more since: that answer counts.
    const bool stale = heard.kind == Answer::Kind::yes && heard.left &&
                       at + *heard.left - drift(terms_.ttl) <= event.now;
    if (stale && vote.request != event.request) return;
    take_answer(node, std::move(heard), at, event.now);
  } else if (vote.request == event.request) {
    no_answer(node, NodeError::Kind::closed, event.now,
              is_new ? "it broke before WAIT was sent" : event.message);
  }
  decide(event.now, actions);
}

void HoldMachine::take_answer(std::size_t node, Answer&& answer, Instant sent, Instant now) {
  Vote& vote = round_.votes[node];
  vote.answer = std::move(answer);
  const Duration ttl = round_.purpose == Purpose::extend ? round_.ttl : terms_.ttl;
  switch (vote.answer.kind) {
    case Answer::Kind::yes:
      vote.state = Vote::State::yes;
      // The server's time left counts from an instant after the request was sent. Without it, the
      // first of the requests that asked the same may be the one that was carried out.
      vote.until =
          (vote.answer.left ? sent + *vote.answer.left : vote.first_sent + ttl) - drift(ttl);
      if (vote.answer.version != 0) vote.version = vote.answer.version;
      return;
    case Answer::Kind::failed:
      if (vote.answer.is_passing() && may_ask_again(vote) && now < round_.give_up) {
        vote.state = Vote::State::pausing;
        vote.due = now + error_pause(vote);
      } else {
        vote.state = Vote::State::failed;
      }
      vote.unknown |= vote.step > 0;  // What the steps before have done stands.
      return;
    case Answer::Kind::goes_on:  // There is no time left to do so: decide() ends the round.
      return;
    default:
      vote.state = Vote::State::no;
      // The answer may have been long on its way: what it says counts from before it was asked.
      if (vote.answer.left) vote.until = sent + *vote.answer.left;
  }
}

/// What the node has said in this round, or that its connection broke, says more than its silence.
void HoldMachine::note_failure(Vote& vote, NodeError::Kind kind, std::string_view why) {
  const Answer& before = vote.answer;
  const bool is_first = before.kind != Answer::Kind::failed ||
                        (before.failure == NodeError::Kind::other && before.text.empty());
  if (kind != NodeError::Kind::no_answer || is_first)
    vote.answer = Answer::failed(kind, std::string{why});
}

void HoldMachine::no_answer(std::size_t node, NodeError::Kind kind, Instant now,
                            std::string_view why) {
  Vote& vote = round_.votes[node];
  vote.unknown = true;
  note_failure(vote, kind, why);
  if (may_ask_again(vote) && now < round_.give_up) {
    vote.state = Vote::State::pausing;
    vote.due = kind == NodeError::Kind::closed ? now + error_pause(vote) : now;
  } else {
    vote.state = Vote::State::failed;
  }
}

/// With one node, asking again is the only way on. With several, a node without an answer counts as
/// failed, and the attempt is decided without it; but what is to be given back is given back.
bool HoldMachine::may_ask_again(const Vote& vote) const {
  switch (round_.purpose) {
    case Purpose::acquire:
      return terms_.nodes == 1 && protocol_->may_repeat_acquire();
    case Purpose::confirm:
      return false;
    case Purpose::clear:
      return vote.is_owed;
    case Purpose::extend:
    case Purpose::release:
      return true;
  }
  return false;
}

void HoldMachine::decide(Instant now, Actions& actions) {
  if (!round_.active) return;
  if (now >= round_.give_up) {
    for (Vote& vote : round_.votes) {
      if (vote.state != Vote::State::asking && vote.state != Vote::State::pausing) continue;
      vote.unknown |= vote.state == Vote::State::asking;
      if (vote.state == Vote::State::asking) note_failure(vote, NodeError::Kind::no_answer, {});
      vote.state = Vote::State::failed;
    }
  }
  switch (round_.purpose) {
    case Purpose::acquire:
      return decide_acquire(now, actions);
    case Purpose::confirm:
      return decide_confirm(now, actions);
    case Purpose::extend:
      return decide_extend(now, actions);
    case Purpose::clear:
    case Purpose::release:
      return decide_release(now, actions);
  }
}

std::size_t HoldMachine::count(Vote::State state) const {
  return static_cast<std::size_t>(
      std::count_if(round_.votes.begin(), round_.votes.end(),
                    [state](const Vote& vote) { return vote.state == state; }));
}

std::size_t HoldMachine::undecided() const {
  return count(Vote::State::asking) + count(Vote::State::pausing);
}

/// A hold's time runs on, so it is asked for again soon; who waits has time, and is one of many.
Duration HoldMachine::error_pause(Vote& vote) {
  const Duration first = std::max<Duration>(terms_.options->answer_within / 10, milliseconds{1});
  const std::uint32_t doublings = vote.errors++;
  if (round_.purpose != Purpose::acquire || doublings == 0) return first;
  const Duration most = std::max(terms_.options->backoff.most, first);
  Duration pause = first;
  for (std::uint32_t i = 0; i < doublings && pause < most; ++i) pause = std::min(pause * 2, most);
  return pause - jitter(pause / 4);
}

/// A random part of `most`.
Duration HoldMachine::jitter(Duration most) {
  return Duration{
      static_cast<std::int64_t>(random().below(static_cast<std::uint64_t>(most.count()) + 1))};
}

/// Redlock: a node that is down must not eat up the time that the lock is valid.
Duration HoldMachine::answer_within() const {
  const Duration limit = terms_.options->answer_within;
  if (terms_.nodes == 1) return limit;
  return std::max<Duration>(std::min<Duration>(limit, terms_.ttl / 20), milliseconds{1});
}

Duration HoldMachine::drift(Duration ttl) const {
  const auto share = static_cast<double>(ttl.count()) * terms_.options->drift;
  return Duration{static_cast<std::int64_t>(share)} + terms_.options->drift_floor;
}

std::vector<NodeError> HoldMachine::node_errors() const {
  std::vector<NodeError> errors;
  for (std::size_t node = 0; node < round_.votes.size(); ++node) {
    const Vote& vote = round_.votes[node];
    const bool failing = vote.state == Vote::State::failed || vote.state == Vote::State::pausing ||
                         (vote.state == Vote::State::asking && vote.unknown);
    if (failing) errors.push_back(vote.answer.error(node));
  }
  return errors;
}

}  // namespace picklock::lock
