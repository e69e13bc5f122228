// Reads a whole RDB file, as SAVE of Redis 7.0 and older writes it. A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/keyspace/rdb/options.hpp"
#include "emulator/keyspace/rdb/reader.hpp"

namespace picklock::rdb {

struct FileKey {
  int database = 0;
  std::string key;
  Reader::Loaded loaded;
  std::optional<std::int64_t> deadline_ms;
  std::optional<std::int64_t> idle_seconds;
  std::optional<std::int64_t> frequency;
};

struct File {
  std::vector<FileKey> keys;                                   ///< In the order of the file.
  std::vector<std::string> libraries;                          ///< The code of functions.
  std::vector<std::pair<std::string, std::string>> auxiliary;  ///< What it says of itself.
};

/// Fills `file`; returns why that is impossible, if it is. What modules have written is refused.
std::optional<std::string> read_file(std::string_view bytes, const Options& options, int databases,
                                     File& file);

}  // namespace picklock::rdb
