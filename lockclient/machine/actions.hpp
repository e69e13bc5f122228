// What the machines of a client want done: what is to be sent, and what callers are to hear.
//
// A copyable value without I/O. Used by Core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <picklock/lock/errors.hpp>
#include <picklock/lock/shared.hpp>

#include "lockclient/machine/call.hpp"
#include "lockclient/machine/requests.hpp"

namespace picklock::lock {

/// What went wrong; shared, for it is large, and mostly nothing does.
using LockErrorRef = Shared<const LockError>;
inline LockErrorRef share(LockError&& error) { return share<const LockError>(std::move(error)); }

/// What the caller is to hear.
struct Notice {
  enum class Kind : std::uint8_t {
    acquired,
    not_acquired,  ///< With an `error`.
    extended,
    not_extended,  ///< With an `error`; the hold may well go on.
    released,      ///< See `released`.
    lost,          ///< See `loss`.
    retried,       ///< A request goes out once more.
    nodes_heard,   ///< Every node is a server of its own; with an `error` two are the same.
  };
  Notice(Kind what, SlotId whose, const Shared<void>& whom)
      : kind(what), slot(whose), caller(whom) {}

  Kind kind;
  LockErrorRef error{};  ///< Or null.
  Released released = Released::released;
  Loss loss = Loss::expired;
  bool by_caller = false;  ///< Of extended: asked for, not by the watchdog.
  SlotId slot;             ///< Whose it is...
  Shared<void> caller;     ///< ...and for whom: see Core::add().
};

class Actions {
 public:
  explicit Actions(std::size_t nodes) : requests(nodes) {}

  /// How much there was to do.
  struct Mark {
    std::uint64_t tag = 0;
    std::size_t notices = 0;
  };
  /// The machine of `slot` takes a step, for `caller`, who stays until it has done so.
  Mark begin(SlotId slot, const Shared<void>& caller) {
    slot_ = slot;
    caller_ = &caller;
    return {requests.last_tag(), notices.size()};
  }
  /// Takes back what a step wanted that an exception has ended.
  void undo(const Mark& mark) {
    requests.drop_after(mark.tag);
    notices.erase(notices.begin() + static_cast<std::ptrdiff_t>(mark.notices), notices.end());
  }

  // For the machine.
  /// `request` is named in the answer's event.
  void send(std::size_t node, std::uint32_t request, CallRef&& call) {
    requests.put(node, slot_, request, std::move(call));
  }
  /// To be filled in, until the next one.
  Notice& tell(Notice::Kind kind) { return notices.emplace_back(kind, slot_, *caller_); }
  void tell(Notice::Kind kind, LockErrorRef&& error) { tell(kind).error = std::move(error); }

  Requests requests;
  std::vector<Notice> notices;  ///< In the order in which they came.

 private:
  SlotId slot_ = 0;
  const Shared<void>* caller_ = nullptr;  ///< During a step.
};

}  // namespace picklock::lock
