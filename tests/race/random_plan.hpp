// What happens in a world made at random: who sends what, and what may go wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <picklock/race.hpp>

namespace picklock::race {

/// One thing that a worker does.
struct PlannedStep {
  enum class Kind : std::uint8_t {
    request,   ///< Sends `words` and waits for the reply.
    pipeline,  ///< Sends `words` and `more` at once, and waits for both replies, or some time.
    sleep,
    pause,
    hear,  ///< Waits for messages.
  };
  Kind kind = Kind::request;
  std::size_t node = 0;
  std::vector<std::string> words{};
  std::vector<std::string> more{};
  std::chrono::milliseconds time{1};
  bool only_after_success = false;  ///< Left out if the step before was told nil or 0, or nothing.
  bool enters = false;  ///< Takes the key for a lock that it has now, up to the next step's end.
  bool only_when_drawn = false;  ///< Left out unless a number that the worker draws is even.
  /// A step that took longer, by the worker's clock, was too late. 0: none is.
  std::chrono::milliseconds limit{0};
};

struct Plan {
  std::vector<std::vector<PlannedStep>> workers;
  std::size_t nodes = 1;
  std::size_t replicas = 0;  ///< Of the first server; they come last among them.
  bool has_lock = false;     ///< The key "a" on the first server is one, and oracles watch it.
  /// Somebody looks at everything in the end. If nobody does, an end is what one worker was told.
  bool asks_at_rest = false;
  bool values = false;       ///< Workers are values, and the exhaustive search copies the world.
  bool blocks = false;       ///< Workers are code that blocks, on threads.
  bool names_state = false;  ///< Workers say what their state is.
  bool prompt = false;
  bool timeless = false;
  Faults faults = Faults::none();
  std::chrono::milliseconds max_delay{0};
};

/// The same for the same seed.
Plan make_plan(std::uint64_t seed);

std::ostream& operator<<(std::ostream& out, const Plan& plan);

}  // namespace picklock::race
