#include "emulator/engine/notifications.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {

namespace {

/// The letters of the classes from bit 0 on; those before kBeyondAll make up A.
constexpr std::string_view kLetters = "g$lshzxetdnm";
constexpr std::size_t kBeyondAll = 10;
constexpr std::uint16_t kAll = (1 << kBeyondAll) - 1;
constexpr auto kMissed = static_cast<std::uint16_t>(EventClass::missed);

}  // namespace

std::optional<EventSettings> parse_event_settings(std::string_view letters) {
  EventSettings settings;
  for (const char letter : letters) {
    const std::size_t bit = kLetters.find(letter);
    if (letter == 'A')
      settings.classes |= kAll;
    else if (letter == 'K')
      settings.keyspace = true;
    else if (letter == 'E')
      settings.keyevent = true;
    else if (bit != std::string_view::npos)
      settings.classes = static_cast<std::uint16_t>(settings.classes | (1 << bit));
    else
      return std::nullopt;
  }
  return settings;
}

std::string to_letters(const EventSettings& settings) {
  std::string text;
  if ((settings.classes & kAll) == kAll) {
    text = "A";
  } else {
    for (std::size_t bit = 0; bit <= kBeyondAll; ++bit)
      if (settings.classes & (1 << bit)) text += kLetters[bit];
  }
  if (settings.keyspace) text += 'K';
  if (settings.keyevent) text += 'E';
  if (settings.classes & kMissed) text += 'm';
  return text;
}

void notify(Engine& engine, EventClass event_class, std::string_view name, std::string_view key,
            int database) {
  const EventSettings& settings = engine.config.events();
  if (!settings.wants(event_class)) return;
  const std::string suffix = "@" + to_text(database) + "__:";
  if (settings.keyspace) publish(engine, "__keyspace" + suffix + std::string{key}, name);
  if (settings.keyevent) publish(engine, "__keyevent" + suffix + std::string{name}, key);
}

void notify(Engine& engine, const KeyNote& note, int database) {
  switch (note.kind) {
    case KeyNote::Kind::expired:
      return notify(engine, EventClass::expired, "expired", note.key, database);
    case KeyNote::Kind::made:
      return notify(engine, EventClass::made, "new", note.key, database);
    case KeyNote::Kind::fields_expired:
      return notify(engine, EventClass::hash, "hexpired", note.key, database);
    case KeyNote::Kind::emptied:
      return notify(engine, EventClass::generic, "del", note.key, database);
  }
}

}  // namespace picklock
