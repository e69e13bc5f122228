// The simulated world: servers, workers, the network between them, and what must never happen.
//
// A scenario describes a world once a schedule: which servers there are, which workers, what they
// guard. The search then runs it under many schedules. Time stands still while anybody can act and
// otherwise jumps to the next instant that matters. References stay valid until the schedule ends.
// One thread runs one world.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <picklock/emulator.hpp>
#include <picklock/link.hpp>
#include <picklock/race/history.hpp>
#include <picklock/race/properties.hpp>
#include <picklock/race/task.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

class KeptTurn;
class Simulation;
class Worker;

/// Leaves `co_await worker.call(...)` when the connection broke before the reply came: the request
/// may have been carried out or not. A worker that lets it pass ends there, as if it gave up.
class ConnectionLost : public std::runtime_error {
 public:
  ConnectionLost() : std::runtime_error("the connection broke before the reply came") {}
};

/// A server's clock, to be set wrong: `node.clock().drift(100)`. Valid for as long as the schedule.
/// What the clock shows decides when keys expire; nobody but the server reads it.
class ServerClock {
 public:
  /// Runs `ppm` parts in a million fast from now on; negative: slow; 0: as it should. Throws
  /// std::invalid_argument unless -900,000 <= ppm <= 1,000,000.
  void drift(std::int64_t ppm);
  /// Jumps by `duration`, back if it is negative. Throws std::invalid_argument if it would leave the
  /// years 1970 to 9999.
  void step(Duration duration);
  /// Stands still from now on.
  void freeze();
  /// Goes on from where it stood.
  void thaw();
  /// What it shows.
  Instant now() const;

 private:
  friend class Simulation;
  ServerClock(Simulation& simulation, std::size_t node) : simulation_(&simulation), node_(node) {}
  Simulation* simulation_;
  std::size_t node_;
};

/// A server of the world. Obtained from World::redis.
class Node {
 public:
  virtual ~Node() = default;
  /// As it was given to World::redis().
  virtual std::string_view name() const = 0;
  /// The server itself, to prepare its data before the workers start. Its clock belongs to the
  /// world.
  virtual Emulator& emulator() = 0;
  /// Its clock, which the scenario may set wrong: Faults has the search do so.
  virtual ServerClock clock() = 0;
};

/// What a worker believes while it is inside: that `key` on `node` carries `token` up to `until`.
/// Without a node nothing is compared with a server; `until` still says how long it believes.
struct Claim {
  Node* node = nullptr;  ///< Null: nothing is compared.
  std::string_view key;  ///< Valid for as long as the turn.
  /// The value of the key, or a field of it if it is a hash.
  std::string_view token;
  /// The last instant, on the worker's clock, at which it takes the lock for its own; nullopt: for
  /// ever.
  std::optional<Instant> until;
};

/// A worker's stay inside an Exclusive; ends with leave() or with the object (a crash included).
class Turn {
 public:
  /// Takes the stay over.
  Turn(Turn&& other) noexcept
      : simulation_(std::exchange(other.simulation_, nullptr)), slot_(other.slot_) {}
  Turn& operator=(Turn&&) = delete;
  ~Turn() { leave(); }
  /// Ends the stay; a second call does nothing.
  void leave();
  /// For workers that are values: the stay goes on until KeptTurn::leave(), or until the worker is
  /// gone.
  KeptTurn keep() &&;

 private:
  friend class Exclusive;
  friend class Permits;
  friend class ReadWrite;
  Turn(Simulation* simulation, std::size_t slot) : simulation_(simulation), slot_(slot) {}
  Simulation* simulation_;
  std::size_t slot_;
};

/// A stay without an end of its own: a plain value.
class KeptTurn {
 public:
  KeptTurn() = default;
  /// Ends the stay; a second call does nothing.
  void leave();

 private:
  friend class Turn;
  KeptTurn(Simulation* simulation, std::size_t slot) : simulation_(simulation), slot_(slot) {}
  Simulation* simulation_ = nullptr;
  std::size_t slot_ = 0;
};

/// What only one worker at a time may be inside of: the oracle of mutual exclusion.
class Exclusive {
 public:
  /// The running worker enters; `who` tells the reader of the scenario, the world knows.
  Turn enter(std::string_view who);
  /// The same without a name to read.
  Turn enter(Worker& worker);
  /// Enters with a claim that is checked against the server for as long as the worker stays inside.
  /// The claim's key becomes a lock key (World::lock_key).
  Turn enter(Worker& worker, const Claim& claim);

