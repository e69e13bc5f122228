// The setting notify-keyspace-events, and the channels on which notifications are published.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/commands/events.hpp"

namespace picklock {

class Engine;
struct KeyNote;

/// Which notifications are published, and on which kind of channel.
struct EventSettings {
  std::uint16_t classes = 0;  ///< A set of EventClass.
  bool keyspace = false;      ///< K: __keyspace@<db>__:<key>
  bool keyevent = false;      ///< E: __keyevent@<db>__:<event>

  bool any() const { return classes != 0 && (keyspace || keyevent); }
  bool wants(EventClass event_class) const {
    return (classes & static_cast<std::uint16_t>(event_class)) != 0;
  }
};

/// Reads the setting's letters; nullopt if one is none of them.
std::optional<EventSettings> parse_event_settings(std::string_view letters);
/// The letters as CONFIG GET shows them. Redis 7.0: keyspaceEventsFlagsToString, in which A hides
/// n.
std::string to_letters(const EventSettings& settings);

/// Publishes one event as the engine's setting asks for.
void notify(Engine& engine, EventClass event_class, std::string_view name, std::string_view key,
            int database);
/// The same for what happened without a command naming the key.
void notify(Engine& engine, const KeyNote& note, int database);

}  // namespace picklock
