// Where a run tells its story, if anybody listens: events for the timeline.
//
// Only runs that are drawn have a recorder; the search itself builds no text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <picklock/clock.hpp>

namespace picklock::race {

struct Event {
  enum class Kind : std::uint8_t {
    send,
    execute,
    reply,
    enter,
    leave,
    pause,
    resume,
    crash,
    finish,
    wait,
    fault,
    finding,
  };
  Kind kind = Kind::send;
  Instant at{};
  bool on_server = false;
  std::size_t actor = 0;  ///< The worker, or the server if `on_server`.
  std::string text;
  std::string more{};  ///< Of execute: what became of the lock keys.
  Instant until{};     ///< The end of a pause, a wait or a fault.
  /// Of send, execute and reply: the same for a request, its execution and its reply; 0: none.
  std::uint64_t message = 0;
};

struct Recorder {
  std::vector<std::string> workers;
  std::vector<std::string> servers;
  Instant start{};
  std::vector<Event> events;

  void add(Event event) { events.push_back(std::move(event)); }
};

}  // namespace picklock::race
