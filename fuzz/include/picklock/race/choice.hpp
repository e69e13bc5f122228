// Choices: every decision of a simulated run that could fall otherwise.
//
// A run is its list of choices: whoever answers the same questions the same way gets the same run,
// byte for byte. Choosers answer; the simulated world asks. Options have stable ids, never
// positions, so that a list keeps its meaning when one entry is taken out. Not thread-safe; one
// chooser serves one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#pragma GCC visibility push(default)

namespace picklock::race {

/// What is being decided. The numbers stand in replay strings: never reuse one.
enum class Kind : std::uint8_t {
  step = 0,      ///< Which enabled event happens next.
  duration = 1,  ///< How long a pause lasts.
  data = 2,      ///< A value that the code under test draws.
  fault = 3,     ///< Which variant of a fault strikes.
};

/// What taking an option would touch: room for partial-order reduction and coverage.
struct Operation {
  std::uint8_t node = 0xff;  ///< 0xff: no node.
  /// Whether it may change what it touches.
  bool writes = true;
  std::uint32_t object = 0;  ///< 0: unknown, depends on everything.
};

/// How likely an ordinary step is.
inline constexpr std::uint16_t kUsualWeight = 16;

/// One of the things that can happen next.
struct Option {
  /// Means the same in every run of a scenario: the actor and what it would do.
  std::uint32_t id = 0;
  /// How likely a random chooser takes it beside the others; faults are rarer than steps.
  std::uint16_t weight = kUsualWeight;
  /// What it would touch.
  Operation operation{};
};

/// One decision, as a trace keeps it.
struct Choice {
  Kind kind = Kind::step;  ///< What was decided.
  std::uint32_t id = 0;    ///< Option::id of what was taken.
  bool operator==(const Choice&) const = default;
};

/// Decides what happens next, where more than one thing can.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// Returns the position of the option to take, or options.size() to end the run here. Asked only
  /// when there are at least two options: a single one is no choice.
  virtual std::size_t pick(Kind kind, std::span<const Option> options) = 0;
  /// Whether foresee() is to be called: asked once a run.
  virtual bool foresees() const { return false; }
  /// Told before the options of a step are gathered, for those who have something to prepare for
  /// pick(); not where hardly any step has two (ExploreOptions::prompt).
  virtual void foresee() {}
  /// Told of a step that has no alternative. False ends the run before it.
  virtual bool goes_on([[maybe_unused]] const Option& only) { return true; }
};

}  // namespace picklock::race

#pragma GCC visibility pop
