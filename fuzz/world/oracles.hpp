// The properties that a run must keep, checked as it goes.
//
// The server's truth is read with Emulator::inspect(), and only when a command has changed
// something: who created each lock key, and who ended, overwrote or prolonged it. The holders'
// belief is what they claim on entering an Exclusive. Used by one Simulation; indices of workers
// and nodes are the simulation's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/emulator.hpp>

#include "emulator/base/local_clock.hpp"
#include "fuzz/world/findings.hpp"
#include "fuzz/world/histories.hpp"
#include "fuzz/world/properties.hpp"
#include "fuzz/world/reused.hpp"

namespace picklock::race {

/// What the oracles must know about a worker.
struct WorkerFacts {
  bool gone = false;          ///< Crashed or finished.
  bool has_requests = false;  ///< Something of it is still on its way to a server.
  Instant hindered_until{};   ///< A fault kept it from its server.
  // The last pause (GC) that was injected into it; pauses in a row count as one.
  Instant frozen_from{};
  Instant frozen_until{};
  bool ran_since_pause = true;
  /// The deadline of what it last wrote, the server's next: stands in for a claim that was not
  /// made.
  std::optional<Instant> last_deadline;
};

/// What a run changes of the oracles, properties apart.
struct OraclesMoment {
  struct LockKey {
    bool declared = false;  ///< In this run; the entry itself stays, to save its memory.
    std::size_t node = 0;
    std::string name;
    bool present = false;
    std::size_t writer = kNobody;  ///< Of a key that is not present: nobody.
    std::string value;
    std::optional<Instant> deadline;
    Instant free_since{};  ///< If it is not present.
  };
  struct Stay {
    bool active = false;
    std::size_t exclusive = 0;
    std::size_t worker = 0;
    std::int64_t weight = 1;
    bool claims = false;
    std::size_t key = 0;
    std::string token;
    std::optional<Instant> until;  ///< Also without a claim, if it can be told.
  };
  bool excused_ = false;
  std::uint64_t owners_ = 0;
  std::vector<LockKey> keys_;
  Reused<Stay> stays_;
  Finding finding_;
};

class Oracles : private OraclesMoment {
 public:
  Oracles() : properties_(*this), histories_(*this) {}
  Oracles(const Oracles&) = delete;
  Oracles& operator=(const Oracles&) = delete;

  using LockKey = OraclesMoment::LockKey;
  using Stay = OraclesMoment::Stay;
  /// What fits into a section, and which property it is that no more do.
  struct Room {
    std::int64_t capacity = 1;
    Oracle oracle = Oracle::mutual_exclusion;
  };

  void clear();
  /// The clock of a server, which must outlive the run.
  void set_clock(std::size_t node, const LocalClock& clock);
  /// Declares a lock key and returns its index.
  std::size_t lock_key(std::size_t node, std::string_view name);
  /// Declared keys that are there before anybody has done anything: they are nobody's.
  void adopt(std::size_t node, const Inspector& server);
  /// Declares a lock key that `worker` already claims to hold.
  std::size_t claimed_key(std::size_t node, std::string_view name, std::size_t worker, Instant now,
                          const Inspector& server);
  const std::vector<LockKey>& lock_keys() const { return keys_; }
  const Stay& stay(std::size_t slot) const { return stays_[slot]; }
  /// Whether the worker is inside anything.
  bool is_inside(std::size_t worker) const;
  void set_room(std::size_t exclusive, Room room);
  Properties& properties() { return properties_; }
  const Properties& properties() const { return properties_; }
  Histories& histories() { return histories_; }
  const Histories& histories() const { return histories_; }

  /// Since when a lock key has been missing, in the world's time; nullopt if it is there.
  std::optional<Instant> free_since(std::size_t key) const;
  /// Whether the key is there, and is what `worker` wrote.
  bool is_holder(std::size_t key, std::size_t worker) const {
    return keys_[key].present && keys_[key].writer == worker;
  }
  /// What a broken property is, after what the faults have done.
  Class blame() const { return excused_ ? Class::documented_limit : Class::violation; }

  /// Worker `worker` enters; returns the slot of its stay.
  std::size_t enter(std::size_t exclusive, std::size_t worker, Instant now,
                    const std::vector<WorkerFacts>& workers, std::int64_t weight = 1,
                    std::optional<Instant> until = {});
  /// The same with a claim.
  std::size_t enter(std::size_t exclusive, std::size_t worker, std::size_t key,
                    std::string_view token, std::optional<Instant> until, Instant now,
                    const std::vector<WorkerFacts>& workers, const Inspector& server);
  void leave(std::size_t slot) { stays_[slot].active = false; }
  /// Ends all stays and waits of a worker that is gone. False if there were none.
  bool abandon(std::size_t worker);

  /// Called before a command runs on `node`: what has expired since has no owner any more.
  void expire(std::size_t node, Instant now);
  /// Called after a command of `worker` has changed `node`.
  void changed(std::size_t node, std::size_t worker, Instant now, const Inspector& server);
  /// Called when a fault has changed `node`: nobody's doing. `excuses`: afterwards two holders, or
  /// one without a key, are a documented limit.
  void disturbed(std::size_t node, Instant now, const Inspector& server, bool excuses);
  /// Called when time has gone on to `now`.
  void time_passed(Instant now, const std::vector<WorkerFacts>& workers);
  /// Called when a worker has gone and nothing of it is on its way: its keys must have a TTL.
  void gone(std::size_t worker);

  /// A hash of who owns which lock key.
  std::uint64_t owners() const { return owners_; }
  /// A hash of what the oracles remember of the run, their findings apart; of instants, how far
  /// they are from `origin`.
  std::uint64_t state(Instant origin) const;

  /// All that a run changes, for checkpoints.
  const OraclesMoment& moment() const { return *this; }
  void put_back(const OraclesMoment& moment) { OraclesMoment::operator=(moment); }

  /// The first violation; until there is one, the first documented limit.
  const Finding& finding() const { return finding_; }
  void report(const Finding& finding);

 private:
  std::size_t new_stay(std::size_t exclusive, std::size_t worker);
  Room room_of(std::size_t exclusive) const {
    return exclusive < rooms_.size() ? rooms_[exclusive] : Room{};
  }
  void check_overlap(std::size_t slot, Instant now, const std::vector<WorkerFacts>& workers);
  void check_claim(const Stay& stay, Instant now, const Inspector& server);
  std::size_t entry(std::size_t node, std::string_view name);
  void look(std::size_t index, std::size_t worker, Instant now, const Inspector& server);
  void set_writer(LockKey& key, std::size_t worker);
  void count_owners();

  bool is_past(const LockKey& key, Instant now) const;

  std::vector<const LocalClock*> clocks_;  ///< By node.
  std::vector<Room> rooms_;                ///< By section; those that are not there are exclusive.
  Properties properties_;
  Histories histories_;
};

}  // namespace picklock::race
