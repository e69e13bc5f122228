// The sans-I/O heart: sessions, dispatch, time. Requests in, replies out; every driver uses this
// one engine.
//
// One thread runs one engine. Direct calls, sockets and the simulated network differ only in who
// calls execute() and where the session's writer puts the reply.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/emulator.hpp>

#include "emulator/base/profile.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/acl.hpp"
#include "emulator/engine/config.hpp"
#include "emulator/engine/pubsub.hpp"
#include "emulator/engine/functions.hpp"
#include "emulator/engine/scripts.hpp"
#include "emulator/engine/session.hpp"
#include "emulator/keyspace/keyspace.hpp"

namespace picklock {

/// What INFO counts.
struct Stats {
  std::uint64_t connections = 0;
  std::uint64_t commands = 0;
};

/// What DEBUG has set.
struct DebugSettings {
  std::size_t packed_threshold = std::size_t{1} << 30;  ///< QUICKLIST-PACKED-THRESHOLD.
  bool skip_checksum = false;                           ///< SET-SKIP-CHECKSUM-VALIDATION.
};
class ScriptCall;
class SlowScriptDriver;

class Engine final : public EventSink {
 public:
  /// What a snapshot keeps. Sessions come without their writers.
  struct State {
    const Profile* profile;
    Keyspace keyspace;
    Random random;
    Config config;
    std::shared_ptr<const ScriptCache> scripts;
    lua::LastingState lua;
    std::shared_ptr<const Libraries> libraries;
    PubSub pubsub;
    std::map<std::uint64_t, SessionState> sessions;
    std::uint64_t last_session_id;
    std::uint64_t last_block_order;
    Stats stats;
    Acl acl;
    Instant now;
    bool active_expiry;
    DebugSettings debug;
  };

  /// Borrows `clock`, which must outlive the engine. Throws std::invalid_argument for options out
  /// of range.
  Engine(const Options& options, Clock& clock);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Opens a session whose replies go to `writer` (borrowed until close()). `events` may be null.
  Session& open(ReplyWriter& writer, SessionEvents* events, std::string_view address,
                std::string_view local_address);
  void close(Session& session);
  /// Ends a session that is not the one whose request is being executed (CLIENT KILL). Its driver
  /// is told, and still has to close() it.
  void kill(Session& session);

  /// Executes one request of `session`. Afterwards the reply has been written, unless
  /// session.is_blocked(): then it is written later, and SessionEvents::resumed() is called. A
  /// driver must not execute another request of a blocked session, and closes a connection once
  /// session.closing is set.
  void execute(Session& session, Args words);
  /// Takes a blocked session's request back without a reply.
  void withdraw(Session& session);
  /// Holds the request of `session` back until `deadline` (never, if empty).
  void block(Session& session, std::optional<Instant> deadline, void (*on_timeout)(ReplyWriter&));

  /// Holds the request of `c` back until one of `keys` serves it: once a key is made or signalled
  /// (WaitedKeys), and the request, script or transaction that did it has ended, `try_serve` is
  /// asked, first come first served. Where nothing may block, it times out at once.
  void block_on(EngineContext& c, Args keys, std::optional<Instant> deadline,
                void (*on_timeout)(ReplyWriter&),
                bool (*try_serve)(EngineContext&, std::string_view));
  /// Ends the wait of a blocked session with what `answer` writes. Redis: CLIENT UNBLOCK.
  void unblock(Session& session, void (*answer)(ReplyWriter&));

  /// Between these, sessions that were unblocked do not go on with their next requests: a driver
  /// that executes several requests in a row puts them around the row, as Redis finishes one
  /// client's input first.
  void begin_turn() { ++turns_; }
  void end_turn();

  /// Calls the handler of a command that may run now, and publishes what happened to keys besides.
  void run(Context& context);
  void event(EventClass event_class, std::string_view name, std::string_view key,
             int database) override;
  void publish_notes() override;

  /// Fires everything that is due at the clock's present instant: active expiry, blocking timeouts.
  void run_due();
  /// The next instant at which run_due() would do something; nullopt if nothing is pending.
  std::optional<Instant> next_event() const;

  State save() const;
  /// Puts everything but the clock back. Sessions that are in `state` keep their writers; those
  /// that are not are marked as closing; those that no driver has open any more are kept for
  /// attach().
  void restore(const State& state);
  /// Gives a session that a restored state brought along to a driver; null if there is none with
  /// that id.
  Session* attach(std::uint64_t id, ReplyWriter& writer, SessionEvents* events);

  const Profile* profile;  ///< Which server is imitated; never null.
  Clock& clock;
  Keyspace keyspace;
  Random random;
  Config config;
  Scripts scripts;
  Functions functions;
  ScriptCall* script = nullptr;  ///< The one that runs.
  SlowScriptDriver* slow_script_driver = nullptr;  ///< Borrowed; null if there is none.
  PubSub pubsub;
  Stats stats;
  Acl acl;
  Instant started_at;
  bool active_expiry = true;  ///< DEBUG SET-ACTIVE-EXPIRE.
  DebugSettings debug;

  const std::map<std::uint64_t, std::unique_ptr<Session>>& sessions() const { return sessions_; }
  std::size_t blocked_count() const;

 private:
  void expire_due(std::int64_t now_ms);
  void reject(Session& session, const Command* command, std::string_view error);
  bool permit(Session& session, const Command& command, Args words);
  bool hold_back(Session& session, const Command& command, Args words);
  void collect_ready();
  void serve_ready();
  void serve_waiters(int database, const std::string& key);
  bool serve(Session& session, std::string_view key, std::int64_t now_ms);
  void count_waiting();

  std::map<std::uint64_t, std::unique_ptr<Session>> sessions_;
  std::vector<std::unique_ptr<Session>>
      orphans_;  // Cut off by restore(), still open at their drivers.
  std::uint64_t last_session_id_ = 0;
  std::uint64_t last_block_order_ = 0;
  std::size_t waiting_ = 0;  // Sessions that are blocked on keys.
  // Keys that may serve somebody once the present request has ended, by database.
  std::deque<std::pair<int, std::string>> ready_;
  std::deque<std::uint64_t> unblocked_;  // Sessions that may go on once the turn has ended.
  int turns_ = 0;
  bool resuming_ = false;
};

}  // namespace picklock
