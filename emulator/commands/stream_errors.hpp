// The error texts of Redis 7.0.15 that only streams need.
#pragma once

#include <string>
#include <string_view>

#include "emulator/commands/errors.hpp"

namespace picklock::errors {

inline constexpr std::string_view kStreamId =
    "ERR Invalid stream ID specified as stream command argument";
inline constexpr std::string_view kStreamStart = "ERR invalid start ID for the interval";
inline constexpr std::string_view kStreamEnd = "ERR invalid end ID for the interval";
inline constexpr std::string_view kXaddZero =
    "ERR The ID specified in XADD must be greater than 0-0";
inline constexpr std::string_view kXaddExhausted =
    "ERR The stream has exhausted the last possible ID, unable to add more items";
inline constexpr std::string_view kXaddSmaller =
    "ERR The ID specified in XADD is equal or smaller than the target stream top item";
inline constexpr std::string_view kTrimTwice =
    "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";
inline constexpr std::string_view kTrimMaxlen = "ERR The MAXLEN argument must be >= 0.";
inline constexpr std::string_view kTrimLimit = "ERR The LIMIT argument must be >= 0.";
inline constexpr std::string_view kLimitWithoutTrim =
    "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
inline constexpr std::string_view kTrimWithoutStrategy =
    "ERR syntax error, XTRIM must be called with a trimming strategy";
inline constexpr std::string_view kLimitWithoutTilde =
    "ERR syntax error, LIMIT cannot be used without the special ~ option";
inline constexpr std::string_view kXsetidNegative = "ERR entries_added must be positive";
inline constexpr std::string_view kXsetidBelowGiven =
    "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id";
inline constexpr std::string_view kXaddTooLarge = "ERR Elements are too large to be stored";
inline constexpr std::string_view kUnbalancedStreams =
    "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.";
inline constexpr std::string_view kXsetidBelowTop =
    "ERR The ID specified in XSETID is smaller than the target stream top item";
inline constexpr std::string_view kXsetidBelowLength =
    "ERR The entries_added specified in XSETID is smaller than the target stream length";
inline constexpr std::string_view kClaimMinIdle = "ERR Invalid min-idle-time argument for XCLAIM";
inline constexpr std::string_view kClaimIdle = "ERR Invalid IDLE option argument for XCLAIM";
inline constexpr std::string_view kClaimTime = "ERR Invalid TIME option argument for XCLAIM";
inline constexpr std::string_view kClaimRetryCount =
    "ERR Invalid RETRYCOUNT option argument for XCLAIM";
inline constexpr std::string_view kAutoClaimMinIdle =
    "ERR Invalid min-idle-time argument for XAUTOCLAIM";
inline constexpr std::string_view kAutoClaimMemory =
    "ERR Insufficient memory, failed allocating transient memory, COUNT too high.";
inline constexpr std::string_view kCountMustBePositive = "ERR COUNT must be > 0";
inline constexpr std::string_view kXgroupNeedsKey =
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to "
    "use the MKSTREAM option to create an empty stream automatically.";
inline constexpr std::string_view kEntriesRead = "ERR value for ENTRIESREAD must be positive or -1";
inline constexpr std::string_view kBusyGroup = "BUSYGROUP Consumer Group name already exists";
inline constexpr std::string_view kGroupIsGone =
    "NOGROUP the consumer group this client was blocked on no longer exists";
inline constexpr std::string_view kStreamIsGone = "UNBLOCKED the stream key no longer exists";
inline constexpr std::string_view kGroupOutsideXreadgroup =
    "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.";
inline constexpr std::string_view kNoackOutsideXreadgroup =
    "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.";
inline constexpr std::string_view kMissingGroup = "ERR Missing GROUP option for XREADGROUP";
inline constexpr std::string_view kDollarInXreadgroup =
    "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of "
    "this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would "
    "just return an empty result set.";
inline constexpr std::string_view kNewInXread =
    "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> "
    "<consumer> option.";
inline std::string no_key_or_group(std::string_view key, std::string_view group) {
  return "NOGROUP No such key '" + printed(key) + "' or consumer group '" + printed(group) + "'";
}
inline std::string no_group_of_key(std::string_view group, std::string_view key) {
  return "NOGROUP No such consumer group '" + printed(group) + "' for key name '" + printed(key) +
         "'";
}
inline std::string unknown_claim_option(std::string_view option) {
  return "ERR Unrecognized XCLAIM option '" + printed(option) + "'";
}
inline std::string block_from_script(std::string_view command) {
  return "ERR " + printed(command) + " command is not allowed with BLOCK option from scripts";
}

}  // namespace picklock::errors
