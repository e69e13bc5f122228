// The fields of INFO, section by section: constants, and what the engine knows of itself.
#include "emulator/engine/info_fields.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/eviction.hpp"

namespace picklock {

namespace {

struct Field {
  std::string_view name;
  std::string_view text;
  std::string (*live)(const Engine&) =
      nullptr;                     ///< Instead of the text, where the engine knows better.
  Servers servers = kEveryServer;  ///< Those that have the line.
};

template <class Number>
std::string number(Number value) {
  return to_text(static_cast<std::int64_t>(value));
}

std::int64_t uptime(const Engine& e) {
  return std::chrono::floor<std::chrono::seconds>(e.clock.now() - e.started_at).count();
}
std::string time_usec(const Engine& e) { return number(e.clock.now().time_since_epoch().count()); }
std::string uptime_seconds(const Engine& e) { return number(uptime(e)); }
std::string uptime_days(const Engine& e) { return number(uptime(e) / 86400); }
// Redis: its replicas are no clients, its primary is one.
std::string clients(const Engine& e) {
  const auto replicas =
      std::ranges::count_if(e.sessions(), [](const auto& item) { return item.second->is_replica; });
  const bool hears_primary =
      e.replication.primary && e.replication.link == Replication::Link::connected;
  return number(static_cast<std::ptrdiff_t>(e.sessions().size()) - replicas + hears_primary);
}
std::string blocked(const Engine& e) { return number(e.blocked_count()); }
std::string timed_waits(const Engine& e) {
  return number(std::count_if(e.sessions().begin(), e.sessions().end(), [](const auto& item) {
    return item.second->blocked && item.second->blocked->deadline;
  }));
}
std::string scripts(const Engine& e) { return number(e.scripts.size()); }
std::string functions(const Engine& e) {
  std::size_t count = 0;
  e.functions.libraries().for_each([&](const auto& one) { count += one.value.functions.size(); });
  return number(count);
}
std::string libraries(const Engine& e) { return number(e.functions.libraries().size()); }
std::string appends(const Engine& e) { return e.config.get("appendonly") == "yes" ? "1" : "0"; }
std::string connections(const Engine& e) { return number(e.stats.connections); }
std::string rejected(const Engine& e) { return number(e.stats.rejected_connections); }
std::string commands(const Engine& e) { return number(e.stats.commands); }
std::string errors_answered(const Engine& e) { return number(e.stats.errors); }
std::string hits(const Engine& e) { return number(e.keyspace.hits); }
std::string misses(const Engine& e) { return number(e.keyspace.misses); }
std::string trackers(const Engine& e) { return number(e.tracking.sessions); }
std::string tracked_keys(const Engine& e) { return number(e.tracking.keys.size()); }
std::string tracked_items(const Engine& e) { return number(e.tracking.items); }
std::string tracked_prefixes(const Engine& e) { return number(e.tracking.prefixes.size()); }
std::string expired(const Engine& e) {
  std::uint64_t sum = 0;
  for (const Database& database : e.keyspace.used()) sum += database.expired();
  return number(sum);
}

std::string version(const Engine& e) { return std::string{e.profile->version}; }
std::string redis_version(const Engine& e) { return std::string{e.profile->redis_version}; }

std::string expired_fields(const Engine& e) {
  std::uint64_t sum = 0;
  for (const Database& database : e.keyspace.used()) sum += database.expired_fields();
  return number(sum);
}

std::string evicted(const Engine& e) { return number(e.stats.evicted); }
std::string mode(const Engine& e) {
  if (e.profile->is_sentinel) return "sentinel";
  return e.cluster.enabled ? "cluster" : "standalone";
}
std::string in_cluster(const Engine& e) { return e.cluster.enabled ? "1" : "0"; }
template <Topic topic>
std::string subscriptions(const Engine& e) {
  return number(e.pubsub.all(topic).size());
}

/// Redis: bytesToHuman.
std::string human(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGTP";
  if (bytes < 1024) return number(bytes) + "B";
  std::uint64_t scale = 1024;
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  const auto hundredths = static_cast<std::uint64_t>(
      static_cast<long double>(bytes) * 100 / static_cast<long double>(scale) + 0.5L);
  const std::string rest = number(hundredths % 100);
  return number(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest + kUnits[unit];
}

std::string used(const Engine& e) { return number(used_memory(e)); }
std::string used_human(const Engine& e) { return human(used_memory(e)); }
std::string startup_memory(const Engine&) { return number(kStartupBytes); }
std::string dataset(const Engine& e) { return number(used_memory(e) - kStartupBytes); }
std::string limit_human(const Engine& e) {
  return human(static_cast<std::uint64_t>(e.config.watching().max_memory));
}

std::string config_file(const Engine& e) { return e.control->config_file; }
std::string unsaved(const Engine& e) {
  return number(e.keyspace.changes() - e.persistence.saved_changes);
}
std::string saved(const Engine& e) { return number(to_unix_ms(e.persistence.last_save) / 1000); }
std::string saves(const Engine& e) { return number(e.persistence.saves); }
std::string rewrites(const Engine& e) { return number(e.persistence.rewrites); }
std::string bgsave_time(const Engine& e) { return e.persistence.was_bgsave ? "0" : "-1"; }
std::string rewrite_time(const Engine& e) { return e.persistence.was_rewrite ? "0" : "-1"; }
std::string run_id(const Engine& e) { return e.run_id; }

constexpr char kPort[] = "port";
constexpr char kHz[] = "hz";
constexpr char kMaxClients[] = "maxclients";
constexpr char kMaxMemory[] = "maxmemory";
constexpr char kMaxMemoryPolicy[] = "maxmemory-policy";
constexpr char kReplBacklogSize[] = "repl-backlog-size";

template <const char* name>
std::string setting(const Engine& e) {
  return std::string{e.config.get(name)};
}

constexpr Field kServer[] = {
    {"redis_version", {}, redis_version},
    {"server_name", "valkey", nullptr, kValkey90},
    {"valkey_version", {}, version, kValkey90},
    {"valkey_release_stage", "ga", nullptr, kValkey90},
    {"redis_git_sha1", "00000000"},
    {"redis_git_dirty", "0"},
    {"redis_build_id", "0000000000000000"},
    {"redis_mode", {}, mode, kRedis70 | kRedis84},
    {"server_mode", {}, mode, kValkey90},
    {"os", "Linux"},
    {"arch_bits", "64"},
    {"monotonic_clock", "POSIX clock_gettime"},
    {"multiplexing_api", "epoll"},
    {"atomicvar_api", "c11-builtin"},
    {"gcc_version", "12.2.0"},
    {"process_id", "1"},
    {"process_supervised", "no"},
    {"run_id", {}, run_id},
    {"tcp_port", {}, setting<kPort>},
    {"server_time_usec", {}, time_usec},
    {"uptime_in_seconds", {}, uptime_seconds},
    {"uptime_in_days", {}, uptime_days},
    {"hz", {}, setting<kHz>},
    {"configured_hz", {}, setting<kHz>},
    {"lru_clock", "0"},
    {"executable", "picklock"},
    {"config_file", {}, config_file},
    {"io_threads_active", "0"},
};

constexpr Field kClients[] = {
    {"connected_clients", {}, clients},       {"cluster_connections", "0"},
    {"maxclients", {}, setting<kMaxClients>}, {"client_recent_max_input_buffer", "0"},
    {"client_recent_max_output_buffer", "0"}, {"blocked_clients", {}, blocked},
    {"tracking_clients", {}, trackers},       {"clients_in_timeout_table", {}, timed_waits},
};

constexpr Field kMemory[] = {
    {"used_memory", {}, used},
    {"used_memory_human", {}, used_human},
    {"used_memory_rss", {}, used},
    {"used_memory_rss_human", {}, used_human},
    {"used_memory_peak", {}, used},
    {"used_memory_peak_human", {}, used_human},
    {"used_memory_peak_perc", "100.00%"},
    {"used_memory_overhead", {}, startup_memory},
    {"used_memory_startup", {}, startup_memory},
    {"used_memory_dataset", {}, dataset},
    {"used_memory_dataset_perc", "0.00%"},
    {"allocator_allocated", {}, used},
    {"allocator_active", {}, used},
    {"allocator_resident", {}, used},
    {"total_system_memory", "0"},
    {"total_system_memory_human", "0B"},
    {"used_memory_lua", "0"},
    {"used_memory_vm_eval", "0"},
    {"used_memory_lua_human", "0B"},
    {"used_memory_scripts_eval", "0"},
    {"number_of_cached_scripts", {}, scripts},
    {"number_of_functions", {}, functions},
    {"number_of_libraries", {}, libraries},
    {"used_memory_vm_functions", "0"},
    {"used_memory_vm_total", "0"},
    {"used_memory_vm_total_human", "0B"},
    {"used_memory_functions", "0"},
    {"used_memory_scripts", "0"},
    {"used_memory_scripts_human", "0B"},
    {"maxmemory", {}, setting<kMaxMemory>},
    {"maxmemory_human", {}, limit_human},
    {"maxmemory_policy", {}, setting<kMaxMemoryPolicy>},
    {"allocator_frag_ratio", "0.00"},
    {"allocator_frag_bytes", "0"},
    {"allocator_rss_ratio", "0.00"},
    {"allocator_rss_bytes", "0"},
    {"rss_overhead_ratio", "0.00"},
    {"rss_overhead_bytes", "0"},
    {"mem_fragmentation_ratio", "0.00"},
    {"mem_fragmentation_bytes", "0"},
    {"mem_not_counted_for_evict", "0"},
    {"mem_replication_backlog", "0"},
    {"mem_total_replication_buffers", "0"},
    {"mem_clients_slaves", "0"},
    {"mem_clients_normal", "0"},
    {"mem_cluster_links", "0"},
    {"mem_aof_buffer", "0"},
    {"mem_allocator", "libc"},
    {"active_defrag_running", "0"},
    {"lazyfree_pending_objects", "0"},
    {"lazyfreed_objects", "0"},
};

constexpr Field kPersistence[] = {
    {"loading", "0"},
    {"async_loading", "0"},
    {"current_cow_peak", "0"},
    {"current_cow_size", "0"},
    {"current_cow_size_age", "0"},
    {"current_fork_perc", "0.00"},
    {"current_save_keys_processed", "0"},
    {"current_save_keys_total", "0"},
    {"rdb_changes_since_last_save", {}, unsaved},
    {"rdb_bgsave_in_progress", "0"},
    {"rdb_last_save_time", {}, saved},
    {"rdb_last_bgsave_status", "ok"},
    {"rdb_last_bgsave_time_sec", {}, bgsave_time},
    {"rdb_current_bgsave_time_sec", "-1"},
    {"rdb_saves", {}, saves},
    {"rdb_last_cow_size", "0"},
    {"rdb_last_load_keys_expired", "0"},
    {"rdb_last_load_keys_loaded", "0"},
    {"aof_enabled", {}, appends},
    {"aof_rewrite_in_progress", "0"},
    {"aof_rewrite_scheduled", "0"},
    {"aof_last_rewrite_time_sec", {}, rewrite_time},
    {"aof_current_rewrite_time_sec", "-1"},
    {"aof_last_bgrewrite_status", "ok"},
    {"aof_rewrites", {}, rewrites},
    {"aof_rewrites_consecutive_failures", "0"},
    {"aof_last_write_status", "ok"},
    {"aof_last_cow_size", "0"},
    {"module_fork_in_progress", "0"},
    {"module_fork_last_cow_size", "0"},
};

constexpr Field kStats[] = {
    {"total_connections_received", {}, connections},
    {"total_commands_processed", {}, commands},
    {"instantaneous_ops_per_sec", "0"},
    {"total_net_input_bytes", "0"},
    {"total_net_output_bytes", "0"},
    {"total_net_repl_input_bytes", "0"},
    {"total_net_repl_output_bytes", "0"},
    {"instantaneous_input_kbps", "0.00"},
    {"instantaneous_output_kbps", "0.00"},
    {"instantaneous_input_repl_kbps", "0.00"},
    {"instantaneous_output_repl_kbps", "0.00"},
    {"rejected_connections", {}, rejected},
    {"sync_full", {}, [](const Engine& e) { return number(e.stats.full_syncs); }},
    {"sync_partial_ok", {}, [](const Engine& e) { return number(e.stats.partial_syncs); }},
    {"sync_partial_err", {}, [](const Engine& e) { return number(e.stats.refused_partial_syncs); }},
    {"expired_subkeys", {}, expired_fields, kRedis84},
    {"expired_keys", {}, expired},
    {"expired_fields", {}, expired_fields, kValkey90},
    {"expired_stale_perc", "0.00"},
    {"expired_time_cap_reached_count", "0"},
    {"expire_cycle_cpu_milliseconds", "0"},
    {"evicted_keys", {}, evicted},
    {"evicted_clients", "0"},
    {"total_eviction_exceeded_time", "0"},
    {"current_eviction_exceeded_time", "0"},
    {"keyspace_hits", {}, hits},
    {"keyspace_misses", {}, misses},
    {"pubsub_channels", {}, subscriptions<Topic::channel>},
    {"pubsub_patterns", {}, subscriptions<Topic::pattern>},
    {"pubsubshard_channels", {}, subscriptions<Topic::shard_channel>},
    {"latest_fork_usec", "0"},
    {"total_forks", "0"},
    {"migrate_cached_sockets", "0"},
    {"slave_expires_tracked_keys", "0"},
    {"active_defrag_hits", "0"},
    {"active_defrag_misses", "0"},
    {"active_defrag_key_hits", "0"},
    {"active_defrag_key_misses", "0"},
    {"total_active_defrag_time", "0"},
    {"current_active_defrag_time", "0"},
    {"tracking_total_keys", {}, tracked_keys},
    {"tracking_total_items", {}, tracked_items},
    {"tracking_total_prefixes", {}, tracked_prefixes},
    {"unexpected_error_replies", "0"},
    {"total_error_replies", {}, errors_answered},
    {"dump_payload_sanitizations", "0"},
    {"total_reads_processed", "0"},
    {"total_writes_processed", "0"},
    {"io_threaded_reads_processed", "0"},
    {"io_threaded_writes_processed", "0"},
    {"reply_buffer_shrinks", "0"},
    {"reply_buffer_expands", "0"},
};

/// The backlog never holds more than its size.
std::int64_t first_kept_byte(const Engine& e) {
  const std::int64_t size = parse_int64(e.config.get(kReplBacklogSize)).value_or(0);
  return std::max(e.replication.backlog_start, e.replication.offset - size + 1);
}

constexpr Field kReplication[] = {
    {"master_failover_state", "no-failover"},
    {"master_replid", {}, [](const Engine& e) { return e.replication.ids->first; }},
    {"master_replid2", {}, [](const Engine& e) { return e.replication.ids->second; }},
    {"master_repl_offset", {}, [](const Engine& e) { return number(e.replication.offset); }},
    {"second_repl_offset", {}, [](const Engine& e) { return number(e.replication.second_offset); }},
    {"repl_backlog_active", {}, [](const Engine& e) { return number(e.replication.has_backlog); }},
    {"repl_backlog_size", {}, setting<kReplBacklogSize>},
    {"repl_backlog_first_byte_offset",
     {},
     [](const Engine& e) { return number(e.replication.has_backlog ? first_kept_byte(e) : 0); }},
    {"repl_backlog_histlen",
     {},
     [](const Engine& e) {
       return number(e.replication.has_backlog ? e.replication.offset - first_kept_byte(e) + 1 : 0);
     }},
};

constexpr Field kCPU[] = {
    {"used_cpu_sys", "0.000000"},
    {"used_cpu_user", "0.000000"},
    {"used_cpu_sys_children", "0.000000"},
    {"used_cpu_user_children", "0.000000"},
    {"used_cpu_sys_main_thread", "0.000000"},
    {"used_cpu_user_main_thread", "0.000000"},
};

constexpr Field kCluster[] = {
    {"cluster_enabled", {}, in_cluster},
};

struct FieldsOfSection {
  std::string_view title;
  std::span<const Field> fields;
};

constexpr FieldsOfSection kSectionsWithFields[] = {
    {"Server", kServer}, {"Clients", kClients},
    {"Memory", kMemory}, {"Persistence", kPersistence},
    {"Stats", kStats},   {"Replication", kReplication},
    {"CPU", kCPU},       {"Cluster", kCluster},
};

}  // namespace

std::string info_fields(const Engine& engine, std::string_view title) {
  const auto* const section =
      std::ranges::find(kSectionsWithFields, title, &FieldsOfSection::title);
  if (section == std::end(kSectionsWithFields)) return {};
  std::string text;
  for (const Field& field : section->fields)
    if ((engine.profile->self & field.servers) != 0)
      text += std::string{field.name} + ":" +
              (field.live ? field.live(engine) : std::string{field.text}) + "\r\n";
  return text;
}

}  // namespace picklock
