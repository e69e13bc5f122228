// The machines' states as text, for those who go through all orders of events and must know a state
// that they have met before.
#include <sstream>

#include "lockclient/machine/core.hpp"

namespace picklock::lock {
namespace {

/// Writes values with a space behind each; what is not there as "-".
class Writer {
 public:
  template <class T>
  Writer& operator<<(const T& value) {
    text_ << value << ' ';
    return *this;
  }
  Writer& operator<<(Instant instant) { return *this << instant.time_since_epoch().count(); }
  Writer& operator<<(Duration duration) { return *this << duration.count(); }
  template <class T>
  Writer& operator<<(const std::optional<T>& value) {
    return value ? *this << *value : *this << "-";
  }
  Writer& operator<<(const FencingToken& token) { return *this << token.to_string(); }
  Writer& operator<<(const Call& call) {
    if (call.script != nullptr) *this << call.script->sha;
    for (const std::string& word : call.words) *this << word;
    return *this;
  }
  template <class T>
  Writer& number(T value) {
    return *this << static_cast<int>(value);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

}  // namespace

std::string HoldMachine::state_text() const {
  Writer out;
  const auto age = [this](std::uint32_t request) { return last_request_ - request; };
  out.number(phase_) << demand_.owner << owners_ << asked_at_ << give_up_ << answer_by_ << due_;
  out << heard_no_ << listening_ << woken_ << old_owner_ << unsettled_ << quiet_ << last_pause_;
  out << acquired_at_ << valid_until_ << token_ << renew_at_ << by_caller_ << next_extension_;
  out << released_at_ << reported_ << terms_.check_nodes << terms_.hear_all;
  out.number(round_.purpose) << round_.active << round_.ttl << round_.give_up;
  for (const Vote& vote : round_.votes) {
    out.number(vote.state) << vote.unknown << age(vote.request) << vote.errors << vote.is_owed;
    out << vote.step << vote.heard << vote.first_sent << vote.due << vote.until;
    out.number(vote.answer.kind) << vote.answer.holder << vote.answer.token;
    out << vote.answer.still_held << vote.answer.left;
  }
  for (const auto* list : {&sent_, &attempted_}) {
    out << list->size();
    for (const Sent& sent : *list) out << age(sent.request) << sent.node << sent.step << sent.at;
  }
  for (const bool said_yes : said_yes_) out << said_yes;
  for (const std::int64_t version : versions_) out << version;
  for (const auto& owed : owed_) {
    out << owed.has_value();
    if (owed) out << owed->call << age(owed->request) << owed->tries << owed->due << owed->until;
  }
  return out.text();
}

std::string Core::state_text() const {
  Writer out;
  for (const Node& node : nodes_) {
    out << node.ears.size();
    for (const auto& [channel, ear] : node.ears) (out << channel).number(ear);
    for (const std::string& script : node.scripts) out << script;
  }
  for (const auto& [id, slot] : slots_) {
    out << id << slot.told_listening;
    if (const HoldMachine* machine = std::get_if<HoldMachine>(&slot.machine))
      out << machine->state_text();
  }
  for (const Flight& flight : flights_) {
    out << last_tag_ - flight.tag << flight.node << flight.slot << flight.channel;
    const HoldMachine* machine = hold(flight.slot);
    if (machine != nullptr) out << machine->last_request() - flight.request;
    out << flight.call << flight.whole_script;
  }
  return out.text();
}

}  // namespace picklock::lock
