// The sans-I/O heart: sessions, dispatch, time. Requests in, replies out; every driver uses this
// one engine.
//
// One thread runs one engine. Direct calls, sockets and the simulated network differ only in who
// calls execute() and where the session's writer puts the reply.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/emulator.hpp>

#include "emulator/base/profile.hpp"
#include "emulator/base/random.hpp"
#include "emulator/commands/effects.hpp"
#include "emulator/engine/acl.hpp"
#include "emulator/engine/cluster.hpp"
#include "emulator/engine/config.hpp"
#include "emulator/engine/effects.hpp"
#include "emulator/engine/functions.hpp"
#include "emulator/engine/latency.hpp"
#include "emulator/engine/pause.hpp"
#include "emulator/engine/persistence.hpp"
#include "emulator/engine/pubsub.hpp"
#include "emulator/engine/replication.hpp"
#include "emulator/engine/scripts.hpp"
#include "emulator/engine/session.hpp"
#include "emulator/engine/slow_log.hpp"
#include "emulator/engine/stats.hpp"
#include "emulator/engine/tracking.hpp"
#include "emulator/keyspace/keyspace.hpp"
#include "emulator/resp/silent_writer.hpp"

namespace picklock {

/// What DEBUG has set.
struct DebugSettings {
  std::size_t packed_threshold = std::size_t{1} << 30;  ///< QUICKLIST-PACKED-THRESHOLD.
  bool skip_checksum = false;                           ///< SET-SKIP-CHECKSUM-VALIDATION.
  bool scripts_look = false;                            ///< SET-DISABLE-DENY-SCRIPTS.
};
class ScriptCall;
class ScriptJournal;
struct Control;
struct RequestFault;
class TraceRow;
class ReplicaFeed;
class SlowScriptDriver;

class Engine final : public EventSink, public EffectSink, public ErrorListener {
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
    lua::CjsonSettings functions_cjson;
    PubSub pubsub;
    std::vector<std::pair<std::uint64_t, SessionState>> sessions;  ///< In the order of their ids.
    std::uint64_t last_session_id;
    std::uint64_t last_block_order;
    Stats stats;
    Acl acl;
    SlowLog slow_log;
    LatencyMonitor latency;
    TrackingTable tracking;
    Seldom<std::vector<std::uint64_t>> monitors;
    Pause pause;
    Instant now;
    Instant started_at;
    bool active_expiry;
    DebugSettings debug;
    std::optional<ClusterView> cluster;  ///< None of a server alone: it would not be seen.
    Replication replication;
    Persistence persistence;
    bool oom_at_start;
    SessionState from_primary;

    /// Null if it was not there.
    const SessionState* find_session(std::uint64_t id) const;
    /// The session's state, `session` if it was not there.
    SessionState& add_session(std::uint64_t id, SessionState session);
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
  /// Ends what lasts for one request, of `command`, or of an empty one (null).
  void end_request(Session& session, const Command* command);
  /// Takes a blocked session's request back without a reply.
  void withdraw(Session& session);
  /// Holds the request of `c` back until `deadline` (never, if empty). In a transaction it times
  /// out at once.
  void block(EngineContext& c, std::optional<Instant> deadline, void (*on_timeout)(ReplyWriter&));

  /// Holds the request of `c` back until one of `keys` serves it: once a key is made or signalled
  /// (WaitedKeys), and the request, script or transaction that did it has ended, `try_serve` is
  /// asked, first come first served. Where nothing may block, it times out at once.
  void block_on(EngineContext& c, Args keys, std::optional<Instant> deadline,
                void (*on_timeout)(ReplyWriter&),
                bool (*try_serve)(EngineContext&, std::string_view));
  /// Ends the wait of a blocked session with what `answer` writes.
  void unblock(Session& session, void (*answer)(ReplyWriter&));
  /// The same because somebody wants it so, which counts as a failure. Redis: CLIENT UNBLOCK.
  void interrupt(Session& session, void (*answer)(ReplyWriter&));
  /// As if its time were over.
  void interrupt(Session& session);

