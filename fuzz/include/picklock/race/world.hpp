// The simulated world: servers, workers (worker.hpp), the network between them, and what must never
// happen.
//
// A scenario describes a world once a schedule: which servers there are, which workers, what they
// guard. The search then runs it under many schedules. Time stands still while anybody can act and
// otherwise jumps to the next instant that matters. References stay valid until the schedule ends.
// One thread runs one world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <picklock/emulator.hpp>
#include <picklock/race/history.hpp>
#include <picklock/race/properties.hpp>
#include <picklock/race/task.hpp>
#include <picklock/race/worker.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

class KeptTurn;
class Simulation;

/// A server's clock, to be set wrong: `node.clock().drift(100)`. Valid for as long as the schedule.
/// What the clock shows decides when keys expire; nobody but the server reads it.
class ServerClock {
 public:
  /// Runs `ppm` parts in a million fast from now on; negative: slow; 0: as it should. Throws
  /// std::invalid_argument unless -900,000 <= ppm <= 1,000,000.
  void drift(std::int64_t ppm);
  /// Jumps by `duration`, back if it is negative. Throws std::invalid_argument if it would leave
  /// the years 1970 to 9999.
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
  /// The running worker enters; `who` tells the reader of the scenario, the world knows. Until when
  /// it may believe is guessed: the next deadline of the server that it wrote to last. Where that
  /// may be another key's, name it in a claim: a pause beyond it counts as a violation otherwise,
  /// not as a documented limit.
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
  /// and then what the search lets through; WAIT at the primary counts it. Faults::failovers lets
  /// it take the primary's place: whoever calls `primary` is answered by it then. Throws
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
  /// No worker may send more than `count` requests within one second of Unix time; 0: no limit.
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
    keep(worker, kept, [](void* object) { static_cast<Body*>(object)->~Body(); });
    start(worker, (*kept)(worker));
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
    keep(worker, body, [](void* object) { static_cast<Body*>(object)->~Body(); });
    start(worker, body);
  }

  /// Declares that worker `helper` (a timer, say) is part of the process of worker `principal`: to
  /// the oracles, what it does to a lock key the other one does. Both must have been added.
  void acts_for(std::string_view helper, std::string_view principal);

  /// At this very instant, of a replica of replica_of(): it takes its primary's place, without the
  /// last `lost` requests that the primary has carried out (at most those that it has not heard
  /// of). The old primary is dead. Throws std::invalid_argument if it is no replica, or no more.
  void promote(Node& replica, std::size_t lost = 0);

  /// At this very instant: the server ends, and comes back with what `kept` says once `down` (0 to
  /// a year; at least 1 ms) has passed. Connections break, scripts and subscriptions are gone.
  /// Throws std::invalid_argument for another `down`, std::logic_error for Restart::keeps_synced
  /// without sync_every_second().
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
  void keep(Worker& worker, void* body, void (*destroy)(void*));
  void start(Worker& worker, Task<> task);
  void start(Worker& worker, ValueBody* value);

  Simulation* simulation_;
};

}  // namespace picklock::race

#pragma GCC visibility pop
