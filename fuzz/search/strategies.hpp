// The strategies: ways to pick schedules that find different bugs fast.
//
// Each is a Chooser that is begun anew for every schedule and depends on nothing but its seed, the
// budget of faults it is given and what it measured on schedules before it in the same slice (see
// portfolio.hpp). Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <picklock/race/choice.hpp>
#include <picklock/race/faults.hpp>

#include "emulator/base/random.hpp"
#include "fuzz/world/reused.hpp"

namespace picklock::race {

/// A set of kinds of faults: one bit for each, by its number.
using FaultSet = std::uint32_t;
inline constexpr FaultSet kEveryFault = ~FaultSet{0};

/// The kind of fault that a choice of Kind::step is; none if it is no fault.
FaultSet fault_of(std::uint32_t id);
/// Whether the option is no fault, or one of `allowed`.
bool is_allowed(Kind kind, const Option& option, FaultSet allowed);

/// What the strategies know of the scenario: how long its schedules are and who acts how often.
struct Habits {
  std::uint32_t choices = 32;         ///< Of kind step, in a typical schedule.
  std::vector<std::uint32_t> events;  ///< By actor (actor_place()).
};
/// Workers have their own place for all that they do, messages included; time has one, too.
std::size_t actor_place(std::uint32_t id);
inline constexpr std::size_t kActorPlaces = 17;

/// Random walk: every option as likely as its weight says.
class WalkChooser : public Chooser {
 public:
  void begin(std::uint64_t seed, FaultSet allowed);
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 protected:
  std::size_t pick_at_random(Kind kind, std::span<const Option> options);
  /// A place at random, by sums_.
  std::size_t draw_place();
  Random random_;
  FaultSet allowed_ = kEveryFault;
  Reused<std::uint64_t> sums_;  ///< Of the weights of the options up to each.
};

/// Uniform random walk: actors are as likely as they have events left, so that every interleaving
/// of the same events is about as likely as any other.
class UniformChooser final : public WalkChooser {
 public:
  void begin(std::uint64_t seed, FaultSet allowed, const Habits& habits);
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  std::vector<std::uint32_t> left_;  ///< Events, by actor_place().
};

/// Probabilistic concurrency testing: a random order of actors that changes at depth - 1 random
/// points; a fault may strike at such a point, too. Source: Burckhardt et al., ASPLOS 2010.
class PriorityChooser final : public WalkChooser {
 public:
  void begin(std::uint64_t seed, FaultSet allowed, const Habits& habits, std::uint32_t depth);
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  std::vector<std::uint32_t> priorities_;
  std::vector<std::uint32_t> changes_;  ///< At which steps.
  std::size_t next_ = 0;                ///< Of them.
  std::uint32_t step_ = 0;
  std::uint32_t lowest_ = 0;
};

/// Partial-order sampling: every event gets a random priority when it appears, and a new one when
/// it has lost a race. Source: Yuan et al., CAV 2018.
class PartialOrderChooser final : public WalkChooser {
 public:
  void begin(std::uint64_t seed, FaultSet allowed);
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  struct Pending {
    std::uint32_t id = 0;
    std::uint32_t priority = 0;
    std::uint8_t node = 0xff;
  };
  Pending& find(const Option& option);
  std::uint32_t draw(const Option& option);
  std::vector<Pending> pending_;
  std::vector<std::size_t> places_;  ///< By an option's id: its place in pending_, plus 1; or 0.
};

/// The tamest schedule, but for a few points at which something else happens. Source: Emmi et al.,
/// POPL 2011.
class DelayChooser final : public WalkChooser {
 public:
  void begin(std::uint64_t seed, FaultSet allowed, const Habits& habits, std::uint32_t delays);
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  std::vector<std::uint32_t> delays_;  ///< At which steps.
  std::size_t next_ = 0;               ///< Of them.
  std::uint32_t step_ = 0;
};

/// Follows a schedule that was worth something up to a random point, then walks at random; or
/// changes one choice of it.
class MutationChooser final : public WalkChooser {
 public:
  /// `parent` must outlive the schedule.
  void begin(std::uint64_t seed, FaultSet allowed, std::span<const Choice> parent);
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  std::span<const Choice> parent_;
  std::size_t next_ = 0;
  std::size_t cut_ = 0;
  bool once_ = false;
};

}  // namespace picklock::race
