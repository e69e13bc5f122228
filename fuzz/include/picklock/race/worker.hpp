// A worker: a simulated client process, a coroutine or a value, and what it can wait for.
//
// World::spawn() and World::spawn_value() add workers. Only a worker's own code, and what that
// calls, asks it for anything. References stay valid until the schedule ends. One thread runs one
// world.
#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <picklock/emulator.hpp>
#include <picklock/link.hpp>
#include <picklock/race/task.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

class Node;
class Simulation;
class Worker;

/// Leaves `co_await worker.call(...)` when the connection broke before the reply came: the request
/// may have been carried out or not. A worker that lets it pass ends there, as if it gave up.
class ConnectionLost : public std::runtime_error {
 public:
  ConnectionLost() : std::runtime_error("the connection broke before the reply came") {}
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

}  // namespace picklock::race

#pragma GCC visibility pop
