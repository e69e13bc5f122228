// One acquisition from the first request to the last: asking, waiting, holding, renewing, giving
// back.
//
// A state machine without I/O and a copyable value: resume() takes what has happened and says what
// to send; wake() says when to come again at the latest. The same machine serves one node and many
// (Redlock, locks over several servers): every step is a round of requests, one a node, decided
// when enough votes are in. Used by Core; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/one_or_more.hpp"
#include "emulator/base/random.hpp"
#include "lockclient/machine/actions.hpp"
#include "lockclient/machine/protocol.hpp"

namespace picklock::lock {

/// Acquisitions one after the other, of which a server need not remember more than how far they are
/// over: nobody asks for an earlier one once a later one has begun.
struct Row {
  Row() = default;
  Row(std::string the_name, Duration remembered)
      : name(share<const std::string>(std::move(the_name))), memory(remembered) {}

  std::string_view text() const { return name != nullptr ? std::string_view{*name} : ""; }

  /// Unique among all clients; null: none. Shared, for a row changes hands with each acquisition.
  Shared<const std::string> name;
  Ordinal number;     ///< How many there have been.
  Duration memory{};  ///< How long each of them was to be remembered, at the most.
};

/// What many acquisitions go by.
class SharedOptions {
 public:
  SharedOptions() : SharedOptions(LockOptions{}) {}
  SharedOptions(LockOptions options) : shared_(share<const LockOptions>(std::move(options))) {}
  // They are not moved: there are always some.
  SharedOptions(const SharedOptions&) = default;
  SharedOptions& operator=(const SharedOptions&) = default;
  const LockOptions& operator*() const { return *shared_; }
  const LockOptions* operator->() const { return shared_.get(); }

 private:
  Shared<const LockOptions> shared_;
};

/// A hold that another client has handed over.
struct Adopted {
  std::string owner;  ///< Its owner id.
  FencingToken token{};
};

/// What an acquisition is to be.
struct Terms {
  std::string client_id;  ///< Owner ids begin with it.
  /// In which it is the next, and no other machine may be at the same time. Without a name: a row
  /// of its own, called as the client.
  Row row{};
  SharedOptions options;
  Duration ttl{};  ///< 0: the options'.
  /// How long to wait for the lock: 0 tries once, nullopt waits for ever.
  std::optional<Duration> wait{Duration{}};
  std::size_t nodes = 1;
  std::size_t quorum = 1;
  FencingToken known{};
  /// Not null: take over this hold, which stays the last of its row.
  Shared<const Adopted> adopted{};
  /// Look whether two of the nodes are the same server, and tell when that is known.
  bool check_nodes = false;
  /// To that end the first attempt hears every node out.
  bool hear_all = false;
};

/// How long an acquisition of these options and this ttl is remembered once it is over.
inline Duration memory_of(const LockOptions& options, Duration ttl) {
  return options.memory > Duration{} ? options.memory : ttl;
}

/// What has happened.
struct Event {
  enum class Kind : std::uint8_t {
    start,
    answer,     ///< `reply` to `request` has come.
    closed,     ///< The connection broke before the answer to `request`.
    message,    ///< `message` on the protocol's channel.
    listening,  ///< From now on messages arrive: what was announced before must be asked for.
    time,       ///< wake() has come.
    extend,     ///< The caller wants `ttl` from now.
    release,
    cancel,
  };
  Kind kind = Kind::time;
  Instant now{};
  std::uint32_t request = 0;
  const Reply* reply = nullptr;
  std::string_view message{};  ///< Of closed: why the connection broke, if that is known.
  Duration ttl{};
  std::uint64_t connection = 0;  ///< Of answer: the number of the one that brought it.
};

class HoldMachine {
 public:
  enum class Phase : std::uint8_t {
    idle,
    asking,      ///< Requests to acquire are out.
    clearing,    ///< A failed attempt is being taken back before the next one.
    waiting,     ///< For a message, or for `due_`.
    confirming,  ///< Replicas are being waited for.
    held,
    lost,       ///< The hold ended by itself; release() may still say what was found.
    releasing,  ///< Also in the background, after the caller has been answered.
    ended,
  };

  HoldMachine(ProtocolRef protocol, Terms&& terms, std::uint64_t seed);

  void resume(const Event& event, Actions& actions);
  /// When resume() wants to be called with Kind::time; nullopt: not at all.
  std::optional<Instant> wake() const;

