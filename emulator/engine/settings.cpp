#include "emulator/engine/settings.hpp"

#include "emulator/engine/eviction.hpp"

namespace picklock {

void apply_settings(Engine& engine,
                    std::span<const std::pair<const Setting*, std::string>> wanted) {
  for (const auto& [setting, value] : wanted) engine.config.put(setting->name, value);
  for (const auto& [setting, value] : wanted)
    if (setting->name == "requirepass") engine.acl.set_default_password(value);
  engine.keyspace.keep_notes(engine.wants_notes());
  engine.keyspace.count_uses(engine.config.use_counting());
  engine.review_guards();
  evict(engine);
}

}  // namespace picklock