  /// Between these, sessions that were unblocked do not go on with their next requests: a driver
  /// that executes several requests in a row puts them around the row, as Redis finishes one
  /// client's input first.
  void begin_turn() { ++turns_; }
  void end_turn();

  /// Calls the handler of a command that may run now, and publishes what happened to keys besides.
  void run(Context& context);
  void event(EventClass event_class, std::string_view name, std::string_view key,
             int database) override;
  void tell_changes() override;
  void publish_notes() override;
  void effect(int database, std::span<const std::string_view> words) override;
  void effect_instead(int database, std::span<const std::string_view> words) override;
  /// Sends the stream of effects to `listener`, too, from now on (borrowed).
  void listen(EffectListener& listener);
  void stop_listening(EffectListener& listener);
  std::string_view deletion(std::string_view why) const override;
  /// Whether the databases note what happens to keys without a command.
  bool wants_notes() const { return effects || config.events().any(); }
  void error_answered(std::string_view text) override { stats.count_error(text); }
  void error_repeated() override { repeated_error_ = true; }
  /// Errors up to now are not to be blamed on the command that runs.
  void pass_over_errors() { errors_seen_ = stats.errors; }

  /// Where replies to `session` go: nowhere while it has them turned off, or once it is to end.
  ReplyWriter& replies_to(Session& session) {
    if (session.is_replica) [[unlikely]]
      return replies_to_replica();
    const bool heard = !session.is_muted() && !session.closing && !session.silenced;
    return heard && session.writer ? *session.writer : silent_;
  }
  /// Somebody follows this server from now on, who has taken over all that is here; returns its id.
  std::uint64_t add_replica(Replication::Replica replica);
  void remove_replica(std::uint64_t id);
  /// A replica has carried out the stream up to `offset`: who waits for that goes on.
  void acknowledge(std::uint64_t id, std::int64_t offset);
  /// REPLICAOF: what is here stays until take_over() or its like. `over_network`: the program
  /// around the engine is to connect to it.
  void follow(const Replication::Primary& primary, bool over_network = false);
  /// REPLICAOF NO ONE.
  void promote();
  /// The link to the primary has broken.
  void lose_primary();
  /// Everything becomes as it is at `primary`: a full synchronisation.
  void take_over(const Engine& primary);
  /// Everything becomes as it is in `rdb`, which a primary has sent with this place of its stream.
  /// Returns why that is impossible, if it is: then everything stays.
  std::optional<std::string> take_over(std::string_view rdb, std::string_view id,
                                       std::int64_t offset);
  /// The primary goes on with its stream where it broke; from here on its history has that id. The
  /// stream had selected `database`.
  void resume_history(std::string_view id, int database);
  /// The database that the primary's stream has selected.
  int stream_database() const { return from_primary_->database; }
  /// Who follows this server over the network; makes it, and keeps a backlog from then on.
  ReplicaFeed& network_feed();
  /// What is here has become something else without an effect that would tell: who follows over the
  /// network has to start anew, and so has this server itself.
  void break_history();
  /// Breaks the link to a primary on the network, which is then made anew.
  void cut_primary();
  /// How often either has happened.
  std::uint64_t breaks() const { return breaks_; }
  /// Exchanges all keys and functions with `other`; sessions, settings and scripts stay.
  void swap_data(Engine& other);
  /// The data are now those of another server at this place of its stream.
  void adopt_history(std::string_view id, std::int64_t offset);
  /// This server, or one that follows it, ends: the links between them break.
  void break_links();
  /// This server was put back to another state: links to other servers of this process that follow
  /// such a thing by themselves start anew. `last_replica_id` is what it was before.
  void renew_links(std::uint64_t last_replica_id);
  /// Carries out what the primary has sent; without effect on a server that is no replica.
  void apply(const Effect& words);
  /// Whether a request is being carried out.
  bool is_executing() const { return current_ != nullptr || script != nullptr; }
  /// Whether apply() has to wait. Redis: CLIENT PAUSE holds back what the primary sends.
  bool holds_back_writes() const;

