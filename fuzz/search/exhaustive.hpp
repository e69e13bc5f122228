// Exhaustive search: every schedule within the bound, states that were met before cut off.
//
// Depth first. Where all workers are values, a run goes on from a copy of the state at the next
// untried choice; otherwise it replays the choices up to it. A state that was seen before can only
// go on as it did then, so a run that meets it ends there. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <picklock/race/choice.hpp>

#include "fuzz/search/digest_audit.hpp"
#include "fuzz/search/state_set.hpp"
#include "fuzz/world/checkpoint.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {

class ExhaustiveChooser final : public Chooser {
 public:
  explicit ExhaustiveChooser(Simulation& simulation) : simulation_(&simulation) {}

  /// The next run of the search. Another chooser may be asked in its place, which hands all
  /// questions on.
  Simulation::Result run(const Scenario& scenario, Chooser* instead = nullptr,
                         Class stop_at = Class::violation);
  std::size_t pick(Kind kind, std::span<const Option> options) override;
  bool foresees() const override { return true; }
  void foresee() override;
  bool goes_on(const Option& only) override;
  /// Call after each run: goes to the next untried choice. False when there is none.
  bool next();

  /// Whether a run has shown that states were left out: next() starts anew then.
  bool is_outdated() const { return simulation_->lessons() != lessons_; }

  /// Always replays.
  void never_fork() { forks_ = false; }
  /// Workers differ in their names only: of those that have not started, the first starts first.
  void assume_symmetry() { symmetric_ = true; }
  std::uint64_t states() const { return seen_.size(); }
  DigestAudit& digests() { return digests_; }
  /// Whether a run did otherwise than the run before it on the same choices.
  bool has_diverged() const { return diverged_; }
  /// How far the first levels of the tree are explored, from 0 to 1.
  double done() const;

 private:
  /// A choice on the present path, with the options that are still to be tried.
  struct Level {
    std::uint32_t first = 0;  ///< In options_: this level's, up to the next level's.
    std::uint32_t taken = 0;  ///< Counts from first.
    /// The first option is enough, unless oracles see it.
    bool local = false;
    std::uint64_t seen_events = 0;  ///< By oracles, before.
  };

  /// A state that was kept, and the level at whose choice.
  struct Fork {
    std::size_t level = 0;
    Simulation::Checkpoint state;
  };

  std::uint64_t state();
  void settle();
  bool is_new_state();
  void keep_state();
  void add_options(Kind kind, std::span<const Option> options, std::size_t first);

  Simulation* simulation_;
  bool symmetric_ = false;
  bool forks_ = true;
  bool diverged_ = false;
  int lessons_ = 0;  ///< Simulation::lessons(), as far as is known.
  std::vector<Level> path_;
  std::vector<std::uint32_t> options_;
  std::size_t depth_ = 0;
  std::vector<std::unique_ptr<Fork>> kept_;  ///< Along the path; then those to be used again.
  std::size_t kept_count_ = 0;
  bool unsettled_ = false;                 ///< Whether the last level is local is still to be seen.
  std::optional<std::uint64_t> foreseen_;  ///< The state at the choice to come.
  StateSet seen_;
  DigestAudit digests_;
};

}  // namespace picklock::race
