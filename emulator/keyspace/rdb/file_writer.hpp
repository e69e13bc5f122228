// Writes a whole RDB file, version 10, part by part, as SAVE of Redis 7.0 does.
//
// The caller says the parts in Redis's order: auxiliary fields, libraries, databases by number,
// finish(). Borrows the options. A value; not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/database.hpp"
#include "emulator/keyspace/rdb/options.hpp"
#include "emulator/keyspace/rdb/writer.hpp"

namespace picklock::rdb {

class FileWriter {
 public:
  /// What is written of how a key was used: it depends on maxmemory-policy.
  enum class Uses : std::uint8_t { none, idle, frequency };

  explicit FileWriter(const Options& options);

  void auxiliary(std::string_view name, std::string_view value);
  void library(std::string_view code);
  /// All its keys, expired ones included, as Redis does; nothing for a database without keys.
  void database(int number, const Database& database, Uses uses, std::int64_t now_ms);
  /// The file. Without its checksum (rdbchecksum no) it ends in zeros.
  std::string finish(bool with_checksum);

 private:
  void key(std::string_view name, const KeyEntry& entry);
  void use(const UseClock& use, const UseCounting& counting, Uses uses, std::int64_t now_ms);

  Writer writer_;
};

}  // namespace picklock::rdb
