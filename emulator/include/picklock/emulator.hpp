// An in-process Redis for tests: hermetic, deterministic, with a clock that only the test moves.
//
// An Emulator owns a keyspace, a script cache and its sessions; a Client is one connection to it.
// No socket, no thread, no file. One emulator and its clients belong to one thread, unless a Server
// is attached: then every call is carried out on the server's thread and may come from any. Any
// number of emulators may live in one process.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/reply.hpp>
#include <picklock/script_report.hpp>
#include <picklock/steering.hpp>

#pragma GCC visibility push(default)

namespace picklock {

class Engine;
class Client;
class Executor;

/// What an emulator is made with. The constructor throws std::invalid_argument for what is out of
/// range.
struct Options {
  /// Which server is imitated: "redis-7.0" is Redis 7.0.15, exactly; "redis-8.4" and "valkey-9.0"
  /// add the newer commands that locks want, as documented; "all" has those of both.
  std::string profile = "redis-7.0";
  /// How many databases there are, from 1 to 1,000,000.
  int databases = 16;
  /// Seeds the emulator's one random generator.
  std::uint64_t seed = 0;
  /// Where the simulated clock starts.
  Instant start = kDefaultStart;
  /// When not empty, clients must AUTH first (`requirepass`).
  std::string password;
  /// Whether to be a cluster of one node that owns every slot (`cluster-enabled`); Cluster, in
  /// cluster.hpp, makes one of several.
  bool cluster = false;
  /// Instructions a script may execute before it is stopped with Redis's SCRIPT KILL error; with a
  /// Server, before other clients get BUSY and may kill it.
  std::uint64_t script_budget = 500'000'000;
};

/// What a server still has after a restart.
enum class Restart : std::uint8_t {
  keeps_all,     ///< Everything: SHUTDOWN SAVE, or `appendfsync always`.
  keeps_synced,  ///< What there was at the last whole second: a crash with `appendfsync everysec`.
  loses_all,     ///< Nothing: a crash without persistence.
};

/// Thrown by Client::call for a command that would block: advance the clock first, or use
/// Client::send.
class WouldBlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by Client::call and Pending::reply when a fault has lost the request or its reply: the
/// client would wait for ever.
class ReplyLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The state of an emulator at one instant, a value: keyspace, clock, random, scripts, sessions.
class Snapshot {
 public:
  struct State;
  /// For the emulator, which makes it.
  explicit Snapshot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  /// For the emulator, which reads it.
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;  // Shared because snapshots are immutable and copied freely.
};

/// Looks into one database without the protocol and without side effects: an expired key is absent,
/// and is not deleted by the look. Views are valid until the emulator executes the next command.
/// Not for an emulator with a Server attached, which runs on another thread: ask through a Client
/// there.
class Inspector {
 public:
  /// Emulator::inspect() makes it.
  Inspector(const Engine& engine, int database) : engine_(&engine), database_(database) {}
  /// Whether the key is there and has not expired.
  bool exists(std::string_view key) const;
  /// "string", "hash"..., or "none".
  std::string_view type(std::string_view key) const;
  /// The value of a string key; nullopt if it is missing or of another type.
  std::optional<std::string_view> string(std::string_view key) const;
  /// A field of a hash key; nullopt if key or field is missing, or the key is of another type.
  std::optional<std::string_view> field(std::string_view key, std::string_view field) const;
  /// The last instant at which the key lives; nullopt if it is missing or has no TTL.
  std::optional<Instant> deadline(std::string_view key) const;
  /// What exists(), string() and deadline() say of a key.
  struct Key {
    bool exists = false;                     ///< exists()
    std::optional<std::string_view> string;  ///< string()
    std::optional<Instant> deadline;         ///< deadline()
  };
  /// All three in one look-up, for watchers that ask after every command.
  Key key(std::string_view name) const;
  /// All living keys in order of creation.
  std::vector<std::string> keys() const;
  /// Counts every change of the whole keyspace, so that a watcher can skip what did not change.
  std::uint64_t changes() const;
  /// A number for all that commands can find on the server, in every database: contents, deadlines,
  /// which scripts and functions it knows, settings, users, what math.random will draw. Equal for
  /// equal states, whatever their history; sessions do not count.
  /// `relative`: of deadlines, how far away they are.
  std::uint64_t digest(bool relative = false) const;

 private:
  const Engine* engine_;
  int database_;
};

namespace detail {
template <class T>
concept SentAsNumber = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool> &&
                       !std::same_as<T, char>;

/// One word of a request: a string as it is, an integer in decimal, a floating number in its
/// shortest form.
class Word {
 public:
  Word(std::string_view text) : view_(text) {}
  Word(const char* text) : view_(text) {}
  Word(const std::string& text) : view_(text) {}
  template <SentAsNumber Number>
  Word(Number number) {
    const auto end = std::to_chars(buffer_.data(), buffer_.data() + buffer_.size(), number).ptr;
    length_ = static_cast<std::size_t>(end - buffer_.data());
  }
  std::string_view view() const {
    return length_ == 0 ? view_ : std::string_view{buffer_.data(), length_};
  }

