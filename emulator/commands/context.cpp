#include "emulator/commands/context.hpp"

#include "emulator/commands/errors.hpp"

namespace picklock {

void Context::wrong_type() {
  failed = true;
  reply.error(errors::kWrongType);
}

void Context::missed(std::string_view key) {
  events->publish_notes();
  // Redis: only lookups for reading tell that there was nothing.
  if (command->has(kReadonly)) event(EventClass::missed, "keymiss", key);
}

}  // namespace picklock
