// The ids of options: an actor and what it would do, in a small number.
//
// They stand in replay strings: a number keeps its meaning for ever, new ones get new numbers.
#pragma once

#include <cstdint>

#include <picklock/race/choice.hpp>

namespace picklock::race {

/// What can happen in one step.
enum class Step : std::uint8_t {
  resume = 0,        ///< A ready worker runs to its next await.
  request = 1,       ///< The oldest request of a connection reaches its server, which answers.
  reply = 2,         ///< The oldest reply of a connection reaches its worker.
  time = 3,          ///< Time goes on to the next instant that matters.
  crash = 4,         ///< A ready worker vanishes.
  freeze = 5,        ///< A ready worker stands still for a while (a Kind::duration choice follows).
  lose_request = 6,  ///< The oldest request of a connection vanishes, and the connection breaks.
  lose_reply = 7,    ///< The same of the oldest reply.
  repeat = 8,        ///< The oldest request is carried out, and stays on its way.
  reset = 9,         ///< A connection breaks.
  partition = 10,    ///< A connection lets nothing pass (a Kind::duration choice follows).
  restart = 11,      ///< A server restarts (a Kind::fault choice follows).
  flush_scripts = 12,
  server_clock = 13,  ///< A server's clock jumps (a Kind::fault choice follows).
  wall_clock = 14,    ///< A worker's wall clock jumps (a Kind::fault choice follows).
  evict = 15,         ///< A lock key goes.
  refuse = 16,     ///< The oldest request is answered by an error (a Kind::fault choice follows).
  orphan = 17,     ///< A request that its sender has given up reaches its server.
  failover = 18,   ///< A replica takes its primary's place (Kind::fault choices follow).
  lag = 19,        ///< A replica hears nothing for a while (a Kind::duration choice follows).
  replicate = 20,  ///< A replica carries out all that it has been sent.
};

/// The actor is the worker (resume, crash, freeze, wall_clock), the connection (worker + 16 × node:
/// everything about messages), the server (restart, flush_scripts, server_clock), the replica
/// (failover, lag, replicate), or the lock key.
constexpr std::uint32_t step_id(Step step, std::uint32_t actor) {
  return actor << 5 | static_cast<std::uint32_t>(step);
}
constexpr Step step_of(std::uint32_t id) { return static_cast<Step>(id & 31); }
constexpr std::uint32_t actor_of(std::uint32_t id) { return id >> 5; }
constexpr bool is_of_connection(Step step) {
  return step == Step::request || step == Step::reply || step == Step::orphan ||
         (step >= Step::lose_request && step <= Step::partition) || step == Step::refuse;
}
constexpr bool is_of_worker(Step step) {
  return step == Step::resume || step == Step::crash || step == Step::freeze ||
         step == Step::wall_clock;
}
constexpr bool is_fault(Step step) {
  return step >= Step::crash && step != Step::orphan && step != Step::replicate;
}

inline constexpr std::size_t kMostWorkers = 16;
constexpr std::uint32_t connection_actor(std::size_t worker, std::size_t node) {
  return static_cast<std::uint32_t>(worker + kMostWorkers * node);
}

/// A step to choose. What it would touch is known only of requests: they go to one server,
/// everything else to one worker.
constexpr Option option_of(Step step, std::uint32_t actor, std::uint16_t weight = kUsualWeight) {
  const bool on_server = step == Step::request || step == Step::orphan;
  const std::size_t node = on_server ? actor / kMostWorkers : 0xff;
  return {.id = step_id(step, actor),
          .weight = weight,
          .operation = {.node = static_cast<std::uint8_t>(node), .writes = on_server}};
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

/// By how much a clock jumps. "Deadline": the next one of a key.
enum class Jump : std::uint8_t {
  past_deadline = 0,
  half_to_deadline = 1,
  hour = 2,
  back_second = 3,
  back_hour = 4,
  tick = 5,  ///< 1 ms.
  back_tick = 6,
  freeze = 7,  ///< It stands still from now on.
};
inline constexpr std::uint32_t kJumps = 8;

/// What a refused request is answered.
enum class Refusal : std::uint8_t { loading = 0, read_only = 1, out_of_memory = 2, busy = 3 };
inline constexpr std::uint32_t kRefusals = 4;

/// What becomes of the old primary when a replica takes its place.
enum class Failover : std::uint8_t {
  dead = 0,
  demoted = 1,  ///< It follows the new one.
  cut_off = 2,  ///< 2 + worker: it goes on, and so does this worker at it.
};

/// How a clock runs.
enum class Drift : std::uint8_t { none = 0, fast = 1, slow = 2 };

}  // namespace picklock::race
