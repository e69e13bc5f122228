// What a LockClient, its locks and its holds share: the Core, the links, and who waits for what.
//
// Moves replies and time from the links into the Core, its requests onto the links, and its news to
// those who wait. Callers are resumed only when nothing of this is half done, so they may call
// anything.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <picklock/lock.hpp>

#include "emulator/base/fifo.hpp"
#include "lockclient/client/letter.hpp"
#include "lockclient/machine/core.hpp"
#include "lockclient/machine/make_recycled.hpp"

namespace picklock::lock {

/// What a lock object names: how to acquire.
struct Recipe {
  std::string name;
  SharedOptions options;
  ProtocolRef protocol;
  std::size_t quorum = 1;
  bool fenced = false;
  bool reentrant = false;
  // The faults that a ScriptProtocol may ask for.
  bool takes_wait_for_ttl = false;
  bool renews_after_release = false;
  int wait_divisor = 1;
  std::optional<LockError> invalid{};  ///< What is wrong with it, if something is.
  // Of reentrant: what is held, and what is being acquired.
  Weak<HoldState> current{};
  std::vector<Weak<HoldState>> pending{};
};
using RecipeRef = Shared<Recipe>;

using AcquireUndertaking = UndertakingOf<Outcome<Hold>>;

/// One acquisition, from being asked for until its handle is gone, and what came of its release.
struct HoldState {
  RecipeRef recipe;
  SlotId slot = 0;
  bool hears = true;  ///< Of its machine, whose caller it is.
  std::string owner;
  Instant asked_at{};
  Instant valid_until{};
  FencingToken token{};
  std::size_t levels = 0;
  bool held = false;
  bool releasing = false;
  std::optional<Loss> loss;
  std::stop_source lost{std::nostopstate};               ///< Made when somebody asks for its token.
  std::vector<Weak<std::function<void(Loss)>>> on_lost;  ///< One of each level's.
  Shared<AcquireUndertaking> acquiring;
  std::function<void(std::optional<LockError>)> latch;  ///< Of a latch, instead of `acquiring`.
  Shared<UndertakingOf<Outcome<Done>>> extending;
  UndertakingOf<Released> release;  ///< Of the handle that gives the last level...
  bool release_is_awaited = false;  ///< ...once somebody waits for it.
};
inline Shared<UndertakingOf<Released>> release_of(const Shared<HoldState>& hold) {
  return {hold, &hold->release};
}

struct ClientState final : Link::Listener, Driver, EnableSharedFromThis<ClientState> {
  /// Keeps a client as long as it is at work: a caller that is resumed may let everything go.
  class AtWork {
   public:
    explicit AtWork(ClientState& client) {
      if (client.at_work == nullptr) keep(client.shared_from_this());
    }
    /// The same for who has it anyway, which takes less time.
    explicit AtWork(const Shared<ClientState>& client) {
      if (client->at_work == nullptr) keep(client);
    }
    ~AtWork() {
      if (client_ != nullptr) const auto last = std::exchange(client_->at_work, nullptr);
    }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    void keep(Shared<ClientState> client) {
      client_ = client.get();
      client_->at_work = std::move(client);
    }
    ClientState* client_ = nullptr;  ///< If this is the outermost.
  };

  explicit ClientState(std::vector<Link*> the_links);
  ~ClientState();

  Instant now() const { return is_over ? Instant{} : links.front().link->now(); }

  Ongoing<Outcome<Hold>> acquire(const RecipeRef& recipe, std::optional<Duration> wait,
                                 std::optional<Letter> adopted = {});
  /// Valid until the next one.
  const std::string& next_owner();
  Shared<HoldState> begin(const RecipeRef& recipe, std::optional<Duration> wait,
                          std::optional<Letter> adopted);
  Ongoing<Outcome<Done>> extend(HoldState& hold, Duration ttl);
  Ongoing<Released> release(const Shared<HoldState>& hold);
  /// Without waiting for the answer.
  void let_go(HoldState& hold);
  /// Sends `call` to `node` until it is answered, then calls `then(reply or error)`.
  void ask(std::size_t node, CallRef call, const LockOptions& options,
           std::function<void(const Reply*, LockError)> then);

  bool run_one() override { return !is_over && links.front().link->run_one(); }
  void cancel(SlotId slot) override;
  void on_event() override;
  /// One of its links has ended: nothing that is under way ever comes to an end.
  void on_end() override;
  /// Sends, tells and arms; resumes those who waited. What they throw leaves the next on_event().
  void flush();
  /// It hears no more of its machine.
  void unlist(HoldState& hold) {
    hold.hears = false;
    core.drop_caller(hold.slot);
  }
  /// All that hear of theirs.
  std::vector<Shared<HoldState>> holds() const;
  bool is_of_a_hold(const std::string& owner) const;

