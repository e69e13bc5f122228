// Linearizability: is there an order of all calls on a lock, each at one instant within its span,
// in which every answer is right?
//
// For scenarios (World::history) and for calls that were recorded elsewhere (check_history). Looks
// at answers alone: no key, no token, no protocol is known. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <picklock/clock.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

class Simulation;
class Worker;

/// What the lock ought to be, if one asked after the other.
struct LockModel {
  /// So many permits may be held at once. 1: a mutex. A read-write lock is a large number, of which
  /// a writer takes all.
  std::int64_t capacity = 1;
  /// An owner that has the lock gets it again, and must release it as often.
  bool reentrant = false;
};

/// One call on a lock. Its moments are the places of events in the order in which they were seen:
/// no two calls share one.
struct LockCall {
  /// What was asked.
  enum class Kind : std::uint8_t { acquire, release };
  /// `unknown`: the caller never heard; the call may have taken effect at any time, or never.
  enum class Answer : std::uint8_t { unknown, granted, refused };
  /// A moment that did not come, or is not known.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Kind kind = Kind::acquire;        ///< What was asked.
  Answer answer = Answer::unknown;  ///< What the caller heard.
  /// Who holds: all that an owner has, ends together when its time is over.
  std::uint64_t owner = 0;
  std::int64_t permits = 1;      ///< From 1, and not above LockModel::capacity.
  std::uint64_t begun = 0;       ///< When it was sent.
  std::uint64_t ended = kNever;  ///< Of an answer that is known.
  /// When it took effect, if that is known: then most histories are judged by one pass over them.
  std::uint64_t executed = kNever;
  /// Of an acquire: from then on its hold may end by itself.
  std::uint64_t lapses = kNever;
};

/// What check_history() finds.
struct HistoryVerdict {
  /// Whether some order of the calls explains all answers.
  enum class Outcome : std::uint8_t {
    linearizable,
    broken,
    undecided,  ///< There were more states than allowed.
  };
  /// What has decided: the order in which calls took effect, the rules of locks, or the search of
  /// all orders.
  enum class Stage : std::uint8_t { witness, lock, general };
  Outcome outcome = Outcome::linearizable;  ///< The answer.
  Stage stage = Stage::witness;             ///< Which stage gave it.
  /// If it is broken: the place in the history of a call that cannot be right, and of another that
  /// it does not go together with; the same place if there is no other.
  std::size_t call = 0;
  std::size_t other = 0;  ///< See `call`.
};

/// Judges a history in three stages, each only if the one before has not decided: the order of
/// LockCall::executed, in n log n; what must hold of any lock, in n log n; all orders, which may
/// take exponential time and stops after `most_states`. Calls may stand in any order.
HistoryVerdict check_history(std::span<const LockCall> calls, const LockModel& model,
                             std::uint64_t most_states = 1'000'000);

/// A call that goes on: a plain value. If it is not answered, it stays unknown.
class LockCallHandle {
 public:
  LockCallHandle() = default;
  /// `until`: the last instant on the worker's clock at which it takes the hold for its own;
  /// nullopt: for good.
  void granted(std::optional<Instant> until = {}) const;
  /// Somebody else has it.
  void refused() const;

 private:
  friend class History;
  LockCallHandle(Simulation* simulation, std::size_t place)
      : simulation_(simulation), place_(place) {}
  Simulation* simulation_ = nullptr;
  std::size_t place_ = 0;
};

/// What the workers of a scenario asked of one lock, judged when all is over
/// (Oracle::linearizability).
class History {
 public:
  /// The running worker begins to ask for the lock. Each worker is an owner.
  LockCallHandle acquire(Worker& worker, std::int64_t permits = 1) const;
  /// It begins to give back what it holds.
  LockCallHandle release(Worker& worker, std::int64_t permits = 1) const;

 private:
  friend class World;
  History(Simulation* simulation, std::size_t index) : simulation_(simulation), index_(index) {}
  LockCallHandle begin(LockCall::Kind kind, Worker& worker, std::int64_t permits) const;
  Simulation* simulation_;
  std::size_t index_;
};

}  // namespace picklock::race

#pragma GCC visibility pop