 private:
  friend class Simulation;
  friend class World;
  Exclusive(Simulation& simulation, std::size_t index) : simulation_(&simulation), index_(index) {}
  Simulation* simulation_;
  std::size_t index_;
};

/// Awaited for the reply to a request that is already on its way.
class [[nodiscard]] Call {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) const;
  Reply await_resume() const { return reply(); }
  /// For workers that are values: what they have waited for. Throws ConnectionLost.
  Reply reply() const;

 private:
  friend class Worker;
  friend class Next;
  void begin() const;
  Call(Worker& worker, Link& link, Link::Ticket ticket)
      : worker_(&worker), link_(&link), ticket_(ticket) {}
  Worker* worker_;
  Link* link_;
  Link::Ticket ticket_;
};

/// Awaited until time, or a message, lets the worker go on.
class [[nodiscard]] Suspension {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) const;
  void await_resume() const noexcept {}

 private:
  friend class Worker;
  friend class Next;
  void begin() const;
  enum class What : std::uint8_t { sleep, pause, event };
  Suspension(Worker& worker, What what, Duration least, Duration most)
      : worker_(&worker), what_(what), least_(least), most_(most) {}
  Worker* worker_;
  What what_;
  Duration least_;
  Duration most_;
};

/// What a worker that is a value waits for, whenever it has run.
class Next {
 public:
  /// Worker::call(): it runs again when the reply is there, or the connection broke.
  Next(const Call& call) : what_(call) {}
  /// Worker::sleep(), pause() or event().
  Next(const Suspension& suspension) : what_(suspension) {}
  /// Nothing more: it has finished.
  static Next end() { return Next{}; }

 private:
  friend class Simulation;
  Next() = default;
  /// False at the end.
  bool begin() const;
  std::variant<std::monostate, Call, Suspension> what_;
};

/// The body of a worker that is a value (World::spawn_value).
class ValueBody {
 public:
  ValueBody() = default;
  /// For copy().
  ValueBody(const ValueBody&) = default;
  ValueBody& operator=(const ValueBody&) = delete;
  virtual ~ValueBody() = default;
  /// Goes on until it waits for something, and says for what.
  virtual Next run(Worker& worker) = 0;
  /// nullopt: the worker's history stands for it.
  virtual std::optional<std::uint64_t> digest(Instant now) const = 0;
  /// nullopt: every server is one of its own.
  virtual std::optional<std::uint64_t> node_digest(const Node& node) const = 0;
  /// Another worker in the same state.
  virtual std::unique_ptr<ValueBody> copy() const = 0;
  /// Takes over what `other`, of the same type, remembers.
  virtual void assign(const ValueBody& other) = 0;
};

/// A simulated client process; the parameter of every worker's coroutine.
class Worker {
 public:
  /// As it was spawned.
  std::string_view name() const;
  /// The worker's monotonic clock; it may run fast or slow (Faults::drifts).
  Instant now() const;
  /// The worker's wall clock, which may also jump (Faults::client_clocks).
  Instant wall_clock() const;

  /// Sends a request to `node` and waits for its reply: `co_await worker.call(redis, "GET", key)`.
  /// The words are copied at once.
  template <class... Words>
  requires(sizeof...(Words) > 0 && (std::constructible_from<picklock::detail::Word, const Words&> &&
                                    ...)) Call call(Node& node, const Words&... words) {
    const std::array<picklock::detail::Word, sizeof...(Words)> texts{
        picklock::detail::Word(words)...};
    std::array<std::string_view, sizeof...(Words)> views;
    for (std::size_t i = 0; i < texts.size(); ++i) views[i] = texts[i].view();
    return call(node, std::span<const std::string_view>{views});
  }
  /// The same for words that are known at run time only.
  Call call(Node& node, std::span<const std::string_view> words);

  /// Waits for exactly `duration`.
  Suspension sleep(Duration duration);
  /// Waits for a time between `least` and `most` that the search chooses among the instants that
  /// matter: both ends, and the millisecond before, at and after the next deadline of a key.
  Suspension pause(Duration least, Duration most);

  /// The worker's connection to `node`, for code that speaks through a Link. After send() and
  /// wake_at() the worker awaits event().
  Link& link(Node& node);
  /// Waits until a reply arrives or the instant given to Link::wake_at comes.
  Suspension event();

