// The ids of options: an actor and what it would do, in a small number.
//
// They stand in replay strings: a number keeps its meaning for ever, new ones get new numbers.
#pragma once

#include <cstdint>

namespace picklock::race {

/// What can happen in one step.
enum class Step : std::uint8_t {
  resume = 0,   ///< A ready worker runs to its next await.
  request = 1,  ///< The oldest request of a connection reaches its server, which answers.
  reply = 2,    ///< The oldest reply of a connection reaches its worker.
  time = 3,     ///< Time goes on to the next instant that matters.
  crash = 4,    ///< A ready worker vanishes.
  freeze = 5,   ///< A ready worker stands still for a while (a Kind::duration choice follows).
};

/// The actor is the worker (resume, crash, freeze), or the connection: worker + 16 × node.
constexpr std::uint32_t step_id(Step step, std::uint32_t actor) {
  return actor << 3 | static_cast<std::uint32_t>(step);
}
constexpr Step step_of(std::uint32_t id) { return static_cast<Step>(id & 7); }
constexpr std::uint32_t actor_of(std::uint32_t id) { return id >> 3; }

inline constexpr std::size_t kMostWorkers = 16;
constexpr std::uint32_t connection_actor(std::size_t worker, std::size_t node) {
  return static_cast<std::uint32_t>(worker + kMostWorkers * node);
}

/// Durations are named by what they end at, so that they survive a shift of the run in time.
enum class Until : std::uint8_t {
  least = 0,
  most = 1,
  short_menu = 2,   ///< 10 ms.
  middle_menu = 3,  ///< 100 ms.
  long_menu = 4,    ///< 10 s, beyond what a lock usually lives.
  deadlines =
      8,  ///< 8 + 4 × node + (0: 1 ms before, 1: at, 2: 1 ms after) the node's next deadline.
};
constexpr std::uint32_t deadline_id(std::size_t node, std::uint32_t offset) {
  return static_cast<std::uint32_t>(Until::deadlines) + static_cast<std::uint32_t>(node) * 4 +
         offset;
}

}  // namespace picklock::race
