// The error texts of Redis 7.0.15 that the server's own commands need: connections, clients,
// cluster, replication, memory, DEBUG and what refuses a command before it runs.
#pragma once

#include <string>
#include <string_view>

#include "emulator/commands/errors.hpp"

namespace picklock::errors {

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
inline constexpr std::string_view kHelloVersion =
    "ERR Protocol version is not an integer or out of range";
inline constexpr std::string_view kNoProto = "NOPROTO unsupported protocol version";
inline constexpr std::string_view kClientName =
    "ERR Client names cannot contain spaces, newlines or special characters.";
inline constexpr std::string_view kInvalidClientId = "ERR Invalid client ID";
inline constexpr std::string_view kUnblockReason =
    "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR";
inline constexpr std::string_view kUnblocked = "UNBLOCKED client unblocked via CLIENT UNBLOCK";
inline constexpr std::string_view kInvalidCommand = "ERR Invalid command specified";
inline constexpr std::string_view kNoKeyArguments = "ERR The command has no key arguments";
inline constexpr std::string_view kInvalidArity =
    "ERR Invalid number of arguments specified for command";
inline constexpr std::string_view kInvalidArguments = "ERR Invalid arguments specified for command";
inline constexpr std::string_view kNoConfigFile = "ERR The server is running without a config file";
inline constexpr std::string_view kCannotListen =
    "Unable to listen on this port. Check server logs.";
inline constexpr std::string_view kCannotBind = "Failed to bind to specified addresses.";
inline constexpr std::string_view kRewriteFailed = "ERR Rewriting config file: ";
inline constexpr std::string_view kNoSuchClient = "ERR No such client";
inline constexpr std::string_view kClientIdPositive = "ERR client-id should be greater than 0";
inline constexpr std::string_view kMigrateKeys =
    "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string";
inline constexpr std::string_view kMigrateUnreachable =
    "IOERR error or timeout writing to target instance";
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

/// A subcommand of DEBUG that the emulator will not do.
inline std::string debug_refused(std::string_view subcommand) {
  return "ERR DEBUG " + std::string{subcommand} + " is not supported by this emulator";
}

inline constexpr std::string_view kClusterDisabled =
    "ERR This instance has cluster support disabled";
inline constexpr std::string_view kCrossSlot =
    "CROSSSLOT Keys in request don't hash to the same slot";
/// SORT may not look at keys that it was not given.
inline std::string sort_option_in_cluster(std::string_view option) {
  return "ERR " + std::string{option} + " option of SORT denied in Cluster mode.";
}
inline constexpr std::string_view kTryAgain =
    "TRYAGAIN Multiple keys request during rehashing of slot";
inline constexpr std::string_view kSetslotOfReplica = "ERR You can use SETSLOT only with masters.";
inline constexpr std::string_view kTargetIsReplica = "ERR Target node is not a master";
inline constexpr std::string_view kForgetMyMaster = "ERR Can't forget my master!";
inline constexpr std::string_view kReplicateReplica =
    "ERR I can only replicate a master, not a replica.";
inline constexpr std::string_view kReplicateNotEmpty =
    "ERR To set a master the node must be empty and without assigned slots.";
inline constexpr std::string_view kNodeIsReplica = "ERR The specified node is not a master";
inline constexpr std::string_view kEpochOfMany =
    "ERR The user can assign a config epoch only when the node does not know any other node.";
inline constexpr std::string_view kFailoverUnreachable =
    "ERR Master is down or failed, please use CLUSTER FAILOVER FORCE";
inline constexpr std::string_view kClusterDown = "CLUSTERDOWN The cluster is down";
inline constexpr std::string_view kClusterReadOnly =
    "CLUSTERDOWN The cluster is down and only accepts read commands";
inline constexpr std::string_view kSlotNotServed = "CLUSTERDOWN Hash slot not served";
inline constexpr std::string_view kInvalidSlot = "ERR Invalid or out of range slot";
inline constexpr std::string_view kSlotNumber = "ERR Invalid slot";
inline constexpr std::string_view kSlotOrKeys = "ERR Invalid slot or number of keys";
inline constexpr std::string_view kSetslotUsage =
    "ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP";
inline constexpr std::string_view kFlushslotsNotEmpty =
    "ERR DB must be empty to perform CLUSTER FLUSHSLOTS.";
inline constexpr std::string_view kForgetMyself = "ERR I tried hard but I can't forget myself...";
inline constexpr std::string_view kReplicateMyself = "ERR Can't replicate myself";
inline constexpr std::string_view kFailoverOfReplica =
    "ERR You should send CLUSTER FAILOVER to a replica";
inline constexpr std::string_view kResetNotEmpty =
    "ERR CLUSTER RESET can't be called with master nodes containing keys";
inline constexpr std::string_view kEpochSet = "ERR Node config epoch is already non-zero";
inline constexpr std::string_view kOom = "OOM command not allowed when used memory > 'maxmemory'.";
inline constexpr std::string_view kReadOnlyReplica =
    "READONLY You can't write against a read only replica.";
inline constexpr std::string_view kMasterDown =
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
inline constexpr std::string_view kNoReplicas = "NOREPLICAS Not enough good replicas to write.";
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
inline constexpr std::string_view kFailoverTimeout = "ERR FAILOVER timeout must be greater than 0";
inline constexpr std::string_view kFailoverOnReplica =
    "ERR FAILOVER is not valid when server is a replica.";
inline constexpr std::string_view kFailoverWithoutReplicas =
    "ERR FAILOVER requires connected replicas.";
inline constexpr std::string_view kNoMasterLink =
    "NOMASTERLINK Can't SYNC while not connected with my master";
inline constexpr std::string_view kSyncWithPendingOutput =
    "ERR SYNC and PSYNC are invalid with pending output";
inline constexpr std::string_view kFilteredWithoutEof =
    "ERR Filtered replica requires EOF capability";
inline constexpr std::string_view kPsyncFailoverOnMaster =
    "ERR PSYNC FAILOVER can't be sent to a master.";
inline constexpr std::string_view kPsyncFailoverReplid =
    "ERR PSYNC FAILOVER replid must match my replid.";
inline std::string ip_address_too_long(std::size_t bytes) {
  return "ERR REPLCONF ip-address provided by replica instance is too long: " +
         std::to_string(bytes) + " bytes";
}
inline constexpr std::string_view kNoBackgroundSave = "ERR Unable to perform background save";
inline constexpr std::string_view kReplconfRdbOnly =
    "ERR value is out of range, value must between 0 and 1";
inline constexpr std::string_view kReplconfFilter = "ERR Missing rdb-filter-only values";
inline constexpr std::string_view kNoShutdown = "ERR No shutdown in progress.";
inline constexpr std::string_view kShutdownFailed = "ERR Errors trying to SHUTDOWN. Check logs.";
inline constexpr std::string_view kModuleNotAllowed =
    "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you "
    "can run it from a local connection, otherwise you need to set this option in the "
    "configuration file, and then restart the server.";

inline constexpr std::string_view kReplicaInteraction =
    "ERR Replica can't interact with the keyspace";
inline constexpr std::string_view kSsubscribeMayNotBlock =
    "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client";
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
inline constexpr std::string_view kSlowlogCount = "ERR count should be greater than or equal to -1";
inline std::string overlapping_prefixes(std::string_view prefix, std::string_view kind,
                                        std::string_view other) {
  return "ERR Prefix '" + printed(prefix) + "' overlaps with " + std::string{kind} + " prefix '" +
         printed(other) + "'. Prefixes for a single client must not overlap.";
}
inline std::string no_latency_samples(std::string_view event) {
  return "ERR No samples available for event '" + printed(event) + "'";
}
/// What EXEC answers when it is itself refused with `error`.
inline std::string exec_refused(std::string_view error) {
  if (error.starts_with("ERR ")) error.remove_prefix(4);
  return "EXECABORT Transaction discarded because of: " + std::string{error};
}
inline std::string unknown_client_type(std::string_view type) {
  return "ERR Unknown client type '" + printed(type) + "'";
}
inline std::string no_such_user(std::string_view user) {
  return "ERR No such user '" + printed(user) + "'";
}
inline std::string only_subscriptions(std::string_view command) {
  return "ERR Can't execute '" + std::string{command} +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}

}  // namespace picklock::errors