  /// For exhaustive searches: what this worker does from here on depends on nothing that it has
  /// been told so far but `value`, which holds no absolute time. Without it a worker's whole
  /// history counts as its state, and few states are met twice. Say it at the head of a retry loop,
  /// and at the end, if the scenario keeps nothing of what the worker was told.
  void digest(std::uint64_t value);
  /// All that the worker has been told until now, for a function that is called on the way.
  class Past {
   private:
    friend class Worker;
    std::uint64_t history = 0;
    Instant told_at{};
    std::uint64_t heard = 0;
    std::optional<Instant> read_at;
  };
  Past past() const;  ///< All that it has been told until now.
  /// As digest(value), but what the worker does may also depend on all that it had been told when
  /// past() gave `past`.
  void digest(const Past& past, std::uint64_t value);

  /// A number that is the same in every run of the scenario: for tokens and jitter.
  std::uint64_t random();

  /// A property of the scenario's own: `sentence` says what ought to be so.
  void expect(bool condition, std::string_view sentence);

  /// Where this worker's coroutine frames live.
  FramePool& frames() const;

 private:
  friend class Simulation;
  friend class World;
  friend class BlockingWorker;
  friend class Exclusive;
  friend class Call;
  friend class Suspension;
  friend class Permits;
  friend class ReadWrite;
  friend class LockKey;
  friend class Fence;
  friend class History;
  Worker(Simulation& simulation, std::size_t index) : simulation_(&simulation), index_(index) {}
  Simulation* simulation_;
  std::size_t index_;
};

namespace detail {

/// A worker made of a copyable function object.
template <class Machine>
class MachineBody final : public ValueBody {
 public:
  /// World::spawn_value() makes it.
  explicit MachineBody(Machine machine) : machine_(std::move(machine)) {}
  Next run(Worker& worker) override { return machine_(worker); }
  std::optional<std::uint64_t> digest(Instant now) const override {
    if constexpr (requires { machine_.digest(now); }) {
      return machine_.digest(now);
    } else {
      return std::nullopt;
    }
  }
  std::optional<std::uint64_t> node_digest(const Node& node) const override {
    if constexpr (requires { machine_.node_digest(node); }) {
      return machine_.node_digest(node);
    } else {
      return std::nullopt;
    }
  }
  std::unique_ptr<ValueBody> copy() const override { return std::make_unique<MachineBody>(*this); }
  void assign(const ValueBody& other) override {
    const Machine& machine = static_cast<const MachineBody&>(other).machine_;
    if constexpr (std::is_copy_assignable_v<Machine>) {
      machine_ = machine;
    } else {
      std::destroy_at(&machine_);
      std::construct_at(&machine_, machine);
    }
  }

 private:
  Machine machine_;
};

}  // namespace detail

/// The world of one schedule, to be furnished by the scenario.
class World {
 public:
  /// explore() makes it.
  explicit World(Simulation& simulation) : simulation_(&simulation) {}

  /// The server of this name: empty at the start of every schedule, its clock at 2020-01-01.
  Node& redis(std::string_view name);
  /// As above, in the state that `prepare(Emulator&)` leaves. It is called once, not once a
  /// schedule, so it must always do the same.
  template <class Prepare>
  Node& redis(std::string_view name, const Prepare& prepare) {
    return redis_prepared(
        name,
        [](const void* context, Emulator& emulator) {
          (*static_cast<const Prepare*>(context))(emulator);
        },
        &prepare);
  }

  /// A server that follows `primary`: it takes over what is there at the start of every schedule,
  /// and then what the search lets through; WAIT at the primary counts it. Faults::failovers lets it
  /// take the primary's place: whoever calls `primary` is answered by it then. Throws
  /// std::invalid_argument if the name is another server's.
  Node& replica_of(Node& primary, std::string_view name);

  /// What only one worker at a time may be inside of.
  Exclusive& exclusive(std::string_view name);
  /// What at most `limit` permits may be used of at once.
  Permits permits(std::string_view name, std::int64_t limit);
  /// What many may read at once, or one may write.
  ReadWrite read_write(std::string_view name);
  /// What a fenced lock guards: it must refuse tokens older than one that it has seen.
  Fence fence(std::string_view name);
  /// The same of the lock whose key this is: to refuse its holder is a violation, too.
  Fence fence(std::string_view name, const LockKey& lock);

