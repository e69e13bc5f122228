#include "lockclient/machine/requests.hpp"

#include <algorithm>

namespace picklock::lock {

/// Written where it lies: to copy what has just been stored in pieces, a processor waits for them.
Requests::Flight& Requests::put(std::size_t node, SlotId slot, std::uint32_t request,
                                CallRef&& call) {
  Flight& flight = flights_.emplace_back();
  flight.tag = ++last_tag_;
  flight.node = node;
  flight.slot = slot;
  flight.request = request;
  flight.call = std::move(call);
  return flight;
}

void Requests::drop_after(std::uint64_t tag) {
  while (!flights_.empty() && flights_.back().tag > tag) flights_.pop_back();
  last_tag_ = tag;
}

/// Whether this script was not sent to the node before. Mostly it was, and the very same: that is
/// seen at one look, of a few of them.
bool Requests::is_new(const ScriptRef& script, std::size_t node) {
  constexpr std::size_t kFew = 16;
  std::vector<ScriptRef>& known = scripts_[node];
  if (known.size() <= kFew && std::find(known.begin(), known.end(), script) != known.end())
    return false;
  const auto place =
      std::lower_bound(known.begin(), known.end(), script,
                       [](const ScriptRef& a, const ScriptRef& b) { return a->sha < b->sha; });
  if (place != known.end() && (*place)->sha == script->sha) return false;
  known.insert(place, script);
  return true;
}

/// A script travels whole the first time: a request that nobody hears the answer of (of a handle
/// that goes with its link) is then carried out as well.
std::optional<Requests::Send> Requests::take_send(std::size_t most) {
  while (taken_tag_ < last_tag_) {
    if (flights_.size() > most && flights_.front().tag <= taken_tag_) flights_.pop_front();
    Flight* const flight = find(++taken_tag_);
    if (flight == nullptr) continue;
    const ScriptRef& script = flight->call->script;
    if (script != nullptr && is_new(script, flight->node))
      flight->call = Call::whole(*flight->call);
    return Send{flight->node, flight->tag, flight->call};
  }
  return std::nullopt;
}

/// It is the last one when it is sent, and as a rule the first when it is answered.
Requests::Flight* Requests::find(std::uint64_t tag) {
  if (flights_.empty()) return nullptr;
  if (flights_.front().tag == tag) return &flights_.front();
  if (flights_.back().tag == tag) return &flights_.back();
  Flight* const it = std::lower_bound(
      flights_.begin(), flights_.end(), tag,
      [](const Flight& flight, std::uint64_t named) { return flight.tag < named; });
  return it != flights_.end() && it->tag == tag ? it : nullptr;
}

std::optional<Requests::Waiting> Requests::next_waiting(std::size_t node, std::uint64_t tag) const {
  const Flight* it = flights_.begin();
  if (it != flights_.end() && it->tag <= tag)
    it = std::upper_bound(it, flights_.end(), tag, [](std::uint64_t named, const Flight& flight) {
      return named < flight.tag;
    });
  for (; it != flights_.end(); ++it)
    if (it->node == node && it->ticket != 0) return Waiting{it->tag, it->ticket};
  return std::nullopt;
}

}  // namespace picklock::lock
