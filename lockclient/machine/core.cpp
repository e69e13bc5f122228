#include "lockclient/machine/core.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace picklock::lock {
namespace {

/// Requests that are never answered are forgotten after so many others: their machines have long
/// stopped to wait for them.
constexpr std::size_t kMostFlights = 10'000;

std::set<std::string> channels_of(const HoldMachine& machine) {
  const auto channels = machine.protocol().channels();
  return {channels.begin(), channels.end()};
}

}  // namespace

std::vector<std::string_view> Core::Send::words(std::vector<std::string_view> room) const {
  std::vector<std::string_view> words = std::move(room);
  words.clear();
  words.reserve(call->words.size() + 3);
  if (call->script != nullptr) {
    words.emplace_back(whole_script ? "EVAL" : "EVALSHA");
    words.emplace_back(whole_script ? call->script->source : call->script->sha);
    words.emplace_back(keys);
  }
  for (std::size_t i = 0; i < call->words.size(); ++i) {
    const std::string_view word = call->words[i];
    words.emplace_back(word.data(), word.size());  // See Core::put().
  }
  return words;
}

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

SlotId Core::add(ProtocolRef protocol, Terms terms, std::uint64_t seed, Instant now) {
  const SlotId id = ++last_slot_;
  slots_.try_emplace(slots_.end(), id, std::move(protocol), std::move(terms), seed);
  step(id, {.kind = Event::Kind::start, .now = now});
  tend_subscriptions(now);
  return id;
}

SlotId Core::add(AskMachine machine, std::size_t node, Instant now) {
  const SlotId id = ++last_slot_;
  Slot& slot = slots_.try_emplace(id, std::move(machine), node).first->second;
  std::get<AskMachine>(slot.machine).start(now, no_actions());
  carry_out(id, slot);
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
  const auto it = slots_.find(slot);
  if (it != slots_.end()) slots_.emplace(++last_slot_, it->second).first->second.is_copy = true;
}

void Core::step(SlotId id, const Event& event) {
  const auto it = slots_.find(id);
  if (it == slots_.end()) return;
  HoldMachine* machine = std::get_if<HoldMachine>(&it->second.machine);
  if (machine == nullptr) return;
  machine->resume(event, no_actions());
  carry_out(id, it->second);
}

/// The list, emptied: a machine may have been left by an exception.
Actions& Core::no_actions() {
  actions_.sends.clear();
  actions_.notices.clear();
  return actions_;
}

void Core::carry_out(SlotId id, const Slot& slot) {
  const bool is_ask = std::holds_alternative<AskMachine>(slot.machine);
  for (Actions::Send& send : actions_.sends)
    put(is_ask ? slot.node : send.node, id, send.request, std::move(send.call));
  for (Notice& notice : actions_.notices) news_.push_back({id, std::move(notice)});
  no_actions();
}

/// A script travels whole the first time: a request that nobody hears the answer of (of a handle
/// that goes with its link) is then carried out as well.
void Core::put(std::size_t node, SlotId slot, std::uint32_t request, Call call) {
  const bool whole_script =
      call.script != nullptr && nodes_[node].scripts.insert(call.script->sha).second;
  put(node, slot, request, std::make_shared<const Call>(std::move(call)), whole_script);
}

/// Written where it lies: to copy what has just been stored in pieces, a processor waits for them.
void Core::put(std::size_t node, SlotId slot, std::uint32_t request, CallRef call,
               bool whole_script) {
  Send& send = sends_.emplace_back();
  send.node = node;
  send.tag = ++last_tag_;
  send.call = call;
  send.whole_script = whole_script;
  send.keys = std::to_string(call->keys);
  Flight& flight = flights_.emplace_back();
  flight.tag = last_tag_;
  flight.node = node;
  flight.slot = slot;
  flight.request = request;
  flight.call = std::move(call);
  flight.whole_script = whole_script;
  if (flights_.size() > kMostFlights) flights_.pop_front();
}

