// The machines' states, as text and as a number, for those who go through all orders of events and
// must know a state that they have met before.
#include <algorithm>
#include <sstream>
#include <type_traits>

#include "lockclient/machine/core.hpp"

namespace picklock::lock {
namespace {

/// Writes values with a space behind each.
class Text {
 public:
  template <class T>
  void add(const T& value) {
    text_ << value << ' ';
  }
  std::string result() const { return text_.str(); }
  static constexpr bool kWithRandom = false;

 private:
  std::ostringstream text_;
};

/// Mixes values into a number: the same one everywhere.
class Digest {
 public:
  void add(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325 + text.size();
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    mix(hash);
  }
  void add(const std::string& text) { add(std::string_view{text}); }
  void add(const char* text) { add(std::string_view{text}); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(T value) { mix(static_cast<std::uint64_t>(value)); }
  std::uint64_t result() const { return value_; }
  static constexpr bool kWithRandom = true;

 private:
  void mix(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 29;
  }
  std::uint64_t value_ = 0x243f6a8885a308d3;
};

/// What is not there is written as "-".
template <class Sink>
class Writer {
 public:
  template <class T>
  Writer& operator<<(const T& value) {
    sink_.add(value);
    return *this;
  }
  Writer& operator<<(Instant instant) { return *this << instant.time_since_epoch().count(); }
  Writer& operator<<(Duration duration) { return *this << duration.count(); }
  template <class T>
  Writer& operator<<(const std::optional<T>& value) {
    return value ? *this << *value : *this << "-";
  }
  Writer& operator<<(const FencingToken& token) { return *this << token.epoch << token.sequence; }
  Writer& operator<<(const Call& call) {
    if (call.script != nullptr) *this << call.script->sha;
    for (const std::string_view word : call.words()) *this << word;
    return *this;
  }
  template <class T>
  Writer& number(T value) {
    return *this << static_cast<int>(value);
  }
  auto result() const { return sink_.result(); }
  static constexpr bool kWithRandom = Sink::kWithRandom;

 private:
  Sink sink_;
};

}  // namespace

template <class Out>
void HoldMachine::describe_vote(const Vote& vote, std::uint32_t newest, Out& out) {
  out.number(vote.state) << vote.unknown << newest - vote.request << vote.errors << vote.is_owed;
  out << vote.step << vote.heard << vote.first_sent << vote.due << vote.until;
  out.number(vote.answer.kind) << vote.answer.holder() << vote.answer.token;
  out << vote.answer.still_held << vote.answer.left;
}

template <class Out>
void HoldMachine::describe(Out& out) const {
  const auto age = [this](std::uint32_t request) { return last_request_ - request; };
  if constexpr (Out::kWithRandom) out << random_to_come();
  out << terms_.row.text() << terms_.row.number.value();
  out.number(phase_) << owner() << owners_ << asked_at_ << give_up_ << answer_by_ << due_;
  out << heard_no_ << listening_ << woken_ << old_owner_ << unsettled_ << quiet_ << last_pause_;
  out << acquired_at_ << valid_until_ << token_ << renew_at_ << by_caller_ << next_extension_;
  out << released_at_ << reported_ << terms_.check_nodes << terms_.hear_all;
  if (phase_ == Phase::confirming) out << taken_on_;
  out.number(round_.purpose) << round_.active << round_.ttl << round_.give_up;
  for (const Vote& vote : round_.votes) describe_vote(vote, last_request_, out);
  const auto write_all = [&](const auto& list) {
    out << list.size();
    for (const Sent& sent : list) out << age(sent.request) << sent.node << sent.step << sent.at;
  };
  write_all(sent_);
  write_all(attempted_);
  for (const bool said_yes : said_yes_) out << said_yes;
  for (const Vote& vote : round_.votes) out << vote.version;
  for (const Owed& owed : owed_)
    out << owed.node << *owed.call << age(owed.request) << owed.tries << owed.due << owed.until;
}

template <class Out>
void Core::describe(Out& out) const {
  for (std::size_t node = 0; node < actions_.requests.nodes(); ++node) {
    out << channels_.at(node).size();
    for (const auto& [channel, ear] : channels_.at(node)) (out << channel).number(ear);
    for (const ScriptRef& script : actions_.requests.scripts(node)) out << script->sha;
  }
  for (const Row& row : rows_) out << row.text() << row.number.value() << row.memory;
  for (const auto& [id, slot] : slots_) {
    out << id << slot.told_listening << slot.is_copy;
    slot.machine.describe(out);
  }
  for (const Requests::Flight& flight : actions_.requests.flights()) {
    out << requests() - flight.tag << flight.node << flight.slot << flight.ear();
    const HoldMachine* machine = hold(flight.slot);
    if (machine != nullptr) out << machine->last_request() - flight.request;
    if (flight.slot != 0) out << *flight.call;
    out << flight.call->is_whole;
  }
}

/// Requests are told by their age among those of the node: servers that are asked in turn and
/// answer alike write the same.
template <class Out>
void HoldMachine::describe_node(std::size_t node, Out& out) const {
  std::uint32_t last = 0;
  const auto consider_all = [&](const auto& list) {
    for (const Sent& sent : list)
      if (sent.node == node) last = std::max(last, sent.request);
  };
  consider_all(sent_);
  consider_all(attempted_);
  if (node < round_.votes.size()) {
    const Vote& vote = round_.votes[node];
    last = std::max(last, vote.request);
    describe_vote(vote, last, out);
  }
  const auto write_all = [&](const auto& list) {
    for (const Sent& sent : list)
      if (sent.node == node) out << last - sent.request << sent.step << sent.at;
    out << "";
  };
  write_all(sent_);
  write_all(attempted_);
  if (node < said_yes_.size()) out << said_yes_[node];
  if (node < round_.votes.size()) out << round_.votes[node].version;
  if (const Owed* owed = owed_by(node))
    out << *owed->call << last - owed->request << owed->tries << owed->due << owed->until;
}

std::string Core::state_text() const {
  Writer<Text> out;
  describe(out);
  return out.result();
}

std::uint64_t Core::node_digest(std::size_t node) const {
  Writer<Digest> out;
  out << channels_.at(node).size();
  for (const auto& [channel, ear] : channels_.at(node)) (out << channel).number(ear);
  for (const ScriptRef& script : actions_.requests.scripts(node)) out << script->sha;
  for (const auto& [id, slot] : slots_) {
    out << id << slot.told_listening;
    slot.machine.describe_node(node, out);
  }
  std::uint64_t first = 0;  // Requests are told by their distance from the node's oldest.
  for (const Requests::Flight& flight : actions_.requests.flights()) {
    if (flight.node != node) continue;
    if (first == 0) first = flight.request + 1;
    out << flight.slot << flight.request + 1 - first << flight.ear();
    if (flight.slot != 0) out << *flight.call;
    out << flight.call->is_whole;
  }
  return out.result();
}

std::uint64_t Core::state_digest() const {
  Writer<Digest> out;
  describe(out);
  return out.result();
}

}  // namespace picklock::lock
