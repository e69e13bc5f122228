// Certifying a shrunk failure: no shorter one exists.
//
// Goes through all schedules of the same workers and kinds of faults that have no more faults and
// fewer steps, depth first; a state that was met before after as few steps and faults is cut off.
// What is shorter, if anything, takes the failure's place. A worker is taken to know what it was
// told, and of times those that it has read off a clock (Simulation::Times). Sound for programs
// that take all from their world, and for workers that share nothing but their servers and what
// World::shares() declares.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "fuzz/search/shrink.hpp"

namespace picklock::race {

struct Certificate {
  Failure shortest;
  std::uint64_t states = 0;
  /// False: there are more states than allowed; what was found until then is given.
  bool complete = false;
};

/// The shortest failures of one scenario that have been certified: what failures of the same kind,
/// workers and kinds of faults can be no shorter than.
class Minima {
 public:
  /// Null: none is known.
  const Failure* find(const Failure& failure) const;
  /// `shortest` is as short as any that is made of what `failure` is made of.
  void add(const Failure& failure, Failure shortest);

 private:
  struct Minimum {
    Failure of;
    Failure shortest;
  };
  std::vector<Minimum> minima_;
};

struct CertifyOptions {
  std::uint64_t most_states = 0;
  Minima* minima = nullptr;  ///< The scenario's; they grow. May be null.
  /// Told: more states, but right even if workers share what World::shares() has not been told of.
  Simulation::Times times = Simulation::Times::read;
  /// The search ends early, and then incomplete, when this is set. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then, to show that the search is alive. May be empty.
  std::function<void(const Progress&)> progress;
};

/// `failure` must be of a run whose choices fit to the letter.
Certificate certify(Simulation& simulation, const Scenario& scenario, Failure failure,
                    const CertifyOptions& options);

}  // namespace picklock::race
