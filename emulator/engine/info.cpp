// The sections of INFO, and those of their lines that tell of several things: replicas, databases,
// commands.
#include "emulator/engine/info.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/info_fields.hpp"
#include "emulator/engine/latency_report.hpp"
#include "emulator/engine/sentinel/sentinel.hpp"

namespace picklock {

namespace {

/// A number that is not negative, with a fixed number of decimals, whatever the locale.
std::string with_decimals(double value, int decimals) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  return {buffer, end.ptr};
}

/// The link of a replica.
std::string link_lines(const Engine& e) {
  const Replication& replication = e.replication;
  const bool up = replication.link == Replication::Link::connected;
  const auto since = [&](Instant then) {
    return to_text((to_unix_ms(e.clock.now()) - to_unix_ms(then)) / 1000);
  };
  const bool syncing = replication.link == Replication::Link::sync;
  std::string lines =
      "master_host:" + replication.primary->host +
      "\r\nmaster_port:" + to_text(replication.primary->port) +
      "\r\nmaster_link_status:" + (up ? "up" : "down") +
      "\r\nmaster_last_io_seconds_ago:" + (up ? since(replication.heard_at) : "-1") +
      "\r\nmaster_sync_in_progress:" + to_text(syncing) +
      "\r\nslave_read_repl_offset:" + to_text(replication.offset) +
      "\r\nslave_repl_offset:" + to_text(replication.offset) + "\r\n";
  if (!up) {
    const auto down = replication.down_since;
    lines += "master_link_down_since_seconds:" + (down ? since(*down) : "-1") + "\r\n";
  }
  return lines;
}

/// What stands before the fields of Replication, and hangs on the role.
std::string role_lines(const Engine& e) {
  const Replication& replication = e.replication;
  const auto flag = [&](std::string_view name) {
    return std::string{e.config.get(name) == "yes" ? "1" : "0"} + "\r\n";
  };
  std::string lines = "role:master\r\n";
  if (replication.primary)
    lines = "role:slave\r\n" + link_lines(e) +
            "slave_priority:" + std::string{e.config.get("replica-priority")} +
            "\r\nslave_read_only:" + flag("replica-read-only") +
            "replica_announced:" + flag("replica-announced");
  lines += "connected_slaves:" + to_text(replication.replicas.size()) + "\r\n";
  const auto& watching = e.config.watching();
  if (watching.min_replicas > 0 && watching.min_replicas_max_lag > 0)
    lines += "min_slaves_good_slaves:" +
             to_text(replication.count_good(e.clock.now(), watching.min_replicas_max_lag)) + "\r\n";
  std::size_t index = 0;
  for (const Replication::Replica& replica : replication.replicas) {
    lines += "slave" + to_text(index++) + ":ip=" + replica.host + ",port=" + to_text(replica.port) +
             ",state=" + (replica.online ? "online" : "send_bulk") +
             ",offset=" + to_text(replica.acknowledged) +
             ",lag=" + to_text(lag_seconds(replica, e.clock.now())) + "\r\n";
  }
  return lines;
}

/// How many hashes have fields with a deadline, where the server tells that.
std::string volatile_hashes(const Engine& engine, const Database& database) {
  if (!engine.profile->has(kNewer)) return {};
  std::int64_t count = 0;
  database.keys().for_each([&](const auto& entry) {
    const auto* hash = std::get_if<HashValue>(&entry.value.value);
    count += hash && hash->has_deadlines();
  });
  return (engine.profile->is_valkey() ? ",keys_with_volatile_items=" : ",subexpiry=") +
         to_text(count);
}

std::string keyspace_lines(const Engine& engine) {
  std::string text;
  for (int i = 0; i < engine.keyspace.size(); ++i) {
    const Database* database = engine.keyspace.at(i);
    if (!database || database->size() == 0) continue;
    text += "db" + to_text(i) + ":keys=" + to_text(database->size()) +
            ",expires=" + to_text(database->volatile_size()) +
            ",avg_ttl=" + to_text(database->average_ttl_ms(to_unix_ms(engine.clock.now()))) +
            volatile_hashes(engine, *database) + "\r\n";
  }
  return text;
}

std::string command_lines(const Engine& engine) {
  std::string text;
  for (const CommandCounters& counters : engine.stats.counters()) {
    if (counters.calls + counters.rejected + counters.failed == 0) continue;
    const auto each = counters.calls == 0 ? 0.0
                                          : static_cast<double>(counters.microseconds) /
                                                static_cast<double>(counters.calls);
    text += "cmdstat_" + std::string{counters.command->name} + ":calls=" + to_text(counters.calls) +
            ",usec=" + to_text(counters.microseconds) + ",usec_per_call=" + with_decimals(each, 2) +
            ",rejected_calls=" + to_text(counters.rejected) +
            ",failed_calls=" + to_text(counters.failed) + "\r\n";
  }
  return text;
}

std::string error_lines(const Engine& engine) {
  std::string text;
  for (const auto& [code, count] : engine.stats.codes())
    text += "errorstat_" + code + ":count=" + to_text(count) + "\r\n";
  return text;
}

std::string latency_lines(const Engine& engine) {
  std::string text;
  if (!engine.config.watching().latency_tracking) return text;
  for (const CommandCounters& counters : engine.stats.counters()) {
    if (counters.timed == 0) continue;
    text += "latency_percentiles_usec_" + std::string{counters.command->name} + ":";
    std::string_view rest = engine.config.get("latency-tracking-info-percentiles");
    while (!rest.empty()) {
      const std::string_view percent = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(percent.size() + 1, rest.size()));
      const auto ns = latency_percentile(counters, parse_double(percent).value_or(0));
      text += "p" + std::string{percent} + "=" + with_decimals(static_cast<double>(ns) / 1000, 3) +
              (rest.empty() ? "" : ",");
    }
    text += "\r\n";
  }
  return text;
}

