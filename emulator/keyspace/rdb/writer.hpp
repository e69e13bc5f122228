// Writes values in the RDB format, version 10, as Redis 7.0 does.
//
// Knows values only: the frame of a DUMP payload is payload.hpp. Values of which Redis keeps a hash
// table come in order of insertion. A value; not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/database.hpp"
#include "emulator/keyspace/rdb/options.hpp"
#include "emulator/keyspace/rdb/types.hpp"

namespace picklock::rdb {

class Writer {
 public:
  explicit Writer(const Options& options) : options_(options) {}

  /// The type byte under which write_value() writes `entry`.
  static Type type_of(const KeyEntry& entry);

  void write_byte(std::uint8_t byte) { bytes_ += static_cast<char>(byte); }
  void write_type(Type type) { bytes_ += static_cast<char>(type); }
  void write_bytes(std::string_view bytes) { bytes_ += bytes; }
  /// The lowest `width` bytes of `number`, the lowest first.
  void write_number(std::uint64_t number, int width);
  void write_value(const KeyEntry& entry);

  void write_length(std::uint64_t length);
  /// As an integer, compressed, or as it is, whichever Redis chooses.
  void write_string(std::string_view text);
  void write_double(double value);

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  bool write_as_integer(std::string_view text);
  bool write_compressed(std::string_view text);
  void write(const KeyEntry& entry, const StringValue& text);
  void write(const KeyEntry& entry, const HashValue& hash);
  void write(const KeyEntry& entry, const ListValue& list);
  void write(const KeyEntry& entry, const SetValue& set);
  void write(const KeyEntry& entry, const SortedSet& zset);
  void write(const KeyEntry& entry, const Stream& stream);
  void write(const ConsumerGroup& group);
  void write_id(StreamId id);
  void write_raw_id(StreamId id);

  const Options& options_;
  std::string bytes_;
};

/// The listpack in which Redis keeps a node of a stream.
std::string stream_listpack(const StreamNode& node);

}  // namespace picklock::rdb
