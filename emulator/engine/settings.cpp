#include "emulator/engine/settings.hpp"

#include "emulator/engine/eviction.hpp"

namespace picklock {

void apply_settings(Engine& engine,
                    std::span<const std::pair<const Setting*, std::string>> wanted) {
  for (const auto& [setting, value] : wanted) {
    // Redis applies what differs from before: passwords that ACL SETUSER has given stay otherwise.
    const bool is_password =
        setting->name == "requirepass" && engine.config.get("requirepass") != value;
    engine.config.put(setting->name, value);
    if (setting->name == "tracking-table-max-keys") engine.tracking.has_new_limit = true;
    if (is_password) engine.acl.set_default_password(value);
  }
  const Watching& watching = engine.config.watching();
  if (watching.slower_than >= 0) engine.slow_log.trim(watching.slow_log_size);
  engine.keyspace.keep_notes(engine.wants_notes());
  engine.keyspace.count_uses(engine.config.use_counting());
  engine.review_guards();
  evict(engine);
}

}  // namespace picklock
