// Every error text of Redis 7.0.15, and of the newer servers, in one place.
#pragma once

#include <algorithm>
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
inline constexpr std::string_view kFunctionFlushUsage =
    "ERR FUNCTION FLUSH only supports SYNC|ASYNC option";
inline constexpr std::string_view kFunctionNotFound = "ERR Function not found";
inline constexpr std::string_view kLibraryNotFound = "ERR Library not found";
inline constexpr std::string_view kNoLibraryName = "ERR library name argument was not given";
inline constexpr std::string_view kBadNumberOfKeys = "ERR Bad number of keys provided";
inline constexpr std::string_view kRestorePolicy =
    "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.";
inline constexpr std::string_view kDumpPayload =
    "ERR DUMP payload version or checksum are wrong";
inline constexpr std::string_view kOldFunctionFormat =
    "ERR Pre-release function format not supported.";
inline constexpr std::string_view kNotAFunction = "ERR given type is not a function";
inline constexpr std::string_view kFunctionPayload = "ERR Failed loading library data";
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

// Streams.
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
inline constexpr std::string_view kClaimMinIdle =
    "ERR Invalid min-idle-time argument for XCLAIM";
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
inline constexpr std::string_view kInvalidCursor = "ERR invalid cursor";
inline constexpr std::string_view kMigrateKeys =
    "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string";
inline constexpr std::string_view kMigrateUnreachable =
    "IOERR error or timeout writing to target instance";
inline constexpr std::string_view kBusyKey = "BUSYKEY Target key name already exists.";
inline constexpr std::string_view kIdletimeNegative = "ERR Invalid IDLETIME value, must be >= 0";
inline constexpr std::string_view kFreqRange = "ERR Invalid FREQ value, must be >= 0 and <= 255";
inline constexpr std::string_view kTtlNegative = "ERR Invalid TTL value, must be >= 0";
inline constexpr std::string_view kPayloadFooter =
    "ERR DUMP payload version or checksum are wrong";
inline constexpr std::string_view kNotListpack = "ERR Not a listpack encoded object.";
inline constexpr std::string_view kNotQuicklist = "ERR Not a quicklist encoded object.";
inline constexpr std::string_view kPackedThreshold =
    "ERR argument must be a memory value bigger than 1 and smaller than 4gb";
inline constexpr std::string_view kReloadOptions =
    "ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.";
inline constexpr std::string_view kReloadFailed = "ERR Error trying to load the RDB dump";
inline constexpr std::string_view kNoResp2 = "ERR RESP2 is not supported by this command";
inline constexpr std::string_view kProtocolType =
    "ERR Wrong protocol type name. Please use one of the following: "
    "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false";
inline constexpr std::string_view kPopulateTooMuch =
    "ERR DEBUG POPULATE: that is more than this emulator makes at once";
inline constexpr std::string_view kBadDataFormat = "ERR Bad data format";

/// A subcommand of DEBUG that the emulator will not do.
inline std::string debug_refused(std::string_view subcommand) {
  return "ERR DEBUG " + std::string{subcommand} + " is not supported by this emulator";
}

inline constexpr std::string_view kClusterDisabled =
    "ERR This instance has cluster support disabled";
inline constexpr std::string_view kCopyInCluster =
    "ERR Copying to another database is not allowed in cluster mode";
inline constexpr std::string_view kCrossSlot =
    "CROSSSLOT Keys in request don't hash to the same slot";
inline constexpr std::string_view kClusterDown = "CLUSTERDOWN The cluster is down";
inline constexpr std::string_view kClusterReadOnly =
    "CLUSTERDOWN The cluster is down and only accepts read commands";
inline constexpr std::string_view kSlotNotServed = "CLUSTERDOWN Hash slot not served";
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
inline constexpr std::string_view kInvalidSlot = "ERR Invalid or out of range slot";
inline constexpr std::string_view kSlotNumber = "ERR Invalid slot";
inline constexpr std::string_view kSlotOrKeys = "ERR Invalid slot or number of keys";
inline constexpr std::string_view kSetslotUsage =
    "ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP";
inline constexpr std::string_view kFlushslotsNotEmpty =
    "ERR DB must be empty to perform CLUSTER FLUSHSLOTS.";
inline constexpr std::string_view kForgetMyself =
    "ERR I tried hard but I can't forget myself...";
inline constexpr std::string_view kReplicateMyself = "ERR Can't replicate myself";
inline constexpr std::string_view kFailoverOfReplica =
    "ERR You should send CLUSTER FAILOVER to a replica";
inline constexpr std::string_view kResetNotEmpty =
    "ERR CLUSTER RESET can't be called with master nodes containing keys";
