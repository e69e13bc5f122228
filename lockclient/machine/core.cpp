#include "lockclient/machine/core.hpp"

#include <algorithm>
#include <iterator>

namespace picklock::lock {

Row Core::take_row(const std::string& client, Duration memory) {
  auto best = rows_.rend();
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (row->memory <= memory && (best == rows_.rend() || row->memory > best->memory)) best = row;
    if (row->memory == memory) break;
  }
  if (best == rows_.rend()) return {client + ':' + std::to_string(++rows_made_), memory};
  Row row = std::move(*best);
  rows_.erase(std::prev(best.base()));
  row.memory = memory;
  return row;
}

SlotId Core::add(ProtocolRef protocol, Terms&& terms, std::uint64_t seed, Instant now,
                 Shared<void> caller) {
  const SlotId id = ++last_slot_;
  Slot& slot = slots_
                   .try_emplace(slots_.end(), id, std::move(protocol), std::move(terms), seed,
                                std::move(caller))
                   ->second;
  step(id, slot, {.kind = Event::Kind::start, .now = now});
  tend_subscriptions(now);
  return id;
}

SlotId Core::add(AskMachine machine, Instant now) {
  const SlotId id = ++last_slot_;
  Ask& ask = asks_.try_emplace(id, Ask{std::move(machine)}).first->second;
  step_ask(id, ask, [&] { ask.machine.start(now, actions_); });
  return id;
}

void Core::extend(SlotId slot, Duration ttl, Instant now) {
  step(slot, {.kind = Event::Kind::extend, .now = now, .ttl = ttl});
}
void Core::release(SlotId slot, Instant now) {
  step(slot, {.kind = Event::Kind::release, .now = now});
}
void Core::cancel(SlotId slot, Instant now) {
  step(slot, {.kind = Event::Kind::cancel, .now = now});
  tend_subscriptions(now);
}

void Core::copy(SlotId slot) {
  const auto original = slots_.find(slot);
  if (original == slots_.end()) return;
  Slot& copy = slots_.emplace(++last_slot_, original->second).first->second;
  copy.caller = nullptr;
  copy.is_copy = true;
  copy.waits = false;
  copy.alarm = Alarm{};
  note(last_slot_, copy);
}

void Core::drop_caller(SlotId slot) {
  const auto it = slots_.find(slot);
  if (it != slots_.end()) it->second.caller = nullptr;
}

std::vector<Shared<void>> Core::callers() const {
  std::vector<Shared<void>> callers;
  for (const auto& [id, slot] : slots_)
    if (slot.caller != nullptr) callers.push_back(slot.caller);
  return callers;
}

void Core::forget(SlotId slot) {
  const auto it = slots_.find(slot);
  if (it != slots_.end()) erase(it);
}

void Core::step(SlotId id, const Event& event) {
  const auto it = slots_.find(id);
  if (it != slots_.end()) step(id, it->second, event);
}

void Core::step(SlotId id, Slot& slot, const Event& event) {
  const Actions::Mark before = actions_.begin(id, slot.caller);
  try {
    slot.machine.resume(event, actions_);
  } catch (...) {  // A caller's own clock, say.
    actions_.undo(before);
    note(id, slot);
    throw;
  }
  note(id, slot);
}

template <class Step>
void Core::step_ask(SlotId id, Ask& ask, Step&& step) {
  const Shared<void> nobody;
  const Actions::Mark before = actions_.begin(id, nobody);
  try {
    step();
  } catch (...) {
    actions_.undo(before);
    throw;
  }
  note(id, ask);
}

/// What a machine wants from now on, after each of its steps: nobody goes through all of them to
/// find out.
void Core::note(SlotId id, Slot& slot) {
  const HoldMachine& hold = slot.machine;
  set_alarm(id, slot.alarm, hold.wake().value_or(Instant::max()));
  if (hold.is_over()) ended_.push_back(id);
  if (hold.wants_messages() == slot.waits) return;
  slot.waits = !slot.waits;
  if (slot.waits)
    channels_.want(id, hold.protocol().channels());
  else
    channels_.leave(id, hold.protocol().channels());
}

void Core::note(SlotId id, Ask& ask) {
  set_alarm(id, ask.alarm, ask.machine.wake().value_or(Instant::max()));
  if (ask.machine.is_over()) ended_asks_.push_back(id);
}

void Core::set_alarm(SlotId id, Alarm& alarm, Instant instant) {
  alarms_.set(id, alarm, instant);
  alarms_.tidy(slots(), [this](auto&& visit) {
    for (auto& [other, its] : slots_) visit(other, its.alarm);
    for (auto& [other, its] : asks_) visit(other, its.alarm);
  });
}

Alarm* Core::alarm_of(SlotId slot) {
  const auto it = slots_.find(slot);
  if (it != slots_.end()) return &it->second.alarm;
  const auto ask = asks_.find(slot);
  return ask == asks_.end() ? nullptr : &ask->second.alarm;
}

std::optional<Instant> Core::wake() {
  return alarms_.next([this](SlotId slot) { return alarm_of(slot); });
}

