#include "emulator/commands/context.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"

namespace picklock {

void Context::wrong_type() {
  failed = true;
  reply.error(errors::kWrongType);
}

KeyEntry* Context::edit_without_use(std::string_view key) {
  const KeyEntry* entry = look(key);
  if (!entry) return nullptr;
  const UseClock use = entry->use;
  KeyEntry* edited = db().edit(key, now_ms);
  edited->use = use;
  return edited;
}

void Context::replicate_as(std::span<const std::string_view> words) {
  if (!effects) return;
  effects->effect_instead(database, words);
  replicated = Replicated::never;
}

void Context::replicate_apart(std::initializer_list<std::string_view> words) {
  if (!effects) return;
  effects->effect(database, words);
  replicated = Replicated::never;
}

void Context::replicate_deadline(std::string_view key, std::int64_t deadline_ms) {
  if (effects) replicate_as({"PEXPIREAT", key, to_text(deadline_ms)});
}

void Context::missed(std::string_view key) {
  // Redis: only lookups for reading tell that there was nothing.
  if (command->has(kReadonly)) return told_missed(key);
  events->publish_notes();
}

void Context::told_missed(std::string_view key) {
  events->publish_notes();
  event(EventClass::missed, "keymiss", key);
}

}  // namespace picklock