 private:
  std::string_view view_;
  std::size_t length_ = 0;
  std::array<char, 32> buffer_;
};
struct Connection;
}  // namespace detail

/// A request that was sent and may still be waiting for its reply.
class Pending {
 public:
  /// Whether the server holds the reply back (BLPOP on an empty list, WAIT...).
  bool is_blocked() const;
  /// The reply, once; throws WouldBlock while it is held back, ReplyLost if a fault has lost it,
  /// std::logic_error if it is lost otherwise: see is_lost().
  Reply reply();
  /// Whether the reply has come and was not taken yet.
  bool is_there() const;
  /// The reply, once; nullopt if it has not come, or if there is none any more.
  std::optional<Reply> poll();
  /// Whether there is no reply any more, and will be none: it was taken, the server has closed the
  /// connection before, or a restored snapshot knows nothing of the request.
  bool is_lost() const;

 private:
  friend class Client;
  Pending(std::shared_ptr<detail::Connection> connection, std::uint64_t number)
      : connection_(std::move(connection)), number_(number) {}
  std::shared_ptr<detail::Connection>
      connection_;  // Shared with the Client: a reply may outlive it.
  std::uint64_t number_;
};

/// One connection to an emulator. Movable: what was moved from throws std::logic_error. Disconnects
/// when destroyed.
class Client {
 public:
  /// Sends a request and returns its reply: `alice.call("SET", "lock", "alice", "NX", "PX", 1500)`.
  /// Throws WouldBlock when the command blocks (it is withdrawn), std::logic_error when the server
  /// has closed the connection (QUIT, CLIENT KILL).
  template <class... Words>
  requires(sizeof...(Words) > 0 && (std::constructible_from<detail::Word, const Words&> &&
                                    ...)) Reply call(const Words&... words) {
    const std::array<detail::Word, sizeof...(Words)> texts{detail::Word(words)...};
    std::array<std::string_view, sizeof...(Words)> views;
    for (std::size_t i = 0; i < texts.size(); ++i) views[i] = texts[i].view();
    return call(std::span<const std::string_view>{views});
  }
  /// The same for words that are known at run time only: at least one.
  Reply call(std::span<const std::string_view> words);

  /// Sends a request without waiting: the reply is asked of the result.
  template <class... Words>
  requires(sizeof...(Words) > 0 && (std::constructible_from<detail::Word, const Words&> &&
                                    ...)) Pending send(const Words&... words) {
    const std::array<detail::Word, sizeof...(Words)> texts{detail::Word(words)...};
    std::array<std::string_view, sizeof...(Words)> views;
    for (std::size_t i = 0; i < texts.size(); ++i) views[i] = texts[i].view();
    return send(std::span<const std::string_view>{views});
  }
  /// The same for words that are known at run time only: at least one.
  Pending send(std::span<const std::string_view> words);

  /// The oldest message that the server has sent outside of replies and that was not taken yet;
  /// nullopt if there is none. What SUBSCRIBE and its like say of their second and later words
  /// comes here too, their first word's confirmation is the reply. An array in RESP2, a push in
  /// RESP3: `alice.next_message() == array("message", "news", "hello")`.
  std::optional<Reply> next_message();

  /// Whether a request of this client is held back.
  bool is_blocked() const;
  /// False once the server has closed this connection.
  bool is_connected() const;
  /// CLIENT ID.
  std::uint64_t id() const;

 private:
  friend class Emulator;
  explicit Client(std::shared_ptr<detail::Connection> connection)
      : connection_(std::move(connection)) {}
  std::shared_ptr<detail::Connection> connection_;  // Shared with its Pendings.
};

/// A whole Redis in one object: `picklock::Emulator redis; auto alice = redis.connect();`.
class Emulator {
 public:
  /// As redis-7.0, empty, at 2020-01-01.
  Emulator();
  /// As the options say; throws std::invalid_argument for what is out of range.
  explicit Emulator(Options options);
  /// Uses `clock`, which must outlive the emulator, instead of a simulated clock of its own.
  Emulator(Options options, Clock& clock);
  /// A new emulator in the state of `snapshot`, with a simulated clock of its own at the snapshot's
  /// instant. No Replica leads to it: a primary has no replica, a replica's link is down.
  explicit Emulator(const Snapshot& snapshot);
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  /// A new connection. It must not outlive the emulator.
  Client connect();
  /// A client that takes over the session with this id (after a snapshot); throws
  /// std::out_of_range.
  Client attach(std::uint64_t id);