  /// Adds or takes away a session that sees every command.
  void set_monitoring(Session& session, bool on);
  /// Holds back the commands that `kind` says until `end_ms` has passed; an earlier pause is only
  /// ever made longer and stricter. Redis: CLIENT PAUSE.
  void pause_clients(Pause::Kind kind, std::int64_t end_ms);
  void resume_clients();
  /// Puts a pause in the place of the one that is, which nobody hears of: for what no client asks.
  Pause exchange_pause(Pause pause) { return std::exchange(pause_, pause); }
  const Pause& pause() const { return pause_; }
  /// To be told how many bytes wait for a client to read them: too many end its connection, by
  /// client-output-buffer-limit.
  void check_output(Session& session, std::size_t unsent_bytes);

  /// To be called after a setting or the state of replication has changed, for what must be looked
  /// at before each request is found out once.
  void review_guards();
  /// The same for what decides whether expired keys are removed.
  void review_freeze();
  bool is_guarded() const { return guarded_; }

  /// Fires everything that is due at the clock's present instant: active expiry, blocking timeouts.
  /// If more keys are due than `most_expired`, the rest stays so, invisible to commands, for the
  /// next call.
  void run_due(std::size_t most_expired = std::numeric_limits<std::size_t>::max());
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
  /// A killed session that its driver has not closed yet is there again, as one that has just been
  /// opened, for attach().
  void revive(std::uint64_t id);

  const Profile* profile;  ///< Which server is imitated; never null.
  Clock& clock;
  /// `clock`, if it is a simulated one with nothing before it; else null.
  SimClock* const sim_clock = dynamic_cast<SimClock*>(&clock);
  /// What `clock` shows.
  Instant now() const { return sim_clock ? sim_clock->now() : clock.now(); }
  Keyspace keyspace;
  Random random;
  Config config;
  Scripts scripts;
  Functions functions;
  ScriptCall* script = nullptr;                    ///< The one that runs.
  SlowScriptDriver* slow_script_driver = nullptr;  ///< Borrowed; null if there is none.
  bool is_abandoned = false;  ///< That one has come to its end: no further request is executed.
  const std::unique_ptr<ScriptJournal> journal;  ///< Never null; no part of a snapshot.
  const std::unique_ptr<Control> control;        ///< The same.
  /// Null while nobody listens, and on a replica; no part of a snapshot.
  std::unique_ptr<EffectStream> effects;
  /// Null until there is somebody at the other end of a socket; no part of a snapshot.
  std::unique_ptr<ReplicaFeed> feed;
  bool steered = false;  ///< Whether faults, the trace or a copy on disk want to see requests.
  PubSub pubsub;
  Stats stats;
  ClusterView cluster;
  Replication replication;
  /// The primary of this server that lives in the same process (ReplicaLink); no part of a
  /// snapshot.
  const Engine* near_primary = nullptr;
  std::vector<EffectListener*> links;  ///< The links that have this server at one end.
  Persistence persistence;
  bool oom_at_start = false;  ///< Whether memory was short when the present request began.
  /// Called when SHUTDOWN is to end the program; SHUTDOWN fails while there is none.
  std::function<void()> on_shutdown;
  Acl acl;
  SlowLog slow_log;
  LatencyMonitor latency;
  TrackingTable tracking;
  Seldom<std::vector<std::uint64_t>> monitors;  ///< Sessions, in the order of their MONITOR.
  Instant started_at;
  std::string run_id;         ///< 40 hexadecimal digits, others after each restart.
  bool active_expiry = true;  ///< DEBUG SET-ACTIVE-EXPIRE.
  DebugSettings debug;

  const std::map<std::uint64_t, std::unique_ptr<Session>>& sessions() const { return sessions_; }
  /// Sessions whose requests are held back; not those that wait at a barrier or have gone silent.
  std::size_t blocked_count() const;

