// A whole lock client without I/O: every hold and request of one process, the way of scripts to the
// servers, and the subscriptions of waiters.
//
// A copyable value. A driver hands it replies, messages and the time, and sends what take_send()
// gives it; what the callers are to hear stands in take_news(). Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/recycled.hpp"
#include "lockclient/machine/actions.hpp"
#include "lockclient/machine/alarms.hpp"
#include "lockclient/machine/ask_machine.hpp"
#include "lockclient/machine/channels.hpp"
#include "lockclient/machine/hold_machine.hpp"
#include "lockclient/machine/requests.hpp"

namespace picklock::lock {

class Core {
 public:
  using Send = Requests::Send;
  using Waiting = Requests::Waiting;

  explicit Core(std::size_t nodes) : channels_(nodes), actions_(nodes) {}

  /// A row of `client` for a machine's terms; it comes back with the machine's end. Each
  /// acquisition sets anew how long its row is remembered: so none that was to be so for longer
  /// than `memory`, and of the others the one that comes nearest.
  Row take_row(const std::string& client, Duration memory);
  /// As HoldMachine's constructor. `caller`: for whom the notices are, with which they come.
  SlotId add(ProtocolRef protocol, Terms&& terms, std::uint64_t seed, Instant now,
             Shared<void> caller = nullptr);
  SlotId add(AskMachine machine, Instant now);
  void extend(SlotId slot, Duration ttl, Instant now);
  void release(SlotId slot, Instant now);
  void cancel(SlotId slot, Instant now);
  /// What comes from now on is for nobody.
  void drop_caller(SlotId slot);
  /// All there are, in the order of their slots.
  std::vector<Shared<void>> callers() const;
  /// Leaves a hold as it is: neither renewed nor released.
  void forget(SlotId slot);
  /// A second machine that goes on as the first one would have: what a client that does not stop
  /// its timers amounts to.
  void copy(SlotId slot);

  /// The request of this tag went out as this `ticket`, counted from 1, on the link's connection of
  /// this number (Link::connections()).
  void sent(std::uint64_t tag, std::uint64_t ticket, std::uint64_t connection);
  /// The first to `node` that was sent and not answered, of those whose tag is greater than `tag`;
  /// nullopt if there is none.
  std::optional<Waiting> next_waiting(std::size_t node, std::uint64_t tag) const {
    return actions_.requests.next_waiting(node, tag);
  }
  /// `reply` null: the connection broke before the answer, as `why` says.
  void answered(std::uint64_t tag, const Reply* reply, Instant now, std::string_view why = {});
  void messaged(std::size_t node, const Reply& message, Instant now);
  /// The connection to `node` is a new one: its subscriptions are gone.
  void reconnected(std::size_t node, Instant now);
  void time(Instant now);
  /// Whether time() may be wanted by `now`; if not, it is not.
  bool may_be_due(Instant now) const { return alarms_.may_be_due(now); }
  /// When time() is wanted next; nullopt: not at all. Not const, for it drops what is out of date.
  std::optional<Instant> wake();

  /// What is to be sent next; nullopt if there is nothing more.
  std::optional<Send> take_send() { return actions_.requests.take_send(most_requests()); }
  /// Of all machines, in the order in which they came.
  std::vector<Notice> take_news() { return std::exchange(actions_.notices, {}); }
  bool has_news() const { return !actions_.notices.empty(); }
  /// Takes a list back that was told, for its room.
  void reuse(std::vector<Notice>&& news) {
    if (actions_.notices.capacity() > 0) return;
    news.clear();
    actions_.notices = std::move(news);
  }

  /// Null if it is over, or was never there.
  const HoldMachine* hold(SlotId slot) const;
  /// The asks that have ended since the last call, in the order in which they were added.
  std::vector<SlotId> take_ended_asks();
  /// An ask that is over stays until it is taken: nullopt before.
  std::optional<AskMachine> take_ask(SlotId slot);
  /// How much is under way: 0 at rest.
  std::size_t slots() const { return slots_.size() + asks_.size(); }
  std::size_t subscriptions() const { return channels_.count(); }
  std::uint64_t requests() const { return actions_.requests.last_tag(); }
  /// A request that has not been answered is forgotten after so many others: its machine has long
  /// stopped to wait for it.
  std::size_t most_requests() const { return 10'000 + 16 * slots(); }
  /// See HoldMachine::describe(); of holds only, not of other requests.
  std::string state_text() const;
  /// The same as a number, with the random numbers to come.
  std::uint64_t state_digest() const;
  /// What of it concerns one node: nodes with equal numbers could change places.
  std::uint64_t node_digest(std::size_t node) const;

 private:
  template <class Out>
  void describe(Out& out) const;
  /// Of a hold.
  struct Slot {
    Slot(ProtocolRef&& protocol, Terms&& terms, std::uint64_t seed, Shared<void>&& whose)
        : machine(std::move(protocol), std::move(terms), seed), caller(std::move(whose)) {}
    HoldMachine machine;
    Shared<void> caller;  ///< Or null.
    bool told_listening = false;
    bool is_copy = false;  ///< Its row is another's.
    // What is noted of the machine: see note().
    bool waits = false;  ///< For messages.
    Alarm alarm;
  };
  using Slots = std::map<SlotId, Slot, std::less<>, Recycled<std::pair<const SlotId, Slot>>>;
  struct Ask {
    AskMachine machine;
    Alarm alarm{};
  };
  void step(SlotId slot, const Event& event);
  void step(SlotId id, Slot& slot, const Event& event);
  template <class Step>
  void step_ask(SlotId id, Ask& ask, Step&& step);
  void note(SlotId id, Slot& slot);
  void note(SlotId id, Ask& ask);
  void set_alarm(SlotId id, Alarm& alarm, Instant instant);
  Alarm* alarm_of(SlotId slot);
  void erase(Slots::iterator slot);
  void put(const Channels::Order& order);
  void tend_subscriptions(Instant now);
  void remove_ended();

  Channels channels_;
  Slots slots_;
  std::map<SlotId, Ask> asks_;
  Alarms alarms_;
  std::vector<SlotId> ended_;  ///< Holds that are over, to be removed.
  std::vector<SlotId> ended_asks_;
  std::vector<Row> rows_;  ///< Nobody's; of those that fit as well, the last one is used next.
  std::uint64_t rows_made_ = 0;
  SlotId last_slot_ = 0;
  Actions actions_;
};

}  // namespace picklock::lock
