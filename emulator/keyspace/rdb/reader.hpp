// Reads values in the RDB format, up to version 10, those of older servers included.
//
// Made for hostile input: every length and every count is checked against what is there before
// memory is taken, listpacks and their kin are checked to the last byte, and what Redis would
// refuse with sanitize-dump-payload yes is refused. A value that borrows the bytes; not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/keyspace/database.hpp"
#include "emulator/keyspace/rdb/options.hpp"
#include "emulator/keyspace/rdb/types.hpp"

namespace picklock::rdb {

class Reader {
 public:
  Reader(std::string_view bytes, const Options& options) : rest_(bytes), options_(options) {}

  struct Loaded {
    Value value;
    Form form = Form::fresh;
  };

  /// Nullopt for a byte that is no type of a value, or one of a module.
  std::optional<Type> read_type();
  /// Nullopt for anything that is not sound; the reader must not be used any more then, unless
  /// only elements are missing.
  std::optional<Loaded> read_value(Type type);
  /// Whether the last value was sound, but without any element: old servers have saved such ones.
  bool was_empty() const { return was_empty_; }

  std::optional<std::uint8_t> read_byte();
  /// As Redis reads a length where no encoded string may stand: the number of an encoding counts.
  std::optional<std::uint64_t> read_length();
  std::optional<std::string> read_string();
  /// A score as text; may be NaN.
  std::optional<double> read_text_double();
  std::optional<double> read_double();

  std::size_t left() const { return rest_.size(); }

 private:
  using Words = std::vector<std::string>;

  std::optional<std::string_view> take(std::uint64_t size);
  std::optional<std::uint64_t> read_length_after(std::uint8_t first);
  std::optional<std::string> read_encoded(unsigned encoding);
  std::optional<Words> read_packed(std::optional<Words> (*unpack)(std::string_view));

  std::optional<Loaded> read_list();
  std::optional<Loaded> read_quicklist(bool of_listpacks);
  std::optional<Loaded> read_set();
  std::optional<Loaded> read_intset_value();
  std::optional<Loaded> read_hash();
  std::optional<Loaded> read_zset(bool binary);
  std::optional<Loaded> read_stream(bool has_counters);
  bool read_nodes(Stream& stream);
  bool read_group(Stream& stream, bool has_counters);
  bool read_consumers(ConsumerGroup& group);
  bool read_consumer(ConsumerGroup& group, const std::map<StreamId, PendingEntry>& pending);
  std::optional<std::uint64_t> read_number();
  std::optional<StreamId> read_id();
  std::optional<StreamId> read_raw_id();
  std::optional<std::int64_t> read_time();
  std::optional<Loaded> list_of(const std::optional<Words>& words);
  std::optional<Loaded> hash_of(const std::optional<Words>& words, bool look_at_sizes);
  std::optional<Loaded> zset_of(const std::optional<Words>& words);
  /// What is answered for a value that is `empty` or not sound.
  std::nullopt_t no_value(bool empty) {
    was_empty_ = empty;
    return std::nullopt;
  }

  bool was_empty_ = false;
  std::string_view rest_;
  const Options& options_;
};

}  // namespace picklock::rdb