  Phase phase() const { return phase_; }
  /// Whether nothing more will come of it.
  bool is_over() const { return phase_ == Phase::ended && !owes_something(); }
  bool is_held() const { return phase_ == Phase::held; }
  /// Whether messages of the protocol's channel are wanted.
  bool wants_messages() const;
  /// Until when the caller may rely on the hold.
  Instant valid_until() const { return valid_until_; }
  const std::string& owner() const { return owner_.empty() ? terms_.client_id : owner_; }
  /// Whether it goes by another one than the terms' client id.
  bool has_other_owner() const { return !owner_.empty(); }
  /// Its present acquisition is the last one of it.
  const Row& row() const { return terms_.row; }
  /// Of one that is over, for the next; nullopt if it had none of its own client's.
  std::optional<Row> take_row() {
    if (terms_.row.name == nullptr || terms_.adopted != nullptr) return std::nullopt;
    return std::move(terms_.row);
  }
  FencingToken token() const { return token_; }
  const Protocol& protocol() const { return *protocol_; }
  const Terms& terms() const { return terms_; }
  Instant asked_at() const { return asked_at_; }
  std::uint32_t last_request() const { return last_request_; }
  /// Writes all that decides how it goes on, but for the random numbers to come, which lengthen
  /// pauses: machines of one protocol and the same terms that write the same do alike.
  template <class Out>
  void describe(Out& out) const;
  /// What of it concerns one node.
  template <class Out>
  void describe_node(std::size_t node, Out& out) const;

 private:
  enum class Purpose : std::uint8_t { acquire, clear, confirm, extend, release };
  struct Vote {
    enum class State : std::uint8_t { none, asking, pausing, yes, no, failed };
    State state = State::none;
    bool unknown = false;  ///< A request may have been carried out without our knowing.
    std::uint32_t request = 0;
    std::uint32_t errors = 0;  ///< Error replies and broken connections, in this round.
    bool is_owed = true;       ///< Of clear: something may have to be taken back.
    std::size_t step = 0;      ///< Of a protocol that takes several requests.
    std::string heard{};       ///< The answer that led to this step.
    Instant first_sent{};
    Instant due{};  ///< Of asking: no answer by then counts as none. Of pausing: ask again.
    /// Of yes: how long the node keeps the hold for us. Of no: when something changes by itself.
    std::optional<Instant> until{};
    Answer answer{};
    /// The deadline that the node has named last, in this round or an earlier one; 0: none.
    std::int64_t version = 0;
  };
  struct Round {
    Purpose purpose = Purpose::acquire;
    bool active = false;
    Duration ttl{};  ///< Of extend.
    Instant give_up{};
    OneOrMore<Vote> votes;  ///< One a node.
  };
  /// What a node has not confirmed to have taken back, of an attempt that is over.
  struct Owed {
    std::size_t node = 0;  ///< Which is left alone.
    CallRef call;
    std::uint32_t request = 0;
    std::uint32_t tries = 0;
    Instant due{};    ///< The next request.
    Instant until{};  ///< By then the ttl has taken it back.
    NodeError error;
  };
  struct Sent {
    std::uint32_t request = 0;
    std::size_t node = 0;
    std::size_t step = 0;
    Instant at{};
  };

  /// `newest`: the request from which the vote's own is counted.
  template <class Out>
  static void describe_vote(const Vote& vote, std::uint32_t newest, Out& out);

  // Rounds (hold_machine.cpp).
  void begin_round(Purpose purpose, Instant give_up, Instant now, Actions& actions);
  void ask(std::size_t node, Instant now, Actions& actions);
  struct DemandTexts {
    std::string owner, row;
  };
  Demand demand_for(std::size_t node, std::optional<DemandTexts>& texts) const;
  CallRef call_for(std::size_t node) const;
  Answer read(std::size_t node, const Reply& reply, Instant now) const;
  void answer(const Event& event, Actions& actions);
  void take_answer(std::size_t node, Answer&& answer, Instant sent, Instant now);
  static void note_failure(Vote& vote, NodeError::Kind kind, std::string_view why);
  void no_answer(std::size_t node, NodeError::Kind kind, Instant now, std::string_view why = {});
  bool may_ask_again(const Vote& vote) const;
  void decide(Instant now, Actions& actions);
  std::size_t count(Vote::State state) const;
  std::size_t undecided() const;
  void time(Instant now, Actions& actions);
  Random& random() { return random_ ? *random_ : random_.emplace(seed_); }
  /// Its next number, which stays the next.
  std::uint64_t random_to_come() const {
    Random next = random_ ? *random_ : Random{seed_};
    return next.next();
  }
  Duration error_pause(Vote& vote);
  Duration jitter(Duration most);
  Duration answer_within() const;
  Duration drift(Duration ttl) const;
  std::vector<NodeError> node_errors() const;