  /// Records what workers ask of a lock, and judges the answers when all is over, whatever keys
  /// and servers are behind them. Nothing that a worker has done is forgotten then, so that an
  /// exhaustive search meets fewer states twice.
  History history(std::string_view name, const LockModel& model = {});

  /// Declares that `key` on `node` is a lock: whoever creates it owns it, nobody else may end,
  /// overwrite or prolong it, and it must have a TTL once its writer is gone.
  LockKey lock_key(Node& node, std::string_view key);
  /// When all workers have gone, `node` must have no keys but those that it has now and those in
  /// `kept`, once `within` has passed.
  void leaves_nothing(Node& node, Duration within,
                      std::initializer_list<std::string_view> kept = {});
  /// No worker may send more than `count` requests in a second.
  void at_most_commands(int count);
  /// Calls `check(Rest&)` when all workers have gone and nothing is on its way.
  void at_rest(std::function<void(Rest&)> check);

  /// Adds a worker (at most 16), which starts at an instant that the search chooses.
  /// `body(Worker&)` returns its Task<>; the world keeps `body` alive for as long as the coroutine,
  /// so a capturing lambda is fine.
  template <class Body>
  void spawn(std::string_view name, Body body) {
    Worker& worker = add_worker(name);
    Body* kept = new (body_memory(worker, sizeof(Body))) Body(std::move(body));
    start(worker, (*kept)(worker), kept, [](void* object) { static_cast<Body*>(object)->~Body(); });
  }

  /// Adds a worker that is a value: `machine(Worker&)` returns a Next whenever it runs, and all
  /// that it remembers stands in `machine`. An exhaustive search over such workers copies the world
  /// where it forks, instead of going the way to there once more. If there is
  /// `machine.digest(now)`, equal numbers must mean that two machines go on alike; of instants it
  /// tells how far they are from `now`, the worker's own time. Without it the worker's history
  /// counts as its state. If there is `machine.node_digest(node)`, what it has to do with servers
  /// for which it gives equal numbers must be the same: such servers can change places, and of what
  /// can happen at servers that are alike in everything the search looks at one only.
  template <class Machine>
  void spawn_value(std::string_view name, Machine machine) {
    using Body = detail::MachineBody<Machine>;
    Worker& worker = add_worker(name);
    auto* body = new (body_memory(worker, sizeof(Body))) Body(std::move(machine));
    start(worker, body, body, [](void* object) { static_cast<Body*>(object)->~Body(); });
  }

  /// Declares that worker `helper` (a timer, say) is part of the process of worker `principal`: to
  /// the oracles, what it does to a lock key the other one does. Both must have been added.
  void acts_for(std::string_view helper, std::string_view principal);

  /// At this very instant, of a replica of replica_of(): it takes its primary's place, without the
  /// last `lost` requests that the primary has carried out (at most those that it has not heard of).
  /// The old primary is dead. Throws std::invalid_argument if it is no replica, or no more.
  void promote(Node& replica, std::size_t lost = 0);

  /// At this very instant: the server ends, and comes back with what `kept` says once `down` (0 to
  /// a year; at least 1 ms) has passed. Connections break, scripts and subscriptions are gone. Throws
  /// std::invalid_argument for another `down`, std::logic_error for Restart::keeps_synced without
  /// sync_every_second().
  void restart(Node& node, Restart kept = Restart::keeps_all, Duration down = {});
  /// In this schedule a copy of the data is taken whenever a second of the world's time begins: for
  /// restart(). Faults::restarts needs no such word.
  void sync_every_second(Node& node);

  /// Declares what workers share beside their servers: a variable that one of them writes and
  /// another one reads. `digest(now)` is a number for all of it that matters from now on; of
  /// instants it tells how far they are from `now`, the world's time. Searches that keep states
  /// (exhaustive, and those for a certificate) go by it.
  void shares(std::function<std::uint64_t(Instant now)> digest);

  /// The world's time, which no worker's clock need agree with.
  Instant now() const;

 private:
  Node& redis_prepared(std::string_view name, void (*prepare)(const void*, Emulator&),
                       const void* context);
  Worker& add_worker(std::string_view name);
  void* body_memory(Worker& worker, std::size_t size_bytes);
  void start(Worker& worker, Task<> task, void* body, void (*destroy)(void*));
  void start(Worker& worker, ValueBody* value, void* body, void (*destroy)(void*));

  Simulation* simulation_;
};

}  // namespace picklock::race

#pragma GCC visibility pop
