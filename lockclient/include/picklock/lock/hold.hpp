// A lock that is held: the handle to extend it, to notice its loss, to give it back.
//
// Returned by acquiring. A handle that is destroyed gives its hold back without waiting for the
// answer. Belongs to the thread of its client's links; `lost_token()` may be watched from any.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include <picklock/clock.hpp>
#include <picklock/lock/errors.hpp>
#include <picklock/lock/ongoing.hpp>
#include <picklock/lock/options.hpp>
#include <picklock/lock/shared.hpp>

#pragma GCC visibility push(default)

namespace picklock {

namespace lock {
struct ClientState;
struct HoldState;
}  // namespace lock

/// A lock that is held. Movable; what is not released is given back by the destructor, without
/// waiting for an answer.
class Hold {
 public:
  /// The locks make it.
  Hold(lock::Shared<lock::ClientState> client, lock::Shared<lock::HoldState> state)
      : client_(std::move(client)), state_(std::move(state)) {}
  /// Leaves a hold that is not held any more.
  Hold(Hold&&) noexcept = default;
  /// Gives back what this one held.
  Hold& operator=(Hold&& other) noexcept {
    Hold taken{std::move(other)};
    std::swap(client_, taken.client_);
    std::swap(state_, taken.state_);
    std::swap(on_lost_, taken.on_lost_);
    return *this;
  }
  ~Hold() {
    if (state_ != nullptr) give_back();
  }

  /// Whether it is held as far as this client can know: not released, not lost, within its time.
  bool is_held() const;
  /// Until when the client may rely on it, on the client's monotonic clock: counted from before the
  /// request was sent, less the allowance for drift.
  Instant valid_until() const;
  /// How long from now; 0 if it is over.
  Duration valid_for() const;
  /// The value that stands at the server for this hold; empty once it has been given up.
  const std::string& owner() const;
  /// The lock's name; empty once it has been given up.
  const std::string& name() const;
  /// Of a fenced lock: greater than that of any earlier holder. {0, 0} for others.
  FencingToken token() const;

  /// Prolongs the hold to `ttl` (0: that of the options) from now, never shortens it. Errors: lost,
  /// node_failed, quorum_not_reached (the hold then lasts as long as it did), cancelled (it was
  /// given up meanwhile), invalid_argument.
  Ongoing<Outcome<Done>> extend(Duration ttl = {});
  /// Gives it back. A level of a reentrant lock is given back at once.
  Ongoing<Released> release();

  /// Stopped when the hold is lost, at its validity deadline at the latest.
  std::stop_token lost_token() const;
  /// Called when the hold is lost, at once if it was; not once this handle has been given up.
  /// Replaces an earlier one.
  void on_lost(std::function<void(Loss)> callback);

  /// Ends this handle without releasing, and returns what Lock::adopt() of another client goes on
  /// with. Empty if it is not held. All levels of a reentrant lock go.
  std::string hand_over();

 private:
  friend class ReadWriteLock;
  void give_back() noexcept;

  lock::Shared<lock::ClientState> client_;  // Shared: it lives for as long as its holds.
  lock::Shared<lock::HoldState>
      state_;  // Null after release() and hand_over(); shared by reentrant levels.
  lock::Shared<std::function<void(Loss)>> on_lost_;  // Watched by `state_`: it goes with this.
};

}  // namespace picklock

#pragma GCC visibility pop
