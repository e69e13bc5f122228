// Every error text of Redis 7.0.15, and of the newer servers, in one place.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

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
inline constexpr std::string_view kNoAuth = "NOAUTH Authentication required.";
inline constexpr std::string_view kNoPassword =
    "ERR AUTH <password> called without any password configured for the default user. Are you sure "
    "your "
    "configuration is correct?";
inline constexpr std::string_view kWrongPassword =
    "WRONGPASS invalid username-password pair or user is disabled.";
inline constexpr std::string_view kHelloNoAuth =
    "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
    "AUTH "
    "<user> <pass> option can be used to authenticate the client and select the RESP protocol "
    "version at the "
    "same time";
inline constexpr std::string_view kScriptWouldWrite =
    "ERR Can not execute a script with write flag using *_ro command.";
inline constexpr std::string_view kHelloVersion =
    "ERR Protocol version is not an integer or out of range";
inline constexpr std::string_view kNoProto = "NOPROTO unsupported protocol version";
inline constexpr std::string_view kClientName =
    "ERR Client names cannot contain spaces, newlines or special characters.";
inline constexpr std::string_view kInvalidClientId = "ERR Invalid client ID";
inline constexpr std::string_view kNoScript = "NOSCRIPT No matching script. Please use EVAL.";
inline constexpr std::string_view kTooManyKeys =
    "ERR Number of keys can't be greater than number of args";
inline constexpr std::string_view kNegativeKeys = "ERR Number of keys can't be negative";
inline constexpr std::string_view kScriptFlushUsage =
    "ERR SCRIPT FLUSH only support SYNC|ASYNC option";
inline constexpr std::string_view kNotFromScript =
    "ERR This Redis command is not allowed from script";
inline constexpr std::string_view kUnknownFromScript =
    "ERR Unknown Redis command called from script";
inline constexpr std::string_view kArityFromScript =
    "ERR Wrong number of args calling Redis command from script";
inline constexpr std::string_view kWriteFromReadOnly =
    "ERR Write commands are not allowed from read-only scripts.";
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
inline constexpr std::string_view kTimeoutNotFloat =
    "ERR timeout is not a float or out of range";
inline constexpr std::string_view kUnblockReason =
    "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR";
inline constexpr std::string_view kUnblocked = "UNBLOCKED client unblocked via CLIENT UNBLOCK";
inline constexpr std::string_view kCountOutOfRange =
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";
inline constexpr std::string_view kOffsetOutOfRange = "ERR offset is out of range";
inline constexpr std::string_view kNanOrInfinity = "ERR value is NaN or Infinity";
inline constexpr std::string_view kHashNotFloat = "ERR hash value is not a float";
inline constexpr std::string_view kNoSuchKey = "ERR no such key";
inline constexpr std::string_view kSameObject =
    "ERR source and destination objects are the same";
inline constexpr std::string_view kFirstDbIndex = "ERR invalid first DB index";
inline constexpr std::string_view kSecondDbIndex = "ERR invalid second DB index";
inline constexpr std::string_view kLfuNotSelected =
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
    "when switching between policies at runtime LRU and LFU data will take some time to adjust.";
inline constexpr std::string_view kLfuSelected =
    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when "
    "switching between policies at runtime LRU and LFU data will take some time to adjust.";
inline constexpr std::string_view kBitOffset =
    "ERR bit offset is not an integer or out of range";
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
inline constexpr std::string_view kInvalidCommand = "ERR Invalid command specified";
inline constexpr std::string_view kNoKeyArguments = "ERR The command has no key arguments";
inline constexpr std::string_view kInvalidArity =
    "ERR Invalid number of arguments specified for command";
inline constexpr std::string_view kInvalidArguments =
    "ERR Invalid arguments specified for command";
inline constexpr std::string_view kNoConfigFile =
    "ERR The server is running without a config file";
inline constexpr std::string_view kNoSuchClient = "ERR No such client";
inline constexpr std::string_view kClientIdPositive = "ERR client-id should be greater than 0";
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
// Of Redis 8 and Valkey 9, for hash fields with deadlines.
inline constexpr std::string_view kFieldExpireNegative =
    "ERR invalid expire time, must be >= 0";
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
inline constexpr std::string_view kDigestLength =
    "ERR must be exactly 16 hexadecimal characters";
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
inline constexpr std::string_view kHllCorrupt =
    "INVALIDOBJ Corrupted HLL object detected";
