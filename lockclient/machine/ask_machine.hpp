// One request to one node that is sent until it is answered: for what may be done twice without
// harm.
//
// A state machine without I/O and a copyable value, beside the HoldMachine. Used by Core.
#pragma once

#include <optional>

#include "lockclient/machine/hold_machine.hpp"

namespace picklock::lock {

class AskMachine {
 public:
  AskMachine(CallRef call, std::size_t node, const LockOptions& options)
      : call_(std::move(call)),
        node_(node),
        answer_within_(options.answer_within),
        give_up_after_(options.give_up_after) {}

  void start(Instant now, Actions& actions) {
    give_up_ = now + give_up_after_;
    send(now, actions);
  }
  /// `reply` null: the connection broke, as `why` says.
  void answer(std::uint32_t request, const Reply* reply, Instant now, std::string_view why) {
    if (over_ || request > last_request_) return;
    if (reply == nullptr) {
      if (request != last_request_) return;
      error_ = {.kind = NodeError::Kind::closed, .text = std::string{why}};
      due_ = now + pause();
      return;
    }
    const std::optional<Answer> error = read_error(*reply);
    if (!error) {
      reply_ = *reply;
      over_ = true;
    } else {
      error_ = error->error(0);
      over_ = !error_.is_passing();
      due_ = now + pause();
    }
  }
  void time(Instant now, Actions& actions) {
    if (over_) return;
    if (now >= give_up_) {
      over_ = true;
    } else if (now >= due_) {
      actions.tell(Notice::Kind::retried);
      send(now, actions);
    }
  }
  std::optional<Instant> wake() const {
    return over_ ? std::nullopt : std::optional{std::min(due_, give_up_)};
  }

  bool is_over() const { return over_; }
  /// The answer; nullopt: see error().
  const std::optional<Reply>& reply() const { return reply_; }
  const NodeError& error() const { return error_; }

 private:
  Duration pause() const {
    return std::max<Duration>(answer_within_ / 10, std::chrono::milliseconds{1});
  }
  void send(Instant now, Actions& actions) {
    due_ = now + answer_within_;
    actions.send(node_, ++last_request_, CallRef{call_});
  }

  CallRef call_;
  std::size_t node_;
  Duration answer_within_;
  Duration give_up_after_;
  Instant give_up_{};
  Instant due_{};
  std::uint32_t last_request_ = 0;
  bool over_ = false;
  std::optional<Reply> reply_;
  NodeError error_{.kind = NodeError::Kind::no_answer};
};

}  // namespace picklock::lock
