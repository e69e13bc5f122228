// What workers have asked of the locks whose answers are judged (World::history).
//
// Part of Oracles, which tells it what happens and takes its findings. Everything lasts one run.
// Its moments count the events that it hears of, so that other steps do not tell states apart.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <picklock/race/history.hpp>

#include "fuzz/world/findings.hpp"

namespace picklock::race {

class Oracles;

/// What a run changes of the histories.
struct HistoriesMoment {
  struct Recorded : LockCall {
    std::size_t history = 0;
    std::size_t worker = 0;
    std::optional<Instant> until;  ///< In the world's time; nullopt: for good, or it has passed.
  };
  std::vector<Recorded> calls_;
  std::vector<Instant> events_;  ///< When each of them was.
};

class Histories : private HistoriesMoment {
 public:
  explicit Histories(Oracles& oracles) : oracles_(&oracles) {}
  void clear();
  bool empty() const { return declared_.empty(); }

  std::size_t add(std::string_view name, const LockModel& model);
  std::size_t begin(std::size_t history, std::size_t worker, LockCall::Kind kind,
                    std::int64_t permits, Instant now);
  void answer(std::size_t place, LockCall::Answer answer, std::optional<Instant> until,
              Instant now);
  std::size_t worker_of(std::size_t place) const { return calls_[place].worker; }
  /// A server has carried out a request of `worker`.
  void executed(std::size_t worker, Instant now);
  void time_passed(Instant now);
  /// When all is over.
  void judge();

  std::uint64_t state(Instant origin) const;
  const HistoriesMoment& moment() const { return *this; }
  void put_back(const HistoriesMoment& moment) { HistoriesMoment::operator=(moment); }

 private:
  struct Declared {
    std::size_t text = 0;
    LockModel model;
  };
  std::uint64_t happens(Instant now);
  void lapsed_unheard(Recorded& call);
  Oracles* oracles_;
  std::vector<Declared> declared_;
};

}  // namespace picklock::race