void Core::put_words(std::size_t node, Words words, std::string channel) {
  sends_.push_back(
      {node, ++last_tag_, std::make_shared<const Call>(Call::command(std::move(words)))});
  flights_.push_back({last_tag_, node, 0, 0, {}, false, std::move(channel)});
}

void Core::sent(std::uint64_t tag, std::uint64_t connection) {
  // It is one of the last.
  const auto it = std::find_if(flights_.rbegin(), flights_.rend(),
                               [tag](const Flight& flight) { return flight.tag == tag; });
  if (it != flights_.rend()) it->connection = connection;
}

void Core::answered(std::uint64_t tag, const Reply* reply, Instant now, std::string_view why) {
  const auto it = std::find_if(flights_.begin(), flights_.end(),
                               [tag](const Flight& flight) { return flight.tag == tag; });
  if (it == flights_.end()) return;
  Flight flight = std::move(*it);
  flights_.erase(it);
  if (flight.slot == 0) {
    Node& node = nodes_[flight.node];
    const Ear heard = reply != nullptr && !reply->is_error() ? Ear::open : Ear::failed;
    const auto ear = node.ears.find(flight.channel);
    if (ear != node.ears.end() && ear->second == Ear::opening) ear->second = heard;
    return tend_subscriptions(now);
  }
  const auto slot = slots_.find(flight.slot);
  if (slot == slots_.end()) return;
  // The server does not know the script (yet, or any more): nothing was carried out.
  const bool unknown_script = reply != nullptr && reply->is_error() && flight.call->script &&
                              !flight.whole_script && reply->text().starts_with("NOSCRIPT");
  if (unknown_script)
    return put(flight.node, flight.slot, flight.request, std::move(flight.call), true);
  if (AskMachine* ask = std::get_if<AskMachine>(&slot->second.machine)) {
    ask->answer(flight.request, reply, now, why);
    return;
  }
  step(flight.slot, {.kind = reply != nullptr ? Event::Kind::answer : Event::Kind::closed,
                     .now = now,
                     .request = flight.request,
                     .reply = reply,
                     .message = why,
                     .connection = flight.connection});
  tend_subscriptions(now);
}

void Core::messaged(std::size_t, const Reply& message, Instant now) {
  if (message.size() < 3 || message[0] != "message") return;
  std::vector<SlotId> woken;
  for (const auto& [id, slot] : slots_) {
    const HoldMachine* machine = std::get_if<HoldMachine>(&slot.machine);
    if (machine == nullptr || !machine->wants_messages()) continue;
    const auto channels = machine->protocol().channels();
    if (std::find(channels.begin(), channels.end(), message[1].text()) != channels.end())
      woken.push_back(id);
  }
  for (const SlotId id : woken)
    step(id, {.kind = Event::Kind::message, .now = now, .message = message[2].text()});
  tend_subscriptions(now);
}

void Core::reconnected(std::size_t node, Instant now) {
  nodes_[node].ears.clear();
  // What becomes of a subscription on the old connection says nothing about the new one's.
  for (Flight& flight : flights_) {
    if (flight.node == node) flight.channel.clear();
  }
  for (auto& [id, slot] : slots_) slot.told_listening = false;
  tend_subscriptions(now);
}

void Core::time(Instant now) {
  std::vector<SlotId> due;
  for (const auto& [id, slot] : slots_) {
    const auto wake = std::visit([](const auto& machine) { return machine.wake(); }, slot.machine);
    if (wake && *wake <= now) due.push_back(id);
  }
  for (const SlotId id : due) {
    const auto it = slots_.find(id);
    if (it == slots_.end()) continue;
    if (AskMachine* ask = std::get_if<AskMachine>(&it->second.machine)) {
      ask->time(now, no_actions());
      carry_out(id, it->second);
    } else {
      step(id, {.kind = Event::Kind::time, .now = now});
    }
  }
  tend_subscriptions(now);
}