  Shared<ClientState> self() { return at_work != nullptr ? at_work : shared_from_this(); }
  template <class T>
  Shared<UndertakingOf<T>> undertaking() {
    auto made = make_recycled<UndertakingOf<T>>();
    begin(*made);
    return made;
  }
  void begin(Undertaking& undertaking) {
    undertaking.driver = this;
    undertaking.keeps = self();
  }
  template <class T>
  static Ongoing<T> finished(T value) {
    auto made = make_recycled<UndertakingOf<T>>();
    made->value.emplace(std::move(value));
    made->done = true;
    return Ongoing<T>{std::move(made)};
  }
  /// Ends an undertaking; who waits for it is resumed by the next flush(). It goes then, too, if
  /// nobody has it any more: a hold in it is given back when nothing is half done.
  template <class T, class Value>
  void finish(Shared<UndertakingOf<T>> undertaking, Value&& value) {
    if (undertaking == nullptr) return;  // A link has ended meanwhile.
    undertaking->value.emplace(std::forward<Value>(value));
    undertaking->done = true;
    if (undertaking->is_awaited() || undertaking.use_count() == 1)
      settled.push_back({.undertaking = std::move(undertaking)});
    else
      undertaking->keeps = nullptr;  // This is at work, which keeps the client.
  }

  struct Wire {
    Link* link = nullptr;
    std::uint64_t connections = 1;
  };
  std::vector<Wire> links;
  Shared<ClientState> at_work;  ///< Itself: see AtWork.
  bool is_over = false;         ///< A link has ended, and none is asked for anything any more.
  std::string id;
  Random random;
  Core core;
  std::string last_owner;       ///< See next_owner().
  bool nodes_checked = false;   ///< Every node is known to be a server of its own.
  bool hears_nodes_out = true;  ///< The next acquisition does, to find out.
  struct Ask {
    std::size_t node = 0;
    std::function<void(const Reply*, LockError)> then;
  };
  std::map<SlotId, Ask> asks;
  std::map<std::string, FencingToken> fences;  ///< The highest seen of each name.
  LockCounters counters;
  /// What its links know it by: see Link::shared. Owns nothing.
  std::shared_ptr<ClientState> handle{this, [](ClientState*) {}};
  Shared<const std::function<void(const LockEvent&)>> event_callback;  ///< Or null.
  /// Who is to be resumed: those who wait for an operation's end, or for a hold's loss.
  struct Settled {
    Shared<Undertaking> undertaking{};
    Shared<HoldState> lost{};
  };
  Fifo<Settled> settled;
  bool settling = false;
  std::exception_ptr thrown;  ///< By the first of those who were called.

 private:
  template <class Call>
  void guarded(Call&& call) {
    try {
      call();
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  }
  void forget_all();
  void receive(std::size_t node, Instant now);
  void note_connection(std::size_t node);
  void send();
  void tell(Notice& notice);
  void tell_acquired(const Shared<HoldState>& hold);
  void let_in_pending(const Shared<HoldState>& hold);
  void tell_not_acquired(const Shared<HoldState>& hold, const LockError& error);
  void tell_lost(const Shared<HoldState>& hold, Loss loss);
  void tell_released(const Shared<HoldState>& hold, Released released);
  void answer_asks();
  void resume(const Settled& one);
  void report(LockEvent::Kind kind, const HoldState& hold);
};

/// No time that is named may be longer; a wait that is lasts for ever.
constexpr Duration kLongest = std::chrono::hours{24 * 365 * 100};
/// What is wrong with `options`, if something is.
std::optional<LockError> check_options(const LockOptions& options);
std::optional<LockError> check_ttl(Duration ttl, const LockOptions& options);
/// The ttl to acquire with: not beyond the maximum hold time.
Duration first_ttl(const LockOptions& options);
std::optional<LockError> check_name(const std::string& name);
LockError invalid(std::string message);
/// For replies that none of our scripts gives.
LockError not_understood(std::size_t node, const Reply& reply);
/// With what is wrong with the name or the options, if something is.
RecipeRef make_recipe(std::string name, LockOptions options, ProtocolRef protocol);
/// To be held by a majority of servers: refuses clients of fewer than three.
RecipeRef by_majority(const LockClient& client, RecipeRef recipe);
/// Refuses clients of several servers, and says why.
RecipeRef on_one_server(
    const LockClient& client, RecipeRef recipe,
    std::string_view why =
        "use Redlock for mutual exclusion over several, or a client of one link");

}  // namespace picklock::lock