/// Redis 7.0: genRedisInfoString, in sentinel mode.
std::string sentinel_lines(const Engine& engine) {
  std::string text;
  std::size_t count = 0;
  if (Sentinel* const sentinel = engine.control->sentinel)
    for (const auto& [name, master] : sentinel->masters())
      text += "master" + to_text(count++) + ":name=" + name + ",status=" +
              (master.objectively_down_since ? "odown"
               : master.seen.down_since      ? "sdown"
                                             : "ok") +
              ",address=" + to_text(master.address) + ",slaves=" + to_text(master.replicas.size()) +
              ",sentinels=1\r\n";
  return "sentinel_masters:" + to_text(count) +
         "\r\nsentinel_tilt:0\r\nsentinel_tilt_since_seconds:-1\r\nsentinel_running_scripts:0\r\n"
         "sentinel_scripts_queue_length:0\r\nsentinel_simulate_failure_flags:0\r\n" +
         text;
}

struct Section {
  std::string_view title;
  bool by_default = true;
  std::string (*lines)(const Engine&) = nullptr;        ///< Behind the fields.
  std::string (*first_lines)(const Engine&) = nullptr;  ///< Before them.
};

constexpr Section kSections[] = {
    {"Server"},
    {"Clients"},
    {"Memory"},
    {"Persistence"},
    {"Stats"},
    {"Replication", true, nullptr, role_lines},
    {"CPU"},
    {"Modules"},
    {"Commandstats", false, command_lines},
    {"Errorstats", true, error_lines},
    {"Latencystats", false, latency_lines},
    {"Cluster"},
    {"Keyspace", true, keyspace_lines},
};

constexpr Section kSentinelSections[] = {
    {"Server"}, {"Clients"}, {"Stats"}, {"CPU"}, {"Sentinel", true, sentinel_lines},
};

bool is_wanted(const Section& section, Args wanted) {
  if (wanted.empty()) return section.by_default;
  return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view word) {
    if (is_word(word, "all") || is_word(word, "everything")) return true;
    if (section.title == "Modules" && is_word(word, "module_list")) return true;
    return is_word(word, "default") ? section.by_default : is_word(word, section.title);
  });
}

}  // namespace

std::string info_text(const Engine& engine, Args wanted) {
  std::string text;
  const std::span<const Section> sections =
      engine.profile->is_sentinel ? std::span<const Section>{kSentinelSections} : kSections;
  for (const Section& section : sections) {
    if (!is_wanted(section, wanted)) continue;
    if (!text.empty()) text += "\r\n";
    text += "# " + std::string{section.title} + "\r\n";
    if (section.first_lines) text += section.first_lines(engine);
    text += info_fields(engine, section.title);
    if (section.lines) text += section.lines(engine);
  }
  return text;
}

}  // namespace picklock
