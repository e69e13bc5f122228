// Nodes that do not answer when a failed attempt is taken back. The others go on without them: such
// a node is left alone until it has confirmed, or until the ttl has taken back what it may hold.
#include <algorithm>

#include "lockclient/machine/hold_machine.hpp"

namespace picklock::lock {

/// Every node has been asked once, and some are to be asked again.
void HoldMachine::leave_owed(Instant now) {
  for (std::size_t node = 0; node < terms_.nodes; ++node) {
    Vote& vote = round_.votes[node];
    if (vote.state != Vote::State::pausing) continue;
    owed_.insert_or_assign(node, Owed{.call = call_for(node),
                                      .due = now + error_pause(vote),
                                      .until = round_.give_up,
                                      .error = vote.answer.error(node)});
  }
}

void HoldMachine::ask_owed(Instant now, Actions& actions) {
  std::erase_if(owed_, [now](const auto& entry) { return now >= entry.second.until; });
  for (auto& [node, owed] : owed_) {
    if (owed.due > now) continue;
    owed.request = ++last_request_;
    const Duration most = std::max(terms_.options->backoff.most, answer_within());
    const Duration pause = std::min(answer_within() * (1 << std::min(owed.tries++, 10U)), most);
    owed.due = now + pause + jitter(pause / 4);
    actions.notices.push_back({.kind = Notice::Kind::retried});
    actions.sends.push_back({node, owed.request, owed.call});
  }
}

/// Whether the event was an answer to what ask_owed() has sent.
bool HoldMachine::answer_owed(const Event& event) {
  const auto owed = std::find_if(owed_.begin(), owed_.end(), [&](const auto& entry) {
    return entry.second.request == event.request;
  });
  if (owed == owed_.end()) return false;
  if (event.reply == nullptr) return true;
  std::optional<DemandTexts> texts;
  const Answer answer = protocol_->read_release(*event.reply, demand_for(owed->first, texts));
  if (answer.kind != Answer::Kind::failed || !answer.is_passing()) owed_.erase(owed);
  return true;
}

}  // namespace picklock::lock