inline constexpr std::string_view kHllNoKey = "ERR The specified key does not exist";
inline constexpr std::string_view kHllNotSparse = "ERR HLL encoding is not sparse";
inline constexpr std::string_view kInvalidCursor = "ERR invalid cursor";
inline constexpr std::string_view kReplicaInteraction =
    "ERR Replica can't interact with the keyspace";
inline constexpr std::string_view kMonitorMayNotBlock =
    "ERR MONITOR isn't allowed for DENY BLOCKING client";
inline constexpr std::string_view kPauseMode = "ERR CLIENT PAUSE mode must be WRITE or ALL";
inline constexpr std::string_view kRedirectTwice =
    "ERR A client can only redirect to a single other client";
inline constexpr std::string_view kRedirectNobody =
    "ERR The client ID you want redirect to does not exist";
inline constexpr std::string_view kPrefixWithoutBroadcast =
    "ERR PREFIX option requires BCAST mode to be enabled";
inline constexpr std::string_view kBroadcastSwitch =
    "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then "
    "re-enabling it with a different mode.";
inline constexpr std::string_view kBroadcastWithOption =
    "ERR OPTIN and OPTOUT are not compatible with BCAST";
inline constexpr std::string_view kOptinAndOptout =
    "ERR You can't specify both OPTIN mode and OPTOUT mode";
inline constexpr std::string_view kOptionSwitch =
    "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then "
    "re-enabling it with a different mode.";
inline constexpr std::string_view kCachingWithoutMode =
    "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
    "OPTOUT mode enabled";
inline constexpr std::string_view kCachingYes =
    "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.";
inline constexpr std::string_view kCachingNo =
    "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.";
inline constexpr std::string_view kSlowlogCount =
    "ERR count should be greater than or equal to -1";

inline std::string overlapping_prefixes(std::string_view prefix, std::string_view kind,
                                        std::string_view other) {
  return "ERR Prefix '" + std::string{prefix} + "' overlaps with " + std::string{kind} +
         " prefix '" + std::string{other} + "'. Prefixes for a single client must not overlap.";
}
inline std::string no_latency_samples(std::string_view event) {
  return "ERR No samples available for event '" + std::string{event} + "'";
}
/// What EXEC answers when it is itself refused with `error`.
inline std::string exec_refused(std::string_view error) {
  if (error.starts_with("ERR ")) error.remove_prefix(4);
  return "EXECABORT Transaction discarded because of: " + std::string{error};
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
  return "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for " +
         std::string{command};
}
inline std::string geo_needs_shape(std::string_view command) {
  return "ERR exactly one of BYRADIUS and BYBOX can be specified for " + std::string{command};
}
inline std::string unknown_pfdebug(std::string_view subcommand) {
  return "ERR Unknown PFDEBUG subcommand '" + std::string{subcommand} + "'";
}
inline std::string unknown_client_type(std::string_view type) {
  return "ERR Unknown client type '" + std::string{type} + "'";
}
inline std::string no_such_user(std::string_view user) {
  return "ERR No such user '" + std::string{user} + "'";
}
inline std::string unrecognized_option(std::string_view option) {
  return "ERR Unrecognized option '" + std::string{option.substr(0, option.find('\0'))} + "'";
}
inline std::string bad_client_info(std::string_view option) {
  return "ERR " + std::string{option} + " cannot contain spaces, newlines or special characters.";
}
inline std::string unknown_argument(std::string_view word) {
  return "ERR unknown argument: " + std::string{word.substr(0, word.find('\0'))};
}
/// A subcommand that is there, but not with these words.
inline std::string wrong_subcommand(std::string_view subcommand, std::string_view container) {
  return "ERR unknown subcommand or wrong number of arguments for '" + std::string{subcommand} +
         "'. Try " + std::string{container} + " HELP.";
}
inline std::string only_subscriptions(std::string_view command) {
  return "ERR Can't execute '" + std::string{command} +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}
/// Redis prints the option as a C string: a NUL ends it.
inline std::string unsupported_option(std::string_view option) {
  return "ERR Unsupported option " + std::string{option.substr(0, option.find('\0'))};
}

}  // namespace picklock::errors