std::optional<Instant> Core::wake() const {
  constexpr Instant kNever = Instant::max();
  Instant next = kNever;
  for (const auto& [id, slot] : slots_) {
    const auto wake = std::visit([](const auto& machine) { return machine.wake(); }, slot.machine);
    next = std::min(next, wake.value_or(kNever));
  }
  return next == kNever ? std::nullopt : std::optional{next};
}

/// Whether nobody waits and nothing is open: so it is while locks are free.
bool Core::needs_no_channel() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.ears.empty(); }) &&
         std::none_of(slots_.begin(), slots_.end(), [](const auto& entry) {
           const HoldMachine* machine = std::get_if<HoldMachine>(&entry.second.machine);
           return machine != nullptr && machine->wants_messages();
         });
}

/// Opens what waiters want, closes what nobody wants any more, and tells those who wait once every
/// node's channel is open: what was announced before then has to be asked for.
void Core::tend_subscriptions(Instant now) {
  if (needs_no_channel()) return remove_ended();
  std::set<std::string> wanted;
  for (const auto& [id, slot] : slots_) {
    const HoldMachine* machine = std::get_if<HoldMachine>(&slot.machine);
    if (machine != nullptr && machine->wants_messages()) wanted.merge(channels_of(*machine));
  }
  for (std::size_t index = 0; index < nodes_.size(); ++index) {
    Node& node = nodes_[index];
    for (const std::string& channel : wanted) {
      if (node.ears.contains(channel)) continue;
      node.ears.emplace(channel, Ear::opening);
      put_words(index, {"SUBSCRIBE", channel}, channel);
    }
    for (auto ear = node.ears.begin(); ear != node.ears.end();) {
      if (wanted.contains(ear->first)) {
        ++ear;
        continue;
      }
      if (ear->second != Ear::failed) put_words(index, {"UNSUBSCRIBE", ear->first}, {});
      ear = node.ears.erase(ear);
    }
  }
  std::vector<SlotId> told;
  for (auto& [id, slot] : slots_) {
    const HoldMachine* machine = std::get_if<HoldMachine>(&slot.machine);
    if (machine == nullptr || slot.told_listening || !machine->wants_messages()) continue;
    if (!hears(machine->protocol())) continue;
    slot.told_listening = true;
    told.push_back(id);
  }
  for (const SlotId id : told) step(id, {.kind = Event::Kind::listening, .now = now});
  remove_ended();
}

/// Whether all of its channels are open on every node.
bool Core::hears(const Protocol& protocol) const {
  const auto channels = protocol.channels();
  return std::all_of(nodes_.begin(), nodes_.end(), [&channels](const Node& node) {
    return std::all_of(channels.begin(), channels.end(), [&node](const std::string& channel) {
      const auto ear = node.ears.find(channel);
      return ear != node.ears.end() && ear->second == Ear::open;
    });
  });
}

void Core::remove_ended() {
  for (auto it = slots_.begin(); it != slots_.end();) {
    HoldMachine* machine = std::get_if<HoldMachine>(&it->second.machine);
    if (machine == nullptr || !machine->is_over()) {
      ++it;
      continue;
    }
    if (!it->second.is_copy) {
      if (auto row = machine->take_row()) rows_.push_back(*std::move(row));
    }
    it = slots_.erase(it);
  }
}

const HoldMachine* Core::hold(SlotId slot) const {
  const auto it = slots_.find(slot);
  return it == slots_.end() ? nullptr : std::get_if<HoldMachine>(&it->second.machine);
}

std::optional<AskMachine> Core::take_ask(SlotId slot) {
  const auto it = slots_.find(slot);
  if (it == slots_.end()) return std::nullopt;
  const AskMachine* ask = std::get_if<AskMachine>(&it->second.machine);
  if (ask == nullptr || !ask->is_over()) return std::nullopt;
  AskMachine taken = *ask;
  slots_.erase(it);
  return taken;
}

std::size_t Core::subscriptions() const {
  std::size_t count = 0;
  for (const Node& node : nodes_) count += node.ears.size();
  return count;
}

}  // namespace picklock::lock
