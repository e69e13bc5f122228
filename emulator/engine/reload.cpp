#include "emulator/engine/reload.hpp"

#include <utility>
#include <vector>

#include "emulator/engine/rdb_options.hpp"
#include "emulator/keyspace/rdb/payload.hpp"

namespace picklock {
namespace {

/// `entry` written and read; as it is where the format has no place for it.
KeyEntry reread(const KeyEntry& entry, const rdb::Options& options) {
  KeyEntry copy = entry;
  if (auto loaded = rdb::read_payload(rdb::write_payload(entry, options), options)) {
    copy.value = std::move(loaded->value);
    copy.form = loaded->form;
  }
  return copy;
}

}  // namespace

void reload_keyspace(Engine& engine, std::int64_t now_ms) {
  const rdb::Options options = rdb_options(engine);
  for (Database& database : engine.keyspace.used()) {
    std::vector<std::pair<std::string, KeyEntry>> kept;
    database.keys().for_each([&](const auto& entry) {
      if (database.peek(entry.key, now_ms))
        kept.emplace_back(entry.key, reread(entry.value, options));
    });
    database.clear();
    database.keep_notes(false);  // A key that is read from a file is no new one.
    for (auto& [key, entry] : kept) {
      database.put_until(key, std::move(entry.value), entry.deadline_ms);
      database.set_form(key, entry.form);
      database.set_use(key, entry.use);
    }
    database.forget_changed_keys();  // Who caches them has been told to forget all.
  }
  engine.keyspace.keep_notes(engine.wants_notes());
  engine.functions.restore(engine.functions.save(), engine.functions.cjson());
}

}  // namespace picklock
