// Where a run tells its story, if anybody listens: events for the timeline.
//
// Only runs that are drawn have a recorder; the search itself builds no text.
#pragma once

#include <cstdint>
#include <optional>
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
    cut,  ///< The connection of `actor` to `node` broke: nothing on its way is answered.
  };
  /// A lock key on the server, after the event.
  struct Key {
    std::string name;
    bool present = false;
    std::string owner;               ///< Empty: nobody.
    std::string token;               ///< Its value; of a hash its owner.
    std::optional<Instant> until{};  ///< Its last instant, world time; nothing: for ever.
    bool operator==(const Key&) const = default;
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
  std::size_t node = 0;     ///< Of send, execute, reply and cut: which server.
  std::string token{};      ///< Of enter: what the worker believes to hold.
  std::vector<Key> keys{};  ///< The lock keys of server `keys_of`, if they changed.
  std::size_t keys_of = 0;
  bool operator==(const Event&) const = default;
};

/// Which of a worker's stays ends when it leaves `section`, by the texts with which they began; who
/// is in two sections may leave them in either order. Their number if there is none.
inline std::size_t find_stay(const std::vector<std::string>& stays, const std::string& section) {
  for (std::size_t i = stays.size(); i-- > 0;) {  // See phrase_entry().
    if (stays[i] == section || stays[i] == section + " for ever" ||
        stays[i].starts_with(section + " until "))
      return i;
  }
  return stays.size();
}

struct Recorder {
  std::vector<std::string> workers;
  std::vector<std::string> servers;
  Instant start{};
  std::vector<Event> events;

  void add(Event event) { events.push_back(std::move(event)); }
  /// The last event has left these keys on server `server`.
  void note_keys(std::size_t server, std::vector<Event::Key> keys) {
    if (events.empty()) return;
    events.back().keys = std::move(keys);
    events.back().keys_of = server;
  }
};

}  // namespace picklock::race
