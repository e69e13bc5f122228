#include "emulator/engine/save_rdb.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/engine/eviction.hpp"
#include "emulator/engine/rdb_options.hpp"
#include "emulator/keyspace/rdb/file_writer.hpp"

namespace picklock {
namespace {

using rdb::FileWriter;

// Redis 7.0: rdbSaveRio writes neither unless something could be evicted by it.
FileWriter::Uses uses_to_write(const Engine& engine) {
  const std::string_view policy = engine.config.get("maxmemory-policy");
  return policy.ends_with("lru")   ? FileWriter::Uses::idle
         : policy.ends_with("lfu") ? FileWriter::Uses::frequency
                                   : FileWriter::Uses::none;
}

// Redis 7.0: rdbSaveInfoAuxFields.
void write_auxiliary(FileWriter& file, const Engine& engine, std::int64_t now_ms,
                     const std::optional<HistoryPoint>& point) {
  file.auxiliary("redis-ver", engine.profile->version);
  file.auxiliary("redis-bits", "64");
  file.auxiliary("ctime", to_text(now_ms / 1000));
  file.auxiliary("used-mem", std::to_string(used_memory(engine)));
  if (point) {
    file.auxiliary("repl-stream-db", std::to_string(point->database));
    file.auxiliary("repl-id", point->id);
    file.auxiliary("repl-offset", to_text(point->offset));
  }
  file.auxiliary("aof-base", "0");
}

}  // namespace

std::string save_rdb(const Engine& engine, const std::optional<HistoryPoint>& point,
                     RdbParts parts) {
  const std::int64_t now_ms = to_unix_ms(engine.clock.now());
  const rdb::Options options = rdb_options(engine);
  const FileWriter::Uses uses = uses_to_write(engine);
  FileWriter file{options};
  write_auxiliary(file, engine, now_ms, point);
  if (parts.functions)
    engine.functions.libraries().for_each(
        [&](const auto& entry) { file.library(entry.value.code); });
  for (int i = 0; parts.keys && i < engine.keyspace.size(); ++i)
    if (const Database* database = engine.keyspace.at(i)) file.database(i, *database, uses, now_ms);
  return file.finish(engine.config.get("rdbchecksum") == "yes");
}

}  // namespace picklock
