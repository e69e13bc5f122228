// Keyspace notifications: what a command tells about the keys that it has changed.
//
// The classes are those of `notify-keyspace-events`. A handler names the event, the engine
// publishes it if the setting asks for its class.
#pragma once

#include <cstdint>
#include <string_view>

namespace picklock {

enum class EventClass : std::uint16_t {
  generic = 1 << 0,      // g: DEL, EXPIRE...
  string = 1 << 1,       // $
  list = 1 << 2,         // l
  set = 1 << 3,          // s
  hash = 1 << 4,         // h
  sorted_set = 1 << 5,   // z
  expired = 1 << 6,      // x
  evicted = 1 << 7,      // e
  stream = 1 << 8,       // t
  module_type = 1 << 9,  // d
  made = 1 << 10,        // n
  missed = 1 << 11,      // m
};

/// Publishes keyspace notifications, and tells clients that cache keys; there is one only while the
/// setting or a client asks for that.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// `name` has happened to `key` of the numbered database.
  virtual void event(EventClass event_class, std::string_view name, std::string_view key,
                     int database) = 0;
  /// Clients that cache keys hear of what has changed so far; they do at the end of the command,
  /// too.
  virtual void tell_changes() = 0;
  /// Publishes what the databases have noted by themselves: keys that expired or were made.
  virtual void publish_notes() = 0;
};

}  // namespace picklock
