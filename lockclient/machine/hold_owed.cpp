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
    const auto place =
        std::find_if(owed_.begin(), owed_.end(), [&](const Owed& one) { return one.node > node; });
    owed_.insert(place, Owed{.node = node,  // It was not asked if it was left alone already.
                             .call = call_for(node),
                             .due = now + error_pause(vote),
                             .until = round_.give_up,
                             .error = vote.answer.error(node)});
  }
}

const HoldMachine::Owed* HoldMachine::owed_by(std::size_t node) const {
  for (const Owed& owed : owed_)
    if (owed.node == node) return &owed;
  return nullptr;
}

void HoldMachine::ask_owed(Instant now, Actions& actions) {
  std::erase_if(owed_, [now](const Owed& owed) { return now >= owed.until; });
  for (Owed& owed : owed_) {
    if (owed.due > now) continue;
    owed.request = ++last_request_;
    const Duration most = std::max(terms_.options->backoff.most, answer_within());
    const Duration pause = std::min(answer_within() * (1 << std::min(owed.tries++, 10U)), most);
    owed.due = now + pause + jitter(pause / 4);
    actions.tell(Notice::Kind::retried);
    actions.send(owed.node, owed.request, CallRef{owed.call});
  }
}

/// Whether the event was an answer to what ask_owed() has sent.
bool HoldMachine::answer_owed(const Event& event) {
  const auto owed = std::find_if(owed_.begin(), owed_.end(),
                                 [&](const Owed& one) { return one.request == event.request; });
  if (owed == owed_.end()) return false;
  if (event.reply == nullptr) return true;
  std::optional<DemandTexts> texts;
  const Answer answer = protocol_->read_release(*event.reply, demand_for(owed->node, texts));
  if (answer.kind != Answer::Kind::failed || !answer.is_passing()) owed_.erase(owed);
  return true;
}

}  // namespace picklock::lock
