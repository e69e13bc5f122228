// The error texts of Redis 7.0.15 that only scripts and functions need.
#pragma once

#include <string_view>

namespace picklock::errors {

inline constexpr std::string_view kScriptWouldWrite =
    "ERR Can not execute a script with write flag using *_ro command.";
inline constexpr std::string_view kNoScript = "NOSCRIPT No matching script. Please use EVAL.";
inline constexpr std::string_view kNegativeKeys = "ERR Number of keys can't be negative";
inline constexpr std::string_view kScriptFlushUsage =
    "ERR SCRIPT FLUSH only support SYNC|ASYNC option";
inline constexpr std::string_view kFunctionFlushUsage =
    "ERR FUNCTION FLUSH only supports SYNC|ASYNC option";
inline constexpr std::string_view kFunctionNotFound = "ERR Function not found";
inline constexpr std::string_view kLibraryNotFound = "ERR Library not found";
inline constexpr std::string_view kNoLibraryName = "ERR library name argument was not given";
inline constexpr std::string_view kBadNumberOfKeys = "ERR Bad number of keys provided";
inline constexpr std::string_view kRestorePolicy =
    "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.";
inline constexpr std::string_view kNotAFunction = "ERR given type is not a function";
inline constexpr std::string_view kDumpedPayload = "ERR Failed loading library payload";
inline constexpr std::string_view kDumpedLibraryName = "ERR Failed loading library name";
inline constexpr std::string_view kDumpedEngineName = "ERR Failed loading engine name";
inline constexpr std::string_view kDumpedDescriptionMark =
    "ERR Failed loading library description indicator";
inline constexpr std::string_view kDumpedDescription = "ERR Failed loading library description";
inline constexpr std::string_view kDumpedBlob = "ERR Failed loading library blob";
inline constexpr std::string_view kNotBusy = "NOTBUSY No scripts in execution right now.";
inline constexpr std::string_view kUnkillable =
    "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
    "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
    "NOSAVE command.";
inline constexpr std::string_view kBusyScript =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
inline constexpr std::string_view kBusyFunction =
    "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.";
inline constexpr std::string_view kScriptDebugUsage = "ERR Use SCRIPT DEBUG YES/SYNC/NO";
inline constexpr std::string_view kScriptDebugInPipeline =
    "ERR SCRIPT DEBUG must be called outside a pipeline";
inline constexpr std::string_view kNotFromScript =
    "ERR This Redis command is not allowed from script";
inline constexpr std::string_view kUnknownFromScript =
    "ERR Unknown Redis command called from script";
inline constexpr std::string_view kArityFromScript =
    "ERR Wrong number of args calling Redis command from script";
inline constexpr std::string_view kStaleFromScript =
    "ERR Can not execute the command on a stale replica";
inline constexpr std::string_view kWriteFromReadOnly =
    "ERR Write commands are not allowed from read-only scripts.";
inline constexpr std::string_view kScriptCrossSlot =
    "ERR Script attempted to access a non local key in a cluster node";
inline constexpr std::string_view kScriptCrossSlots =
    "ERR Script attempted to access keys that do not hash to the same slot";
inline constexpr std::string_view kScriptClusterDown =
    "ERR Script attempted to execute a command while the cluster is down";
inline constexpr std::string_view kScriptClusterReadOnly =
    "ERR Script attempted to execute a write command while the cluster is down and readonly";
inline constexpr std::string_view kScriptNoCluster =
    "ERR Can not run script on cluster, 'no-cluster' flag is set.";
inline constexpr std::string_view kScriptOom =
    "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'";
inline constexpr std::string_view kScriptMasterDown =
    "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and "
    "'allow-stale' flag is not set on the script.";

}  // namespace picklock::errors
