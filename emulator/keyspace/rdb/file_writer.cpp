#include "emulator/keyspace/rdb/file_writer.hpp"

#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"

namespace picklock::rdb {

FileWriter::FileWriter(const Options& options) : writer_(options) {
  writer_.write_bytes("REDIS00" + std::to_string(kVersion));
}

void FileWriter::auxiliary(std::string_view name, std::string_view value) {
  writer_.write_byte(kMarkAuxiliary);
  writer_.write_string(name);
  writer_.write_string(value);
}

void FileWriter::library(std::string_view code) {
  writer_.write_byte(kMarkFunction);
  writer_.write_string(code);
}

// Redis 7.0: rdbSaveDb, rdbSaveKeyValuePair.
void FileWriter::database(int number, const Database& database, Uses uses, std::int64_t now_ms) {
  if (database.size() == 0) return;
  writer_.write_byte(kMarkDatabase);
  writer_.write_length(static_cast<std::uint64_t>(number));
  writer_.write_byte(kMarkSizes);
  writer_.write_length(database.size());
  writer_.write_length(database.volatile_size());
  database.keys().for_each([&](const auto& entry) {
    const KeyEntry& value = entry.value;
    if (value.deadline_ms != kNoDeadline) {
      writer_.write_byte(kMarkDeadlineMs);
      writer_.write_number(static_cast<std::uint64_t>(value.deadline_ms), 8);
    }
    use(value.use, database.counting(), uses, now_ms);
    key(entry.key, value);
  });
}

void FileWriter::use(const UseClock& use, const UseCounting& counting, Uses uses,
                     std::int64_t now_ms) {
  if (uses == Uses::idle) {
    writer_.write_byte(kMarkIdle);
    writer_.write_length(static_cast<std::uint64_t>(use.idle_seconds(now_ms)));
  } else if (uses == Uses::frequency) {
    writer_.write_byte(kMarkFrequency);
    writer_.write_byte(static_cast<std::uint8_t>(use.frequency(counting, now_ms)));
  }
}

void FileWriter::key(std::string_view name, const KeyEntry& entry) {
  writer_.write_type(Writer::type_of(entry));
  writer_.write_string(name);
  writer_.write_value(entry);
}

std::string FileWriter::finish(bool with_checksum) {
  writer_.write_byte(kMarkEnd);
  std::string file = writer_.take();
  append_little_endian(file, with_checksum ? crc64(file) : 0, 8);
  return file;
}

}  // namespace picklock::rdb