void Core::erase(Slots::iterator slot) {
  auto& [id, gone] = *slot;
  if (gone.waits) channels_.leave(id, gone.machine.protocol().channels());
  slots_.erase(slot);
}

void Core::put(const Channels::Order& order) {
  const std::string_view command = order.opens ? "SUBSCRIBE" : "UNSUBSCRIBE";
  actions_.requests.put(order.node, 0, 0, Call::command({command, order.channel})).opens_ear =
      order.opens;
}

void Core::sent(std::uint64_t tag, std::uint64_t ticket, std::uint64_t connection) {
  Requests::Flight* const flight = actions_.requests.find(tag);
  if (flight == nullptr) return;
  flight->ticket = ticket;
  flight->connection = connection;
}

void Core::answered(std::uint64_t tag, const Reply* reply, Instant now, std::string_view why) {
  Requests::Flight* const it = actions_.requests.find(tag);
  if (it == nullptr) return;
  const Requests::Flight flight = std::move(*it);
  actions_.requests.erase(it);
  if (flight.slot == 0) {
    channels_.heard(flight.node, flight.ear(), reply != nullptr && !reply->is_error());
    return tend_subscriptions(now);
  }
  const auto slot = slots_.find(flight.slot);
  const auto ask = slot == slots_.end() ? asks_.find(flight.slot) : asks_.end();
  if (slot == slots_.end() && ask == asks_.end()) return;
  // The server does not know the script (yet, or any more): nothing was carried out.
  const bool unknown_script = reply != nullptr && reply->is_error() && flight.call->script &&
                              !flight.call->is_whole && reply->text().starts_with("NOSCRIPT");
  if (unknown_script) {
    actions_.requests.put(flight.node, flight.slot, flight.request, Call::whole(*flight.call));
    return;
  }
  if (ask != asks_.end()) {
    ask->second.machine.answer(flight.request, reply, now, why);
    return note(flight.slot, ask->second);
  }
  step(flight.slot, slot->second,
       {.kind = reply != nullptr ? Event::Kind::answer : Event::Kind::closed,
        .now = now,
        .request = flight.request,
        .reply = reply,
        .message = why,
        .connection = flight.connection});
  tend_subscriptions(now);
}

void Core::messaged(std::size_t, const Reply& message, Instant now) {
  if (message.size() < 3 || message[0] != "message") return;
  for (const SlotId id : channels_.waiters(message[1].text()))
    step(id, {.kind = Event::Kind::message, .now = now, .message = message[2].text()});
  tend_subscriptions(now);
}

void Core::reconnected(std::size_t node, Instant now) {
  channels_.reconnected(node);
  // What becomes of a subscription on the old connection says nothing about the new one's.
  for (Requests::Flight& flight : actions_.requests.flights()) {
    if (flight.node == node) flight.opens_ear = false;
  }
  for (auto& [id, slot] : slots_) slot.told_listening = false;
  tend_subscriptions(now);
}

void Core::time(Instant now) {
  for (const SlotId id : alarms_.due(now, [this](SlotId slot) { return alarm_of(slot); })) {
    const auto ask = asks_.find(id);
    if (ask != asks_.end())
      step_ask(id, ask->second, [&] { ask->second.machine.time(now, actions_); });
    else
      step(id, {.kind = Event::Kind::time, .now = now});
  }
  tend_subscriptions(now);
}

/// Opens what waiters want, closes what nobody wants any more, and tells those who wait once every
/// node's channel is open: what was announced before then has to be asked for.
void Core::tend_subscriptions(Instant now) {
  if (!channels_.has_changed()) return remove_ended();
  for (const Channels::Order& order : channels_.take_orders()) put(order);
  std::vector<SlotId> told;
  for (const SlotId id : channels_.take_hopeful()) {
    Slot& slot = slots_.at(id);
    const Protocol& protocol = slot.machine.protocol();
    if (slot.told_listening || !channels_.are_open(protocol.channels())) continue;
    slot.told_listening = true;
    told.push_back(id);
  }
  for (const SlotId id : told) step(id, {.kind = Event::Kind::listening, .now = now});
  remove_ended();
}

void Core::remove_ended() {
  if (ended_.empty()) return;
  if (ended_.size() > 1) std::sort(ended_.begin(), ended_.end());
  for (const SlotId id : ended_) {
    const auto it = slots_.find(id);
    if (it == slots_.end()) continue;
    if (!it->second.is_copy) {
      if (auto row = it->second.machine.take_row()) rows_.push_back(*std::move(row));
    }
    erase(it);
  }
  ended_.clear();
}

const HoldMachine* Core::hold(SlotId slot) const {
  const auto it = slots_.find(slot);
  return it == slots_.end() ? nullptr : &it->second.machine;
}

std::vector<SlotId> Core::take_ended_asks() {
  std::sort(ended_asks_.begin(), ended_asks_.end());
  return std::exchange(ended_asks_, {});
}

std::optional<AskMachine> Core::take_ask(SlotId slot) {
  const auto it = asks_.find(slot);
  if (it == asks_.end() || !it->second.machine.is_over()) return std::nullopt;
  AskMachine taken = std::move(it->second.machine);
  asks_.erase(it);
  return taken;
}

}  // namespace picklock::lock
