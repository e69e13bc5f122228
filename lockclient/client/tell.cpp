// What a client makes of the Core's news: results, loss signals, counters, events.
#include <bit>

#include "lockclient/client/client_state.hpp"

namespace picklock::lock {

using std::chrono::milliseconds;

void ClientState::tell(Notice& notice) {
  if (notice.kind == Notice::Kind::retried) ++counters.retried;
  if (notice.kind == Notice::Kind::nodes_heard) {
    nodes_checked = !notice.error;
    hears_nodes_out |= !nodes_checked;
    return;
  }
  const Shared<HoldState> hold{std::move(notice.caller),
                               static_cast<HoldState*>(notice.caller.get())};
  if (hold == nullptr || !hold->hears) {
    if (notice.kind == Notice::Kind::lost) core.forget(notice.slot);
    return;
  }
  if (const HoldMachine* machine = core.hold(notice.slot)) {
    if (machine->has_other_owner()) hold->owner = machine->owner();
    hold->valid_until = machine->valid_until();
    hold->token = machine->token();
  }
  switch (notice.kind) {
    case Notice::Kind::acquired:
      return tell_acquired(hold);
    case Notice::Kind::not_acquired:
      return tell_not_acquired(hold, *notice.error);
    case Notice::Kind::extended:
      report(LockEvent::Kind::extended, *hold);
      if (notice.by_caller && hold->extending)
        finish<Outcome<Done>>(std::exchange(hold->extending, nullptr), Done{});
      return;
    case Notice::Kind::not_extended:
      if (hold->extending)
        finish<Outcome<Done>>(std::exchange(hold->extending, nullptr), *notice.error);
      return;
    case Notice::Kind::lost:
      return tell_lost(hold, notice.loss);
    case Notice::Kind::released:
      return tell_released(hold, notice.released);
    case Notice::Kind::nodes_heard:
      return;
    case Notice::Kind::retried:
      return report(LockEvent::Kind::retried, *hold);
  }
}

void ClientState::tell_acquired(const Shared<HoldState>& hold) {
  report(LockEvent::Kind::acquired, *hold);
  const Duration waited = now() - hold->asked_at;
  const auto ms =
      static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(waited).count());
  ++counters.waits[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(ms)), 15)];
  if (hold->latch) {
    unlist(*hold);
    return std::exchange(hold->latch, nullptr)(std::nullopt);
  }
  if (hold->recipe->fenced) {
    FencingToken& highest = fences[hold->recipe->name];
    highest = std::max(highest, hold->token);
  }
  hold->held = true;
  hold->levels = 1;
  finish<Outcome<Hold>>(std::exchange(hold->acquiring, nullptr), Hold{self(), hold});
  if (hold->recipe->reentrant) let_in_pending(hold);
}

/// Who waits for the same reentrant lock holds it now, too.
void ClientState::let_in_pending(const Shared<HoldState>& hold) {
  hold->recipe->current = hold;
  for (const auto& weak : std::exchange(hold->recipe->pending, {})) {
    const auto other = weak.lock();
    if (!other || !other->acquiring) continue;
    ++hold->levels;
    finish<Outcome<Hold>>(std::exchange(other->acquiring, nullptr), Hold{self(), hold});
    unlist(*other);
    core.cancel(other->slot, now());
    core.release(other->slot, now());  // If it was just given the lock, too: nobody else would.
  }
}

void ClientState::tell_not_acquired(const Shared<HoldState>& hold, const LockError& error) {
  report(LockEvent::Kind::not_acquired, *hold);
  unlist(*hold);
  if (hold->latch) return std::exchange(hold->latch, nullptr)(error);
  if (hold->acquiring) finish<Outcome<Hold>>(std::exchange(hold->acquiring, nullptr), error);
}

void ClientState::tell_lost(const Shared<HoldState>& hold, Loss loss) {
  report(LockEvent::Kind::lost, *hold);
  hold->held = false;
  hold->loss = loss;
  settled.push_back({.lost = hold});
}

void ClientState::tell_released(const Shared<HoldState>& hold, Released released) {
  report(LockEvent::Kind::released, *hold);
  unlist(*hold);
  hold->held = false;
  if (std::exchange(hold->release_is_awaited, false)) finish(release_of(hold), Released{released});
}

void ClientState::report(LockEvent::Kind kind, const HoldState& hold) {
  switch (kind) {
    case LockEvent::Kind::acquired:
      ++counters.acquired;
      break;
    case LockEvent::Kind::not_acquired:
      ++counters.not_acquired;
      break;
    case LockEvent::Kind::extended:
      ++counters.extended;
      break;
    case LockEvent::Kind::released:
      ++counters.released;
      break;
    case LockEvent::Kind::lost:
      ++counters.lost;
      break;
    case LockEvent::Kind::retried:
      break;
  }
  const auto callback = event_callback;  // It may replace itself.
  if (!callback) return;
  guarded([&] {
    (*callback)({.kind = kind,
                 .name = hold.recipe->name,
                 .owner = hold.owner,
                 .at = now(),
                 .waited = now() - hold.asked_at});
  });
}

}  // namespace picklock::lock
