#include "fuzz/world/histories.hpp"

#include <algorithm>
#include <utility>

#include "fuzz/world/oracles.hpp"

namespace picklock::race {
namespace {

/// What a schedule may take to judge: about a tenth of a second.
constexpr std::uint64_t kMostStates = 200'000;

/// The earliest moment at which an acquire took effect whose worker has not heard of it.
std::uint64_t first_unheard(const std::vector<HistoriesMoment::Recorded>& calls) {
  std::uint64_t first = LockCall::kNever;
  for (const HistoriesMoment::Recorded& call : calls)
    if (call.kind == LockCall::Kind::acquire && call.ended == LockCall::kNever)
      first = std::min(first, call.executed);
  return first;
}

}  // namespace

void Histories::clear() {
  declared_.clear();
  calls_.clear();
  events_.clear();
}

std::size_t Histories::add(std::string_view name, const LockModel& model) {
  declared_.push_back({oracles_->properties().text_index(name), model});
  return declared_.size() - 1;
}

std::uint64_t Histories::happens(Instant now) {
  events_.push_back(now);
  return events_.size();
}

std::size_t Histories::begin(std::size_t history, std::size_t worker, LockCall::Kind kind,
                             std::int64_t permits, Instant now) {
  Recorded call;
  call.kind = kind;
  call.owner = worker;
  call.permits = permits;
  call.begun = happens(now);
  call.history = history;
  call.worker = worker;
  calls_.push_back(call);
  return calls_.size() - 1;
}

void Histories::answer(std::size_t place, LockCall::Answer answer, std::optional<Instant> until,
                       Instant now) {
  Recorded& call = calls_[place];
  call.answer = answer;
  if (call.executed == LockCall::kNever) call.executed = happens(now);  // Nobody was asked.
  call.ended = happens(now);
  call.until = until;
  if (until && now > *until) lapsed_unheard(call);
}

void Histories::executed(std::size_t worker, Instant now) {
  for (Recorded& call : calls_)
    if (call.worker == worker && call.ended == LockCall::kNever) call.executed = happens(now);
}

void Histories::time_passed(Instant now) {
  for (Recorded& call : calls_) {
    if (!call.until || now <= *call.until) continue;
    call.until.reset();
    call.lapses = happens(now);
  }
}

/// Its hold was over before its worker heard of it: others may have had the lock since.
void Histories::lapsed_unheard(Recorded& call) {
  const Instant until = *std::exchange(call.until, std::nullopt);
  const auto first = events_.begin() + static_cast<std::ptrdiff_t>(call.executed);
  const auto at = std::upper_bound(first, events_.end(), until);
  call.lapses = static_cast<std::uint64_t>(at - events_.begin()) + 1;
  events_.insert(at, until);
  for (Recorded& other : calls_)
    for (std::uint64_t* moment : {&other.begun, &other.executed, &other.ended, &other.lapses})
      if (*moment >= call.lapses && *moment != LockCall::kNever && moment != &call.lapses)
        ++*moment;
}

void Histories::judge() {
  std::vector<LockCall> calls;
  std::vector<std::size_t> workers;
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    calls.clear();
    workers.clear();
    for (const Recorded& call : calls_) {
      if (call.history != i) continue;
      calls.push_back(call);
      // A hold that nobody heard of may have ended at any time: its limit is not known.
      if (call.kind == LockCall::Kind::acquire && call.ended == LockCall::kNever)
        calls.back().lapses = call.begun;
      workers.push_back(call.worker);
    }
    const HistoryVerdict verdict = check_history(calls, declared_[i].model, kMostStates);
    if (verdict.outcome == HistoryVerdict::Outcome::linearizable) continue;
    if (verdict.outcome == HistoryVerdict::Outcome::undecided) {
      oracles_->report({.verdict = Class::unusable,
                        .oracle = Oracle::linearizability,
                        .resource = declared_[i].text,
                        .deed = Deed::undecided,
                        .seen = static_cast<std::int64_t>(calls.size())});
      continue;
    }
    const bool refused = calls[verdict.call].answer == LockCall::Answer::refused;
    Deed deed = Deed::none;
    if (verdict.stage == HistoryVerdict::Stage::lock)
      deed = refused ? Deed::refused : Deed::overlapped;
    oracles_->report({.verdict = oracles_->blame(),
                      .oracle = Oracle::linearizability,
                      .resource = declared_[i].text,
                      .subject = workers[verdict.call],
                      .other = workers[verdict.other],
                      .deed = deed});
  }
}

std::uint64_t Histories::state(Instant origin) const {
  std::uint64_t hash = events_.size();
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0xd1342543de82ef95;
    hash ^= hash >> 32;
  };
  for (const Recorded& call : calls_) {
    add(call.history << 40 | call.owner << 8 | static_cast<std::uint64_t>(call.kind) << 4 |
        static_cast<std::uint64_t>(call.answer));
    add(static_cast<std::uint64_t>(call.permits));
    for (const std::uint64_t moment : {call.begun, call.executed, call.ended, call.lapses})
      add(moment);
    if (call.until) add(static_cast<std::uint64_t>((*call.until - origin).count()));
  }
  // What lapsed_unheard() may ask for.
  for (std::uint64_t event = first_unheard(calls_); event < events_.size(); ++event)
    add(static_cast<std::uint64_t>((events_[event] - origin).count()));
  return hash;
}

}  // namespace picklock::race