inline constexpr std::string_view kEpochSet = "ERR Node config epoch is already non-zero";
inline constexpr std::string_view kOom =
    "OOM command not allowed when used memory > 'maxmemory'.";
inline constexpr std::string_view kScriptOom =
    "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'";
inline constexpr std::string_view kReadOnlyReplica =
    "READONLY You can't write against a read only replica.";
inline constexpr std::string_view kMasterDown =
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
inline constexpr std::string_view kScriptMasterDown =
    "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and "
    "'allow-stale' flag is not set on the script.";
inline constexpr std::string_view kNoReplicas =
    "NOREPLICAS Not enough good replicas to write.";
inline constexpr std::string_view kForcedUnblock =
    "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)";
inline constexpr std::string_view kWaitOnReplica =
    "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a "
    "replica is configured to be writable (which is not the default) writes to replicas are just "
    "local and are not propagated.";
inline constexpr std::string_view kReplicaofInCluster =
    "ERR REPLICAOF not allowed in cluster mode.";
inline constexpr std::string_view kInvalidMasterPort = "ERR Invalid master port";
inline constexpr std::string_view kFailoverInCluster =
    "ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.";
inline constexpr std::string_view kNoFailover = "ERR No failover in progress.";
inline constexpr std::string_view kFailoverTimeout =
    "ERR FAILOVER timeout must be greater than 0";
inline constexpr std::string_view kFailoverOnReplica =
    "ERR FAILOVER is not valid when server is a replica.";
inline constexpr std::string_view kFailoverWithoutReplicas =
    "ERR FAILOVER requires connected replicas.";
inline constexpr std::string_view kNoMasterLink =
    "NOMASTERLINK Can't SYNC while not connected with my master";
inline constexpr std::string_view kNoBackgroundSave =
    "ERR Unable to perform background save";
inline constexpr std::string_view kReplconfRdbOnly =
    "ERR value is out of range, value must between 0 and 1";
inline constexpr std::string_view kReplconfFilter = "ERR Missing rdb-filter-only values";
inline constexpr std::string_view kNoShutdown = "ERR No shutdown in progress.";
inline constexpr std::string_view kShutdownFailed =
    "ERR Errors trying to SHUTDOWN. Check logs.";
inline constexpr std::string_view kShutdownDenied =
    "ERR SHUTDOWN without NOW or ABORT isn't allowed for DENY BLOCKING client";
inline constexpr std::string_view kModuleNotAllowed =
    "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you "
    "can run it from a local connection, otherwise you need to set this option in the "
    "configuration file, and then restart the server.";

inline std::string not_in_cluster(std::string_view command) {
  return "ERR " + std::string{command} + " is not allowed in cluster mode";
}

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

/// What Redis prints of a word of the request: the part before a NUL, of at most `limit` bytes.
inline std::string printed(std::string_view word, std::size_t limit = std::string_view::npos) {
  return std::string{word.substr(0, std::min(word.find('\0'), limit))};
}
inline std::string overlapping_prefixes(std::string_view prefix, std::string_view kind,
                                        std::string_view other) {
  return "ERR Prefix '" + printed(prefix) + "' overlaps with " + std::string{kind} +
         " prefix '" + printed(other) + "'. Prefixes for a single client must not overlap.";
}
inline std::string no_latency_samples(std::string_view event) {
  return "ERR No samples available for event '" + printed(event) + "'";
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
  return "ERR Unknown PFDEBUG subcommand '" + printed(subcommand) + "'";
}
inline std::string unknown_client_type(std::string_view type) {
  return "ERR Unknown client type '" + printed(type) + "'";
}
inline std::string no_such_user(std::string_view user) {
  return "ERR No such user '" + printed(user) + "'";
}
inline std::string unrecognized_option(std::string_view option) {
  return "ERR Unrecognized option '" + printed(option) + "'";
}
inline std::string bad_client_info(std::string_view option) {
  return "ERR " + std::string{option} + " cannot contain spaces, newlines or special characters.";
}
inline std::string unknown_argument(std::string_view word) {
  return "ERR unknown argument: " + printed(word);
}
/// A subcommand that is there, but not with these words.
inline std::string wrong_subcommand(std::string_view subcommand, std::string_view container) {
  return "ERR unknown subcommand or wrong number of arguments for '" + printed(subcommand, 128) +
         "'. Try " + std::string{container} + " HELP.";
}
inline std::string only_subscriptions(std::string_view command) {
  return "ERR Can't execute '" + std::string{command} +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}
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
  return "ERR " + printed(command) +
         " command is not allowed with BLOCK option from scripts";
}
inline std::string unsupported_option(std::string_view option) {
  return "ERR Unsupported option " + printed(option);
}

}  // namespace picklock::errors
