// The payload of DUMP and RESTORE: type, value, RDB version, CRC-64. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/keyspace/rdb/reader.hpp"
#include "emulator/keyspace/rdb/writer.hpp"

namespace picklock::rdb {

std::string write_payload(const KeyEntry& entry, const Options& options);

/// What was written, with the version and the CRC behind it.
std::string with_footer(std::string body);
/// The part before the footer.
std::string_view without_footer(std::string_view payload);

/// Whether the version is one that Redis 7.0 reads and (unless told not to look) the CRC fits.
bool has_sound_footer(std::string_view payload, bool check_crc = true);

/// The value of a payload whose footer is sound. What follows the value is not looked at, as Redis
/// does not. Nullopt for "Bad data format".
std::optional<Reader::Loaded> read_payload(std::string_view payload, const Options& options);

}  // namespace picklock::rdb