 private:
  void expire_due(std::int64_t now_ms, std::size_t most);
  void reject(Session& session, const Command* command, Args words, std::string_view error);
  void show_refused(Session& session, const Command& command, Args words);
  bool refuse(Session& session, const Command& command, Args words);
  void redirect(Session& session, const Command& command, std::string_view error);
  bool permit(Session& session, const Command& command, Args words);
  void process(Session& session, const Command* command, Args words);
  void process_steered(Session& session, const Command* command, Args words);
  void process_traced(Session& session, const Command* command, Args words,
                      const RequestFault* fault);
  void process_noting_reply(Session& session, const Command* command, Args words,
                            const RequestFault* fault, TraceRow& row);
  void process_struck(Session& session, const Command* command, Args words,
                      const RequestFault* struck_by);
  void fall_silent(Session& session);
  void note_answer(const Session& session);
  void begin_noting();
  void note_effects(std::uint64_t client);
  void note_expired();
  bool queue(Session& session, const Command& command, Args words);
  bool is_paused(const Session& session, const Command& command, Args words);
  void postpone(Session& session, const Command& command, Args words);
  void carry_on(Session& session);
  void count(const Command& command, Duration took, bool held_back);
  void observe(EngineContext& context, Duration took);
  std::uint64_t dirty() const;
  void replicate(Context& context, std::uint64_t dirty_before);
  void review_effects();
  void end_waits_for_replicas();
  void forget_stream();
  void time_out(Session& session);
  void count_interrupted(Session& session, const Command& command);
  void release(Session& session);
  void disconnect_blocked();
  ReplyWriter& replies_to_replica();
  void leave_replicas(Session& session);
  std::uint64_t next_salt();
  void finish_held_back(EngineContext& context, Duration took);
  Instant slow_reader_deadline(const Session& session) const;
  void close_slow_readers(std::int64_t now_s);
  std::optional<Instant> idle_deadline(const Session& session) const;
  void close_idle();
  void collect_ready();
  void serve_ready();
  void serve_waiters(int database, const std::string& key);
  bool serve(Session& session, std::string_view key, std::int64_t now_ms);
  void count_limits(const SessionState& session);
  Session& begin_session(std::uint64_t id, std::string_view address,
                         std::string_view local_address);
  void bring_back(std::span<const std::pair<std::uint64_t, SessionState>> kept);

  std::map<std::uint64_t, std::unique_ptr<Session>> sessions_;
  std::vector<std::unique_ptr<Session>>
      orphans_;  // Cut off by restore(), still open at their drivers.
  const std::unique_ptr<Session> from_primary_;  // Carries out what a replica is sent.
  std::vector<EffectListener*> listeners_;
  std::uint64_t breaks_ = 0;
  std::uint64_t last_session_id_ = 0;
  std::uint64_t last_block_order_ = 0;
  std::size_t waiting_ = 0;  // Sessions that are blocked on keys.
  // Keys that may serve somebody once the present request has ended, by database.
  std::deque<std::pair<int, std::string>> ready_;
  std::deque<std::uint64_t> unblocked_;  // Sessions that may go on once the turn has ended.
  bool frozen_ = false;                  // Whether expired keys stay where they are...
  bool thaws_ = false;                   // ...unless a command looks at them that writes.
  bool paused_ = false;                  // Whether that is because of a pause.
  bool guarded_ = false;                 // Whether refusal() may have something against a request.
  // Whether some session may be blocked or have too much output: only then the time has a bearing
  // on sessions.
  mutable bool limited_ = false;
  int turns_ = 0;
  bool resuming_ = false;
  bool applying_ = false;        // What a primary has sent is being carried out.
  bool forgets_stream_ = false;  // Its stream has ended meanwhile.
  bool ran_ = false;             // The present request has been carried out.
  bool past_faults_ = false;     // The request was struck before, and delayed.
  Session* current_ = nullptr;   // Whose request is being executed.
  std::uint64_t errors_seen_ =
      0;  // Of stats.errors: those that a command before has been blamed for.
  bool repeated_error_ = false;  // The present command has answered an error of another one.
  Pause pause_;
  SilentWriter silent_;
};

}  // namespace picklock
