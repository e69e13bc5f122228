#include "emulator/engine/config.hpp"

#include <algorithm>
#include <array>
#include <xxhash.h>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/setting_texts.hpp"

namespace picklock {

namespace {

using Kind = Setting::Kind;
constexpr std::int64_t kMaxInt64 = 9223372036854775807;

// Defaults and bounds as CONFIG GET and CONFIG SET of Redis 7.0.15 show them. Deliberately
// different: enable-debug-command is on, for DEBUG is a tool of tests.
constexpr Setting kSettings[] = {
    {"acl-pubsub-default", Kind::choice, "resetchannels", 0, 0, "allchannels, resetchannels"},
    {"aclfile", Kind::immutable, ""},
    {"acllog-max-len", Kind::integer, "128", 0, kMaxInt64},
    {"active-defrag-cycle-max", Kind::integer, "25", 1, 99},
    {"active-defrag-cycle-min", Kind::integer, "1", 1, 99},
    {"active-defrag-ignore-bytes", Kind::memory, "104857600", 1, kMaxInt64},
    {"active-defrag-max-scan-fields", Kind::integer, "1000", 1, kMaxInt64},
    {"active-defrag-threshold-lower", Kind::integer, "10", 0, 1000},
    {"active-defrag-threshold-upper", Kind::integer, "100", 0, 1000},
    {"active-expire-effort", Kind::integer, "1", 1, 10},
    {"activedefrag", Kind::boolean, "no"},
    {"activerehashing", Kind::boolean, "yes"},
    {"always-show-logo", Kind::immutable, "no"},
    {"aof-disable-auto-gc", Kind::boolean, "no"},
    {"aof-load-truncated", Kind::boolean, "yes"},
    {"aof-rewrite-incremental-fsync", Kind::boolean, "yes"},
    {"aof-timestamp-enabled", Kind::boolean, "no"},
    {"aof-use-rdb-preamble", Kind::boolean, "yes"},
    {"aof_rewrite_cpulist", Kind::immutable, ""},
    {"appenddirname", Kind::immutable, "appendonlydir"},
    {"appendfilename", Kind::immutable, "appendonly.aof"},
    {"appendfsync", Kind::choice, "everysec", 0, 0, "everysec, always, no"},
    {"appendonly", Kind::boolean, "no"},
    {"auto-aof-rewrite-min-size", Kind::memory, "67108864", 0, kMaxInt64},
    {"auto-aof-rewrite-percentage", Kind::integer, "100", 0, 2147483647},
    {"bgsave_cpulist", Kind::immutable, ""},
    {"bind", Kind::text, "127.0.0.1 -::1"},
    {"bind-source-addr", Kind::text, ""},
    {"bio_cpulist", Kind::immutable, ""},
    {"busy-reply-threshold", Kind::integer, "5000", 0, kMaxInt64},
    {"client-output-buffer-limit", Kind::text,
     "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"},
    {"client-query-buffer-limit", Kind::memory, "1073741824", 1048576, kMaxInt64},
    {"cluster-allow-pubsubshard-when-down", Kind::boolean, "yes"},
    {"cluster-allow-reads-when-down", Kind::boolean, "no"},
    {"cluster-allow-replica-migration", Kind::boolean, "yes"},
    {"cluster-announce-bus-port", Kind::integer, "0", 0, 65535},
    {"cluster-announce-hostname", Kind::text, ""},
    {"cluster-announce-ip", Kind::text, ""},
    {"cluster-announce-port", Kind::integer, "0", 0, 65535},
    {"cluster-announce-tls-port", Kind::integer, "0", 0, 65535},
    {"cluster-config-file", Kind::immutable, "nodes.conf"},
    {"cluster-enabled", Kind::immutable, "no"},
    {"cluster-link-sendbuf-limit", Kind::memory, "0", 0, -1},
    {"cluster-migration-barrier", Kind::integer, "1", 0, 2147483647},
    {"cluster-node-timeout", Kind::integer, "15000", 0, kMaxInt64},
    {"cluster-port", Kind::immutable, "0"},
    {"cluster-preferred-endpoint-type", Kind::choice, "ip", 0, 0, "ip, hostname, unknown-endpoint"},
    {"cluster-replica-no-failover", Kind::boolean, "no"},
    {"cluster-replica-validity-factor", Kind::integer, "10", 0, 2147483647},
    {"cluster-require-full-coverage", Kind::boolean, "yes"},
    {"cluster-slave-no-failover", Kind::alias, "cluster-replica-no-failover"},
    {"cluster-slave-validity-factor", Kind::alias, "cluster-replica-validity-factor"},
    {"crash-log-enabled", Kind::boolean, "yes"},
    {"crash-memcheck-enabled", Kind::boolean, "yes"},
    {"daemonize", Kind::immutable, "no"},
    {"databases", Kind::immutable, "16"},
    {"dbfilename", Kind::protected_text, "dump.rdb"},
    {"dir", Kind::protected_text, "/"},
    {"disable-thp", Kind::immutable, "yes"},
    {"dynamic-hz", Kind::boolean, "yes"},
    {"enable-debug-command", Kind::immutable, "yes"},
    {"enable-module-command", Kind::immutable, "no"},
    {"enable-protected-configs", Kind::immutable, "no"},
    {"hash-max-listpack-entries", Kind::integer, "512", 0, kMaxInt64},
    {"hash-max-listpack-value", Kind::memory, "64", 0, kMaxInt64},
    {"hash-max-ziplist-entries", Kind::alias, "hash-max-listpack-entries"},
    {"hash-max-ziplist-value", Kind::alias, "hash-max-listpack-value"},
    {"hll-sparse-max-bytes", Kind::memory, "3000", 0, kMaxInt64},
    {"hz", Kind::integer, "10", 0, 2147483647},
    {"ignore-warnings", Kind::text, ""},
    {"io-threads", Kind::immutable, "1"},
    {"io-threads-do-reads", Kind::immutable, "no"},
    {"jemalloc-bg-thread", Kind::boolean, "yes"},
    {"key-load-delay", Kind::integer, "0", -2147483648, 2147483647, {}, true},
    {"latency-monitor-threshold", Kind::integer, "0", 0, kMaxInt64},
    {"latency-tracking", Kind::boolean, "yes"},
    {"latency-tracking-info-percentiles", Kind::text, "50 99 99.9"},
    {"lazyfree-lazy-eviction", Kind::boolean, "no"},
    {"lazyfree-lazy-expire", Kind::boolean, "no"},
    {"lazyfree-lazy-server-del", Kind::boolean, "no"},
    {"lazyfree-lazy-user-del", Kind::boolean, "no"},
    {"lazyfree-lazy-user-flush", Kind::boolean, "no"},
    {"lfu-decay-time", Kind::integer, "1", 0, 2147483647},
    {"lfu-log-factor", Kind::integer, "10", 0, 2147483647},
    {"list-compress-depth", Kind::integer, "0", 0, 2147483647},
    {"list-max-listpack-size", Kind::integer, "-2", -2147483648, 2147483647},
    {"list-max-ziplist-size", Kind::alias, "list-max-listpack-size"},
    {"loading-process-events-interval-bytes", Kind::integer, "2097152", 1024, 2147483647, {}, true},
    {"logfile", Kind::immutable, ""},
    {"loglevel", Kind::choice, "notice", 0, 0, "debug, verbose, notice, warning"},
    {"lua-time-limit", Kind::alias, "busy-reply-threshold"},
    {"masterauth", Kind::text, ""},
    {"masteruser", Kind::text, ""},
    {"maxclients", Kind::integer, "10000", 1, 4294967295},
    {"maxmemory", Kind::memory, "0", 0, -1},
    {"maxmemory-clients", Kind::memory, "0", 0, kMaxInt64},
    {"maxmemory-eviction-tenacity", Kind::integer, "10", 0, 100},
    {"maxmemory-policy", Kind::choice, "noeviction", 0, 0,
     "volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, "
     "allkeys-random, noeviction"},
    {"maxmemory-samples", Kind::integer, "5", 1, 2147483647},
    {"min-replicas-max-lag", Kind::integer, "10", 0, 2147483647},
    {"min-replicas-to-write", Kind::integer, "0", 0, 2147483647},
    {"min-slaves-max-lag", Kind::alias, "min-replicas-max-lag"},
    {"min-slaves-to-write", Kind::alias, "min-replicas-to-write"},
    {"no-appendfsync-on-rewrite", Kind::boolean, "no"},
    {"notify-keyspace-events", Kind::text, ""},
    {"oom-score-adj", Kind::choice, "no", 0, 0, "no, yes, relative, absolute"},
    {"oom-score-adj-values", Kind::text, "0 200 800"},
    {"pidfile", Kind::immutable, ""},
    {"port", Kind::integer, "6379", 0, 65535},
    {"proc-title-template", Kind::text, "{title} {listen-addr} {server-mode}"},
    {"propagation-error-behavior", Kind::choice, "ignore", 0, 0,
     "ignore, panic, panic-on-replicas"},
    {"protected-mode", Kind::boolean, "yes"},
    {"proto-max-bulk-len", Kind::memory, "536870912", 1048576, kMaxInt64},
    {"rdb-del-sync-files", Kind::boolean, "no"},
    {"rdb-key-save-delay", Kind::integer, "0", -2147483648, 2147483647, {}, true},
    {"rdb-save-incremental-fsync", Kind::boolean, "yes"},
    {"rdbchecksum", Kind::immutable, "yes"},
    {"rdbcompression", Kind::boolean, "yes"},
    {"repl-backlog-size", Kind::memory, "1048576", 1, kMaxInt64},
    {"repl-backlog-ttl", Kind::integer, "3600", 0, kMaxInt64},
    {"repl-disable-tcp-nodelay", Kind::boolean, "no"},
    {"repl-diskless-load", Kind::choice, "disabled", 0, 0, "disabled, on-empty-db, swapdb"},
    {"repl-diskless-sync", Kind::boolean, "yes"},
    {"repl-diskless-sync-delay", Kind::integer, "5", 0, 2147483647},
    {"repl-diskless-sync-max-replicas", Kind::integer, "0", 0, 2147483647},
    {"repl-ping-replica-period", Kind::integer, "10", 1, 2147483647},
    {"repl-ping-slave-period", Kind::alias, "repl-ping-replica-period"},
    {"repl-timeout", Kind::integer, "60", 1, 2147483647},
    {"replica-announce-ip", Kind::text, ""},
    {"replica-announce-port", Kind::integer, "0", 0, 65535},
    {"replica-announced", Kind::boolean, "yes"},
    {"replica-ignore-disk-write-errors", Kind::boolean, "no"},
    {"replica-ignore-maxmemory", Kind::boolean, "yes"},
    {"replica-lazy-flush", Kind::boolean, "no"},
    {"replica-priority", Kind::integer, "100", 0, 2147483647},
    {"replica-read-only", Kind::boolean, "yes"},
    {"replica-serve-stale-data", Kind::boolean, "yes"},
    {"replicaof", Kind::immutable, ""},
    {"requirepass", Kind::text, ""},
    {"sanitize-dump-payload", Kind::choice, "no", 0, 0, "no, yes, clients"},
    {"save", Kind::text, "3600 1 300 100 60 10000"},
    {"server_cpulist", Kind::immutable, ""},
    {"set-max-intset-entries", Kind::integer, "512", 0, kMaxInt64},
    {"set-proc-title", Kind::immutable, "yes"},
    {"shutdown-on-sigint", Kind::text, "default"},
    {"shutdown-on-sigterm", Kind::text, "default"},
    {"shutdown-timeout", Kind::integer, "10", 0, 2147483647},
    {"slave-announce-ip", Kind::alias, "replica-announce-ip"},
    {"slave-announce-port", Kind::alias, "replica-announce-port"},
    {"slave-ignore-maxmemory", Kind::alias, "replica-ignore-maxmemory"},
    {"slave-lazy-flush", Kind::alias, "replica-lazy-flush"},
    {"slave-priority", Kind::alias, "replica-priority"},
    {"slave-read-only", Kind::alias, "replica-read-only"},
    {"slave-serve-stale-data", Kind::alias, "replica-serve-stale-data"},
    {"slaveof", Kind::alias, "replicaof"},
    {"slowlog-log-slower-than", Kind::integer, "10000", -1, kMaxInt64},
    {"slowlog-max-len", Kind::integer, "128", 0, kMaxInt64},
    {"socket-mark-id", Kind::immutable, "0"},
    {"stop-writes-on-bgsave-error", Kind::boolean, "yes"},
    {"stream-node-max-bytes", Kind::memory, "4096", 0, kMaxInt64},
    {"stream-node-max-entries", Kind::integer, "100", 0, kMaxInt64},
    {"supervised", Kind::immutable, "no"},
    {"syslog-enabled", Kind::immutable, "no"},
    {"syslog-facility", Kind::immutable, "local0"},
    {"syslog-ident", Kind::immutable, "redis"},
    {"tcp-backlog", Kind::immutable, "511"},
    {"tcp-keepalive", Kind::integer, "300", 0, 2147483647},
    {"timeout", Kind::integer, "0", 0, 2147483647},
    {"tls-auth-clients", Kind::choice, "yes", 0, 0, "no, yes, optional"},
    {"tls-ca-cert-dir", Kind::text, ""},
    {"tls-ca-cert-file", Kind::text, ""},
    {"tls-cert-file", Kind::text, ""},
    {"tls-ciphers", Kind::text, ""},
    {"tls-ciphersuites", Kind::text, ""},
    {"tls-client-cert-file", Kind::text, ""},
    {"tls-client-key-file", Kind::text, ""},
    {"tls-client-key-file-pass", Kind::text, ""},
    {"tls-cluster", Kind::boolean, "no"},
    {"tls-dh-params-file", Kind::text, ""},
    {"tls-key-file", Kind::text, ""},
    {"tls-key-file-pass", Kind::text, ""},
    {"tls-port", Kind::integer, "0", 0, 65535},
    {"tls-prefer-server-ciphers", Kind::boolean, "no"},
    {"tls-protocols", Kind::text, ""},
    {"tls-replication", Kind::boolean, "no"},
    {"tls-session-cache-size", Kind::integer, "20480", 0, 2147483647},
    {"tls-session-cache-timeout", Kind::integer, "300", 0, 2147483647},
    {"tls-session-caching", Kind::boolean, "yes"},
    {"tracking-table-max-keys", Kind::integer, "1000000", 0, kMaxInt64},
    {"unixsocket", Kind::immutable, ""},
    {"unixsocketperm", Kind::immutable, "0"},
    {"use-exit-on-panic", Kind::boolean, "no", 0, 0, {}, true},
    {"watchdog-period", Kind::integer, "0", 0, 2147483647, {}, true},
    {"zset-max-listpack-entries", Kind::integer, "128", 0, kMaxInt64},
    {"zset-max-listpack-value", Kind::memory, "64", 0, kMaxInt64},
    {"zset-max-ziplist-entries", Kind::alias, "zset-max-listpack-entries"},
    {"zset-max-ziplist-value", Kind::alias, "zset-max-listpack-value"},
};

std::string between(const Setting& setting) {
  return "argument must be between " + to_text(setting.min) + " and " + to_text(setting.max) +
         " inclusive";
}

/// Some sizes may be as large as an unsigned number can be; -1 stands for that.
constexpr std::int64_t kUnbounded = -1;

std::optional<std::string> normalize_memory(const Setting& setting, std::string& value) {
  if (setting.name == "maxmemory-clients") return normalize_memory_or_percent(value);
  const auto bytes = parse_memory(until_nul(value));
  if (!bytes) return "argument must be a memory value";
  if (setting.max != kUnbounded && (*bytes < static_cast<std::uint64_t>(setting.min) ||
                                    *bytes > static_cast<std::uint64_t>(setting.max)))
    return between(setting);
  value = std::to_string(*bytes);
  // Redis 7.0: CONFIG_REPL_BACKLOG_MIN_SIZE.
  if (setting.name == "repl-backlog-size" && *bytes < 16'384) value = "16384";
  return std::nullopt;
}

std::optional<std::string> normalize_integer(const Setting& setting, std::string& value) {
  const auto number = parse_int64(value);
  if (!number) return "argument couldn't be parsed into an integer";
  if (*number < setting.min || *number > setting.max) return between(setting);
  // Redis 7.0 takes any frequency and brings it into its bounds, CONFIG_MIN_HZ and CONFIG_MAX_HZ.
  value = to_text(setting.name == "hz" ? std::clamp<std::int64_t>(*number, 1, 500) : *number);
  return std::nullopt;
}

std::optional<std::string> normalize_boolean(const Setting& setting, std::string& value) {
  if (setting.name == "activedefrag" && is_word(value, "yes"))
    return "Active defragmentation cannot be enabled: it requires a Redis server compiled with a "
           "modified Jemalloc like the one shipped by default with the Redis source distribution";
  for (const std::string_view word : {"yes", "no"})
    if (is_word(value, word)) return value = word, std::nullopt;
  return "argument must be 'yes' or 'no'";
}

std::optional<std::string> normalize_choice(const Setting& setting, std::string& value) {
  for (std::string_view rest = setting.choices; !rest.empty();) {
    const auto comma = rest.find(", ");
    const std::string_view choice = rest.substr(0, comma);
    if (is_word(value, choice)) {
      value = choice == "relative" ? "yes" : choice;  // Redis knows both by the first name.
      return std::nullopt;
    }
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 2);
  }
  return "argument(s) must be one of the following: " + std::string{setting.choices};
}

/// Settings that commands on data look at.
constexpr std::pair<std::string_view, std::int64_t EncodingLimits::*> kLimits[] = {
    {"set-max-intset-entries", &EncodingLimits::set_max_intset_entries},
    {"zset-max-listpack-entries", &EncodingLimits::zset_max_listpack_entries},
    {"zset-max-listpack-value", &EncodingLimits::zset_max_listpack_value},
    {"hll-sparse-max-bytes", &EncodingLimits::hll_sparse_max_bytes},
    {"hash-max-listpack-entries", &EncodingLimits::hash_max_listpack_entries},
    {"hash-max-listpack-value", &EncodingLimits::hash_max_listpack_value},
    {"stream-node-max-bytes", &EncodingLimits::stream_node_max_bytes},
    {"stream-node-max-entries", &EncodingLimits::stream_node_max_entries},
};

constexpr std::pair<std::string_view, std::int64_t Watching::*> kWatching[] = {
    {"slowlog-log-slower-than", &Watching::slower_than},
    {"slowlog-max-len", &Watching::slow_log_size},
    {"latency-monitor-threshold", &Watching::latency_threshold},
    {"tracking-table-max-keys", &Watching::tracking_max_keys},
    {"client-query-buffer-limit", &Watching::query_buffer_bytes},
    {"maxmemory", &Watching::max_memory},
    {"min-replicas-to-write", &Watching::min_replicas},
    {"min-replicas-max-lag", &Watching::min_replicas_max_lag},
    {"timeout", &Watching::idle_seconds},
};

std::string_view real_name(std::string_view name) {
  const Setting* setting = find_setting(name);
  return setting && setting->kind == Kind::alias ? setting->value : name;
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kSettings), std::end(kSettings), name,
      [](const Setting& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kSettings) && found->name == name ? found : nullptr;
}

std::string_view Config::get(std::string_view name) const {
  const std::string_view real = real_name(name);
  if (const auto changed = changed_.find(real); changed != changed_.end()) return changed->second;
  return find_setting(real)->value;
}

std::int64_t Config::number(std::string_view name) const {
  const std::string_view text = get(name);
  if (const auto number = parse_int64(text)) return *number;
  return parse_uint64(text) ? kMaxInt64 : 0;  // Larger than any number that is compared with it.
}

std::optional<std::string> Config::normalize(const Setting& setting, std::string& value) {
  switch (setting.kind) {
    case Kind::alias:
      return normalize(*find_setting(setting.value), value);
    case Kind::immutable:
      return "can't set immutable config";
    case Kind::protected_text:
      return "can't set protected config";
    case Kind::boolean:
      return normalize_boolean(setting, value);
    case Kind::integer:
      return normalize_integer(setting, value);
    case Kind::memory:
      return normalize_memory(setting, value);
    case Kind::choice:
      return normalize_choice(setting, value);
    case Kind::text:
      if (setting.name == "notify-keyspace-events" && !parse_event_settings(until_nul(value)))
        return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
      return normalize_text(setting.name, value);
  }
  return std::nullopt;
}

namespace {
std::uint64_t digest_of(std::string_view name, std::string_view value) {
  return XXH64(value.data(), value.size(), XXH64(name.data(), name.size(), 0));
}
}  // namespace

UseCounting Config::use_counting() const {
  return {.lfu = get("maxmemory-policy").ends_with("lfu"),
          .lfu_log_factor = parse_int64(get("lfu-log-factor")).value_or(0),
          .lfu_decay_time = parse_int64(get("lfu-decay-time")).value_or(0)};
}

void Config::put(std::string_view name, std::string_view value) {
  const std::string_view real = real_name(name);
  std::string kept{value};
  if (real == "client-output-buffer-limit") kept = merge_buffer_limits(get(real), value);
  if (real == "notify-keyspace-events") {
    events_ = parse_event_settings(value).value_or(EventSettings{});
    kept = to_letters(events_);
  }
  const auto [place, is_new] = changed_.try_emplace(std::string{real});
  if (!is_new) digest_ -= digest_of(real, place->second);
  digest_ += digest_of(real, kept);
  place->second = std::move(kept);
  for (const auto& [setting, limit] : kLimits)
    if (real == setting) limits_.*limit = parse_int64(value).value_or(limits_.*limit);
  for (const auto& [setting, field] : kWatching)
    if (real == setting) watching_.*field = number(real);
  if (real == "client-output-buffer-limit") output_limits_ = OutputLimits{get(real)};
  if (real == "latency-tracking") watching_.latency_tracking = value == "yes";
  if (real == "proto-max-bulk-len") max_bulk_bytes_ = parse_int64(value).value_or(max_bulk_bytes_);
}

}  // namespace picklock