  /// Moves the simulated clock by `duration` (not negative), firing what falls due on the way in
  /// order: keys expire, blocked clients time out. Throws std::logic_error if the emulator runs on
  /// a clock of another kind, std::invalid_argument for more than a thousand years.
  void advance(Duration duration);
  /// Sets the simulated clock, backwards too; going forward fires what falls due.
  void set_time(Instant instant);
  /// The clock's present instant.
  Instant now() const;
  /// The first instant at which something changes by itself: the millisecond after a key's
  /// deadline, the end of a blocking timeout. nullopt if nothing is pending.
  std::optional<Instant> next_event() const;

  /// A look into one database; `database` from 0.
  Inspector inspect(int database = 0) const;
  /// How many clients wait for a held-back reply.
  std::size_t blocked_clients() const;
  /// The whole keyspace as text, one line a key, in order of creation, with deadlines relative to
  /// now.
  std::string dump() const;

  /// What scripts have written with redis.log, the oldest line first: every level, whatever
  /// `loglevel` says. The last 10,000 lines are kept. No part of a snapshot.
  std::vector<LogLine> script_log() const;
  /// Forgets the lines of script_log().
  void clear_script_log();
  /// Has scripts watched from now on, or no longer: each call and its effect, coverage, keys that
  /// were not declared. It makes them slower, and changes nothing else. What was noted before goes.
  void watch_scripts(bool on = true);
  /// As watch_scripts(), for long runs: notes coverage, and each warning and each error once, but
  /// no calls.
  void cover_scripts();
  /// What has been noted since watch_scripts(). No part of a snapshot.
  ScriptReport script_report() const;
  /// Lets reports call the script of this text by the name of its file:
  /// `redis.name_script(text, "scripts/release.lua")`. Those of lua/scripts/ have their names.
  void name_script(std::string_view text, std::string_view name);

  /// The present state, to go back to or to make another emulator of. Cheap to copy.
  Snapshot snapshot() const;
  /// Puts keyspace, clock, random, scripts and sessions back to `snapshot`. A Client whose session
  /// is not in the snapshot is disconnected.
  void restore(const Snapshot& snapshot);

  /// Puts everything but the connections back to where it was when the emulator was made (or its
  /// Server): keys, clock, settings, scripts, faults, trace. Clients that wait, watch, track or are
  /// in MULTI are disconnected. A SimClock of the caller's goes back, too, for all who go by it; no
  /// other clock does, but that an OffsetClock shows real time again. An emulator that was made of
  /// a snapshot becomes as its options say, empty: restore() goes back to the snapshot.
  void reset();

  /// The server ends and comes back at the same instant: keys and functions are there as `kept`
  /// says, everything else is as after its making: no connections (theirs are closed), no scripts
  /// in the cache, no messages under way, settings and users as it was made with, another run id
  /// and history. A replica stays one, but a Replica must reconnect(). Let its clock pass before,
  /// with nobody connected, for a restart that takes a while. Throws std::logic_error while a
  /// request is carried out, and for keeps_synced without sync_every_second().
  void restart(Restart kept = Restart::keeps_all);
  /// Keeps, from now on, what there was when the present second of the clock began: for
  /// Restart::keeps_synced. Copies all data once for each second in which something happens. No
  /// part of a snapshot.
  void sync_every_second(bool on = true);

  /// Has requests go wrong from now on, and returns the fault's id. Faults are no part of a
  /// snapshot. Throws std::invalid_argument for one that makes no sense.
  std::uint64_t add_fault(const RequestFault& fault);
  /// Those that were added, in order, with what they have struck.
  std::vector<FaultState> faults() const;
  /// Takes all faults away. Connections that one has silenced stay so.
  void clear_faults();

  /// Keeps the last `lines` requests with what came of them; 0 turns the trace off. No part of a
  /// snapshot.
  void keep_trace(std::size_t lines);
  /// The oldest first.
  std::vector<TraceLine> trace() const;

  /// Carries out one command a line, quoted as for redis-cli, empty lines and those with '#' first
  /// apart; returns their number. Throws std::invalid_argument with the line and the error of the
  /// first that is refused; those before it stand.
  std::size_t load_commands(std::string_view text);
  /// Adds the keys and functions in the bytes of an RDB file of Redis 7.0 or older, but for keys
  /// that have expired on the emulator's clock; returns the number of keys. Throws
  /// std::invalid_argument, having changed nothing, for anything else.
  std::size_t load_rdb(std::string_view bytes);
  /// All keys, deadlines and functions as the bytes of an RDB file, version 10: what load_rdb() and
  /// any redis-server since 7.0 read. Deadlines of single hash fields, which that version does not
  /// have, are left out.
  std::string save_rdb() const;

  /// For drivers (server, world): the engine beneath.
  Engine& engine();

 private:
  friend void set_executor(Emulator& emulator, Executor* executor);
  friend void run_on(Emulator& emulator, const std::function<void(Engine&)>& work);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock

#pragma GCC visibility pop
