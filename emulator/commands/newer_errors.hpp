// The error texts of servers newer than Redis 7.0: those of Redis 7.2 to 8.4 and of Valkey 9.
#pragma once

#include <string>
#include <string_view>

#include "emulator/commands/errors.hpp"

namespace picklock::errors {

// Of Redis 8 and Valkey 9, for hash fields with deadlines.
inline constexpr std::string_view kFieldExpireNegative = "ERR invalid expire time, must be >= 0";
inline constexpr std::string_view kFieldsMissing =
    "ERR Mandatory argument FIELDS is missing or not at the right position";
inline constexpr std::string_view kFieldsCount =
    "ERR Parameter `numFields` should be greater than 0";
inline constexpr std::string_view kFieldsPositive =
    "ERR Number of fields must be a positive integer";
inline constexpr std::string_view kFieldsMismatch =
    "ERR The `numfields` parameter must match the number of arguments";
inline constexpr std::string_view kFieldsInvalid = "ERR invalid number of fields";
inline constexpr std::string_view kFieldConditions =
    "ERR Only one of FXX or FNX arguments can be specified";
inline constexpr std::string_view kFieldExpirations =
    "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified";
inline constexpr std::string_view kExpireTimeMissing = "ERR missing expire time";
inline constexpr std::string_view kValkeyNumfields =
    "ERR numfields should be greater than 0 and match the provided number of fields";

// Of Redis 8.4, for strings that are compared first.
inline constexpr std::string_view kDigestLength = "ERR must be exactly 16 hexadecimal characters";
inline constexpr std::string_view kDelexType =
    "ERR Key should be of string type if conditions are specified";
inline constexpr std::string_view kDelexCondition =
    "ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE";
inline constexpr std::string_view kMsetexNumkeys = "ERR invalid numkeys value";
inline constexpr std::string_view kMsetexPairs = "ERR wrong number of key-value pairs";

// Of Redis 7.2, for clients.
inline constexpr std::string_view kNotZeroOrOne =
    "ERR value is out of range, value must between 0 and 1";
inline constexpr std::string_view kTimeoutOutOfRange = "ERR timeout is out of range";
inline constexpr std::string_view kWaitaofWithoutAof =
    "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.";
inline std::string unrecognized_option(std::string_view option) {
  return "ERR Unrecognized option '" + printed(option) + "'";
}
inline std::string bad_client_info(std::string_view option) {
  return "ERR " + std::string{option} + " cannot contain spaces, newlines or special characters.";
}
inline std::string unknown_argument(std::string_view word) {
  return "ERR unknown argument: " + printed(word);
}

}  // namespace picklock::errors
