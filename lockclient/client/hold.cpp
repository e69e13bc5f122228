#include <picklock/lock/hold.hpp>

#include "lockclient/client/client_state.hpp"

namespace picklock {
namespace {

const std::string kNothing;  // Of handles that hold nothing any more.

}  // namespace

void Hold::give_back() noexcept {
  on_lost_.reset();
  try {
    client_->let_go(*state_);
  } catch (...) {
    // What cannot be sent cannot be given back: it ends with its ttl.
  }
}

bool Hold::is_held() const { return valid_for() > Duration{}; }
Instant Hold::valid_until() const { return state_ ? state_->valid_until : Instant{}; }
Duration Hold::valid_for() const {
  if (!state_ || !state_->held) return {};
  return std::max(state_->valid_until - client_->now(), Duration{});
}
const std::string& Hold::owner() const { return state_ ? state_->owner : kNothing; }
const std::string& Hold::name() const { return state_ ? state_->recipe->name : kNothing; }
FencingToken Hold::token() const { return state_ ? state_->token : FencingToken{}; }

Ongoing<Outcome<Done>> Hold::extend(Duration ttl) {
  if (!state_)
    return lock::ClientState::finished<Outcome<Done>>(
        LockError{.code = LockError::Code::lost,
                  .message = "this handle holds nothing any more: acquire the lock anew"});
  return client_->extend(*state_, ttl);
}

/// The handle is done with: a second release, and the destructor, find nothing to do.
Ongoing<Released> Hold::release() {
  if (!state_) return lock::ClientState::finished(Released::not_owner);
  const auto client = std::exchange(client_, nullptr);
  const auto state = std::exchange(state_, nullptr);
  on_lost_.reset();
  const lock::ClientState::AtWork keeps{client};
  return client->release(state);
}

std::stop_token Hold::lost_token() const {
  if (!state_) return {};
  if (!state_->lost.stop_possible()) {
    state_->lost = std::stop_source{};
    if (state_->loss) state_->lost.request_stop();
  }
  return state_->lost.get_token();
}

void Hold::on_lost(std::function<void(Loss)> callback) {
  if (!state_) return;
  if (state_->loss) return callback(*state_->loss);
  if (!on_lost_) {
    std::erase_if(state_->on_lost, [](const auto& level) { return level.expired(); });
    on_lost_ = lock::share<std::function<void(Loss)>>();
    state_->on_lost.push_back(on_lost_);
  }
  *on_lost_ = std::move(callback);
}

/// The machine is left where it is, and neither renews nor releases any more.
std::string Hold::hand_over() {
  if (!is_held()) return {};
  const auto client = std::exchange(client_, nullptr);
  const auto state = std::exchange(state_, nullptr);
  on_lost_.reset();
  state->held = false;
  state->levels = 0;
  lock::Letter letter{.hold = {.owner = state->owner, .token = state->token}, .row = {}};
  if (const lock::HoldMachine* machine = client->core.hold(state->slot))
    letter.row = machine->row();
  client->core.forget(state->slot);
  client->unlist(*state);
  if (state->extending)
    client->finish<Outcome<Done>>(
        std::exchange(state->extending, nullptr),
        LockError{.code = LockError::Code::cancelled,
                  .message = "the hold was handed over while it was being extended"});
  client->flush();
  return letter.text();
}

}  // namespace picklock
