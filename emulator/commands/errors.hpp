// The error texts of Redis 7.0.15 that commands of data, or several groups, need. Those of one
// group stand beside: stream_errors.hpp, script_errors.hpp, acl_errors.hpp, server_errors.hpp (the
// server's own commands) and newer_errors.hpp (what 7.0 does not have). A text that is put together
// of several findings stands where they are made.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "emulator/base/text.hpp"

namespace picklock::errors {

inline constexpr std::string_view kSyntax = "ERR syntax error";
inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotInt =
    "ERR value is out of range, value must between -2147483648 and 2147483647";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kIncrementOverflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view kDecrementOverflow = "ERR decrement would overflow";
inline constexpr std::string_view kIncrementNan = "ERR increment would produce NaN or Infinity";
inline constexpr std::string_view kStringTooLong =
    "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
inline constexpr std::string_view kHashNotInteger = "ERR hash value is not an integer";
inline constexpr std::string_view kExpireNxConflict =
    "ERR NX and XX, GT or LT options at the same time are not compatible";
inline constexpr std::string_view kExpireGtLtConflict =
    "ERR GT and LT options at the same time are not compatible";
inline constexpr std::string_view kDbIndexOutOfRange = "ERR DB index is out of range";
inline constexpr std::string_view kTooManyKeys =
    "ERR Number of keys can't be greater than number of args";
inline constexpr std::string_view kTimeoutNotInteger =
    "ERR timeout is not an integer or out of range";
inline constexpr std::string_view kTimeoutNegative = "ERR timeout is negative";
inline constexpr std::string_view kNestedMulti = "ERR MULTI calls can not be nested";
inline constexpr std::string_view kExecWithoutMulti = "ERR EXEC without MULTI";
inline constexpr std::string_view kDiscardWithoutMulti = "ERR DISCARD without MULTI";
inline constexpr std::string_view kWatchInsideMulti = "ERR WATCH inside MULTI is not allowed";
inline constexpr std::string_view kExecAborted =
    "EXECABORT Transaction discarded because of previous errors.";
inline constexpr std::string_view kNotInsideMulti = "ERR Command not allowed inside a transaction";
inline constexpr std::string_view kOutOfRange = "ERR value is out of range";
inline constexpr std::string_view kMustBePositive = "ERR value is out of range, must be positive";
inline constexpr std::string_view kIndexOutOfRange = "ERR index out of range";
inline constexpr std::string_view kRankZero =
    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use "
    "negative to start from the end of the list";
inline constexpr std::string_view kCountNegative = "ERR COUNT can't be negative";
inline constexpr std::string_view kMaxlenNegative = "ERR MAXLEN can't be negative";
inline constexpr std::string_view kNumkeysNotPositive = "ERR numkeys should be greater than 0";
inline constexpr std::string_view kCountNotPositive = "ERR count should be greater than 0";
inline constexpr std::string_view kTimeoutNotFloat = "ERR timeout is not a float or out of range";
inline constexpr std::string_view kCountOutOfRange =
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";
inline constexpr std::string_view kOffsetOutOfRange = "ERR offset is out of range";
inline constexpr std::string_view kNanOrInfinity = "ERR value is NaN or Infinity";
inline constexpr std::string_view kHashNotFloat = "ERR hash value is not a float";
inline constexpr std::string_view kNoSuchKey = "ERR no such key";
inline constexpr std::string_view kSameObject = "ERR source and destination objects are the same";
inline constexpr std::string_view kFirstDbIndex = "ERR invalid first DB index";
inline constexpr std::string_view kSecondDbIndex = "ERR invalid second DB index";
inline constexpr std::string_view kLfuNotSelected =
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
    "when switching between policies at runtime LRU and LFU data will take some time to adjust.";
inline constexpr std::string_view kLfuSelected =
    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when "
    "switching between policies at runtime LRU and LFU data will take some time to adjust.";
inline constexpr std::string_view kBitOffset = "ERR bit offset is not an integer or out of range";
inline constexpr std::string_view kBitValue = "ERR bit is not an integer or out of range";
inline constexpr std::string_view kBitArgument = "ERR The bit argument must be 1 or 0.";
inline constexpr std::string_view kBitopNot =
    "ERR BITOP NOT must be called with a single source key.";
inline constexpr std::string_view kBitfieldType =
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 "
    "is.";
inline constexpr std::string_view kBitfieldOverflow = "ERR Invalid OVERFLOW type specified";
inline constexpr std::string_view kBitfieldReadOnly =
    "ERR BITFIELD_RO only supports the GET subcommand";
inline constexpr std::string_view kLcsNotStrings =
    "ERR The specified keys must contain string values";
inline constexpr std::string_view kLcsBoth =
    "ERR If you want both the length and indexes, please just use IDX.";
inline constexpr std::string_view kLcsTooLarge =
    "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len";
inline constexpr std::string_view kLimitNegative = "ERR LIMIT can't be negative";
inline constexpr std::string_view kZaddXxNx =
    "ERR XX and NX options at the same time are not compatible";
inline constexpr std::string_view kZaddGtLtNx =
    "ERR GT, LT, and/or NX options at the same time are not compatible";
inline constexpr std::string_view kZaddIncrPairs =
    "ERR INCR option supports a single increment-element pair";
inline constexpr std::string_view kScoreNan = "ERR resulting score is not a number (NaN)";
inline constexpr std::string_view kScoreRange = "ERR min or max is not a float";
inline constexpr std::string_view kLexRange = "ERR min or max not valid string range item";
inline constexpr std::string_view kLimitWithoutRange =
    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX";
inline constexpr std::string_view kWithscoresByLex =
    "ERR syntax error, WITHSCORES not supported in combination with BYLEX";
inline constexpr std::string_view kWeightNotFloat = "ERR weight value is not a float";

inline constexpr std::string_view kSortNotNumeric =
    "ERR One or more scores can't be converted into double";
inline constexpr std::string_view kGeoUnit =
    "ERR unsupported unit provided. please use M, KM, FT, MI";
inline constexpr std::string_view kGeoRadiusNotNumeric = "ERR need numeric radius";
inline constexpr std::string_view kGeoWidthNotNumeric = "ERR need numeric width";
inline constexpr std::string_view kGeoHeightNotNumeric = "ERR need numeric height";
inline constexpr std::string_view kGeoRadiusNegative = "ERR radius cannot be negative";
inline constexpr std::string_view kGeoBoxNegative = "ERR height or width cannot be negative";
inline constexpr std::string_view kGeoNoMember = "ERR could not decode requested zset member";
inline constexpr std::string_view kGeoCount = "ERR COUNT must be > 0";
inline constexpr std::string_view kGeoAny = "ERR the ANY argument requires COUNT argument";
inline constexpr std::string_view kHllInvalid =
    "WRONGTYPE Key is not a valid HyperLogLog string value.";
inline constexpr std::string_view kHllCorrupt = "INVALIDOBJ Corrupted HLL object detected";
inline constexpr std::string_view kHllNoKey = "ERR The specified key does not exist";
inline constexpr std::string_view kHllNotSparse = "ERR HLL encoding is not sparse";
inline constexpr std::string_view kInvalidCursor = "ERR invalid cursor";
inline constexpr std::string_view kBusyKey = "BUSYKEY Target key name already exists.";
inline constexpr std::string_view kIdletimeNegative = "ERR Invalid IDLETIME value, must be >= 0";
inline constexpr std::string_view kFreqRange = "ERR Invalid FREQ value, must be >= 0 and <= 255";
inline constexpr std::string_view kTtlNegative = "ERR Invalid TTL value, must be >= 0";
inline constexpr std::string_view kPayloadFooter = "ERR DUMP payload version or checksum are wrong";
inline constexpr std::string_view kBadDataFormat = "ERR Bad data format";
inline constexpr std::string_view kCopyInCluster =
    "ERR Copying to another database is not allowed in cluster mode";

inline std::string not_in_cluster(std::string_view command) {
  return "ERR " + std::string{command} + " is not allowed in cluster mode";
}

/// What Redis prints of a word of the request: the part before a NUL, of at most `limit` bytes.
inline std::string printed(std::string_view word, std::size_t limit = std::string_view::npos) {
  return std::string{until_nul(word).substr(0, limit)};
}
inline std::string needs_input_key(std::string_view command) {
  return "ERR at least 1 input key is needed for '" + std::string{command} + "' command";
}
inline std::string wrong_arity(std::string_view command) {
  return "ERR wrong number of arguments for '" + std::string{command} + "' command";
}
inline std::string invalid_expire(std::string_view command) {
  return "ERR invalid expire time in '" + std::string{command} + "' command";
}
/// With six decimals each, whatever the locale.
inline std::string not_on_map(double longitude, double latitude) {
  std::string text = "ERR invalid longitude,latitude pair ";
  for (const double value : {longitude, latitude}) {
    char buffer[400];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 6).ptr;
    text.append(buffer, end).append(",");
  }
  text.pop_back();
  return text;
}
inline std::string geo_store_conflict(bool search) {
  return std::string{search ? "ERR GEOSEARCHSTORE" : "ERR STORE option in GEORADIUS"} +
         " is not compatible with WITHDIST, WITHHASH and WITHCOORD options";
}
inline std::string geo_needs_center(std::string_view command) {
  return "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for " + std::string{command};
}
inline std::string geo_needs_shape(std::string_view command) {
  return "ERR exactly one of BYRADIUS and BYBOX can be specified for " + std::string{command};
}
inline std::string unknown_pfdebug(std::string_view subcommand) {
  return "ERR Unknown PFDEBUG subcommand '" + printed(subcommand) + "'";
}
/// A subcommand that is there, but not with these words.
inline std::string wrong_subcommand(std::string_view subcommand, std::string_view container) {
  return "ERR unknown subcommand or wrong number of arguments for '" + printed(subcommand, 128) +
         "'. Try " + std::string{container} + " HELP.";
}
inline std::string unsupported_option(std::string_view option) {
  return "ERR Unsupported option " + printed(option);
}

}  // namespace picklock::errors
