// What a scenario declares that must hold, beside mutual exclusion: permits, readers and writers,
// fences, bounded waiting, fairness, clean endings, and sentences of its own.
//
// Handles to what a World has made; cheap to copy, valid until the schedule ends. Each property is
// checked as the run goes and costs nothing where it is not declared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <picklock/clock.hpp>
#include <picklock/lock/options.hpp>
#include <picklock/reply.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

class KeptWait;
class Simulation;
class Turn;
class Worker;
class Node;

/// Something that at most `limit` permits may be used of at once.
class Permits {
 public:
  /// The running worker begins to use `count` permits, until it leaves the turn. `until`: the last
  /// instant on its clock at which it takes them for its own; nullopt: as long as the server's next
  /// deadline after its last command.
  Turn take(Worker& worker, std::int64_t count = 1, std::optional<Instant> until = {}) const;

 private:
  friend class World;
  Permits(Simulation* simulation, std::size_t index) : simulation_(simulation), index_(index) {}
  Simulation* simulation_;
  std::size_t index_;
};

/// What many may read at once, or one may write.
class ReadWrite {
 public:
  /// `until`: as with Permits::take().
  Turn read(Worker& worker, std::optional<Instant> until = {}) const;
  /// As read(), for one that writes.
  Turn write(Worker& worker, std::optional<Instant> until = {}) const;

 private:
  friend class World;
  ReadWrite(Simulation* simulation, std::size_t index) : simulation_(simulation), index_(index) {}
  Simulation* simulation_;
  std::size_t index_;
};

/// A worker's wait for a lock; ends with taken(), or with the object: then it gave up.
class Wait {
 public:
  /// Takes the wait over.
  Wait(Wait&& other) noexcept
      : simulation_(std::exchange(other.simulation_, nullptr)), slot_(other.slot_) {}
  Wait& operator=(Wait&&) = delete;
  ~Wait();
  /// It has the lock: everybody who has waited for longer was overtaken.
  void taken();
  /// For workers that are values: the wait goes on until KeptWait ends it, or until the worker is
  /// gone.
  KeptWait keep() &&;

 private:
  friend class LockKey;
  Wait(Simulation* simulation, std::size_t slot) : simulation_(simulation), slot_(slot) {}
  Simulation* simulation_;
  std::size_t slot_;
};

/// A wait without an end of its own: a plain value.
class KeptWait {
 public:
  KeptWait() = default;
  /// As Wait::taken().
  void taken();
  /// It waits no longer, and has nothing.
  void give_up();

 private:
  friend class Wait;
  KeptWait(Simulation* simulation, std::size_t slot) : simulation_(simulation), slot_(slot) {}
  Simulation* simulation_ = nullptr;
  std::size_t slot_ = 0;
};

/// A key that is a lock (World::lock_key), and more that can be asked of it.
class LockKey {
 public:
  /// While a worker that nothing hinders waits, the key is never missing for longer than `bound`.
  const LockKey& taken_within(Duration bound) const;
  /// Nobody that waits is overtaken more than `times` times.
  const LockKey& overtaken_at_most(int times) const;
  /// The running worker begins to wait for the lock.
  Wait wait(Worker& worker) const;
  /// The worker is sure that the server counts `count` holds of `token` at this instant: the field
  /// of a hash, or 1 for the value of a string; 0: none.
  void expect_count(Worker& worker, std::string_view token, std::int64_t count) const;
  /// The acquisition that `token` stands for is over: from now on nobody may send anything with it,
  /// and it must not appear in the key again.
  void over(Worker& worker, std::string_view token) const;

 private:
  friend class World;
  LockKey(Simulation* simulation, std::size_t index) : simulation_(simulation), index_(index) {}
  Simulation* simulation_;
  std::size_t index_;
};

/// A resource that a fenced lock guards.
class Fence {
 public:
  /// Offers a write under `token`. False if the resource refuses it, having seen a greater one. It
  /// is a violation if the worker holds the lock all the same, or if the token is another's.
  bool write(Worker& worker, FencingToken token) const;
  /// The same for a token that is a bare number.
  bool write(Worker& worker, std::int64_t token) const { return write(worker, {0, token}); }
  /// The same at a resource that looks at no token: it is a violation if a greater one was there.
  void write_unchecked(Worker& worker, std::int64_t token) const;

 private:
  friend class World;
  Fence(Simulation* simulation, std::size_t index) : simulation_(simulation), index_(index) {}
  Simulation* simulation_;
  std::size_t index_;
};

/// The world when every worker has gone and nothing is on its way.
class Rest {
 public:
  /// Lets time pass, on all clocks.
  void later(Duration duration);
  /// Asks a server.
  Reply call(Node& node, std::span<const std::string_view> words);
  /// A violation that says `sentence`, unless `condition`.
  void expect(bool condition, std::string_view sentence);

 private:
  friend class Simulation;
  explicit Rest(Simulation* simulation) : simulation_(simulation) {}
  Simulation* simulation_;
};

}  // namespace picklock::race

#pragma GCC visibility pop