  // Acquiring (hold_acquire.cpp).
  void start(Instant now, Actions& actions);
  void new_owner();
  void attempt(Instant now, Actions& actions);
  void decide_acquire(Instant now, Actions& actions);
  void decide_confirm(Instant now, Actions& actions);
  bool become_held(Instant now, Actions& actions);
  void attempt_failed(Instant now, Actions& actions);
  void clear(Instant now, Actions& actions);
  bool leaves_something() const;
  static bool may_be_held(const Vote& vote);
  LockErrorRef hopeless() const;
  void look_at_node(const Event& event, Actions& actions);
  static LockErrorRef same_server();
  bool is_met_by(const Answer& answer) const;
  bool meets_itself() const;
  bool is_held_by_one() const;
  Duration pause_of_polling();
  std::optional<Duration> own_pause(std::uint64_t number) const;
  void wait_or_fail(Instant now, Actions& actions);
  Duration pause_before_next(Instant now);
  Duration pause_when_woken();
  void try_again_soon();
  void message(std::string_view text, Instant now, Actions& actions);
  void fail(LockErrorRef error, Instant now, Actions& actions);
  LockError refusal() const;
  bool out_of_time(Instant now) const { return give_up_ && now >= *give_up_; }

  // Nodes that do not answer when an attempt is taken back (hold_owed.cpp).
  void leave_owed(Instant now);
  /// Null if the node owes nothing.
  const Owed* owed_by(std::size_t node) const;
  bool owes_something() const { return !owed_.empty(); }
  void ask_owed(Instant now, Actions& actions);
  bool answer_owed(const Event& event);

  // Holding (hold_keep.cpp).
  Instant valid_by_votes() const;
  void schedule_renewal(Instant from);
  void extend(Duration ttl, Instant now, Actions& actions);
  void begin_extend(Duration ttl, Instant now, Actions& actions);
  void decide_extend(Instant now, Actions& actions);
  void renew(Instant now, Actions& actions);
  void lose(Loss loss, Actions& actions);
  void release(Instant now, Actions& actions);
  void decide_release(Instant now, Actions& actions);
  void report_release(Released found, Actions& actions);

  ProtocolRef protocol_;
  Terms terms_;
  std::uint64_t seed_;
  std::optional<Random> random_;  ///< By the seed, once it is needed: mostly it never is.
  Phase phase_ = Phase::idle;
  std::string owner_;  ///< Empty: the terms' client id.
  AttemptDemand demand_;
  std::uint32_t owners_ = 0;        ///< Acquisition ids used so far.
  std::uint32_t last_request_ = 0;  ///< Numbers the requests.
  Round round_;
  OneOrMore<Sent> sent_;  ///< The requests of the round.
  // With check_nodes, of the last attempt: its requests, and which nodes have said yes.
  std::vector<Sent> attempted_;
  std::vector<bool> said_yes_;
  std::vector<Owed> owed_;  ///< One a node, in their order.

  Instant asked_at_{};
  std::optional<Instant> give_up_;  ///< Of acquiring.
  Instant answer_by_{};             ///< Of an attempt, with what it takes back.
  std::optional<Instant> due_;      ///< Of waiting: the next attempt.
  /// Why the last attempt failed; null: there was none.
  LockErrorRef refusal_;
  Duration last_pause_{};
  std::uint32_t tries_ = 0;
  // Together, for there is a machine for each acquisition, which takes the memory that it does.
  bool heard_no_ = false;  ///< The lock was seen in other hands.
  bool listening_ = false;
  bool woken_ = false;      ///< A message came while requests were out.
  bool old_owner_ = false;  ///< The owner id is over: the next attempt takes a new one.
  bool unsettled_ = false;  ///< An attempt may have taken something, or may still.
  bool quiet_ = false;      ///< What is being given back has kept nobody out.
  bool by_caller_ = false;  ///< The extension under way was asked for by the caller.
  bool reported_ = false;   ///< The caller has been told what became of the release.

  std::uint64_t taken_on_ = 0;  ///< The connection on which the one node gave the hold.
  Instant acquired_at_{};
  Instant valid_until_{};
  FencingToken token_{};
  std::optional<Instant> renew_at_;  ///< While held; means nothing afterwards.
  std::optional<Duration> next_extension_;
  Instant released_at_{};
};

}  // namespace picklock::lock
