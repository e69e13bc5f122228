// SENTINEL SET, MONITOR, CONFIG and DEBUG.
#include <algorithm>
#include <string>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/base/ip_address.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/sentinel_steps.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

/// The options of SENTINEL SET that are numbers from 1 on.
struct NumberOption {
  std::string_view name;
  std::int64_t Sentinel::Master::*member;  ///< Null: nothing hangs on it here.
};
constexpr NumberOption kNumbers[] = {
    {"down-after-milliseconds", &Sentinel::Master::down_after_ms},
    {"failover-timeout", &Sentinel::Master::failover_timeout_ms},
    {"parallel-syncs", &Sentinel::Master::parallel_syncs},
    {"quorum", &Sentinel::Master::quorum},
};
constexpr std::int64_t kMostQuorum = 1'000'000;

std::string invalid(std::string_view value, std::string_view option) {
  return "ERR Invalid argument '" + errors::printed(value) + "' for SENTINEL SET '" +
         errors::printed(option) + "'";
}

/// Carries out one option; returns how many words it took, 0 with the error answered.
std::size_t set_one(Context& c, Sentinel::Master& master, Args words) {
  Sentinel& sentinel = *commands::sentinel_of(c);
  const std::string_view option = words[0];
  const auto tell = [&](std::string_view value) {
    sentinel.tell("+set", Sentinel::describe(master),
                  std::string{option} + " " + std::string{value});
  };
  const bool has_value = words.size() > 1;
  for (const NumberOption& each : kNumbers) {
    if (!is_word(option, each.name) || !has_value) continue;
    const auto number = parse_int64(words[1]);
    if (!number || *number < 1) return c.reply.error(invalid(words[1], option)), 0;
    master.*each.member =
        std::min(*number, each.name == "quorum" ? kMostQuorum : kLastInstantMs / 4);
    return tell(words[1]), 2;
  }
  if (is_word(option, "master-reboot-down-after-period") && has_value) {
    const auto number = parse_int64(words[1]);
    if (!number || *number < 0) return c.reply.error(invalid(words[1], option)), 0;
    return tell(words[1]), 2;
  }
  if ((is_word(option, "notification-script") || is_word(option, "client-reconfig-script")) &&
      has_value)
    return c.reply.error(
               "ERR Reconfiguration of scripts path is denied for security reasons. "
               "Check the deny-scripts-reconfig configuration directive in your Sentinel "
               "configuration"),
           0;
  if (is_word(option, "auth-pass") && has_value) return tell("******"), 2;
  if (is_word(option, "auth-user") && has_value) return tell(words[1]), 2;
  if (is_word(option, "rename-command") && words.size() > 2) {
    if (words[1].empty()) return c.reply.error(invalid(words[1], option)), 0;
    return tell(std::string{words[1]} + " " + std::string{words[2]}), 3;
  }
  return c.reply.error("ERR Unknown option or number of arguments for SENTINEL SET '" +
                       errors::printed(option) + "'"),
         0;
}

struct SentinelSetting {
  std::string_view name;
  std::string_view value;  ///< What it begins with.
};
constexpr SentinelSetting kSentinelSettings[] = {
    {"resolve-hostnames", "no"}, {"announce-hostnames", "no"}, {"announce-ip", ""},
    {"announce-port", "0"},      {"sentinel-user", ""},        {"sentinel-pass", ""},
};

bool is_setting_good(std::string_view name, std::string_view value) {
  if (name.ends_with("hostnames")) return is_word(value, "yes") || is_word(value, "no");
  if (name != "announce-port") return true;
  const auto port = parse_int64(value);
  return port && *port >= 0 && *port <= 65'535;
}

void set_config(Context& c) {
  if (c.args.size() != 5)
    return c.reply.error("ERR Only SET/GET with one parameter and one value are supported");
  const std::string name = lower(c.args[3]);
  const bool known =
      std::ranges::any_of(kSentinelSettings, [&](const auto& each) { return each.name == name; });
  if (!known)
    return c.reply.error("ERR Invalid argument '" + errors::printed(c.args[3]) +
                         "' to SENTINEL CONFIG SET");
  if (!is_setting_good(name, c.args[4]))
    return c.reply.error("ERR Invalid value '" + errors::printed(c.args[4]) +
                         "' to SENTINEL CONFIG SET '" + errors::printed(c.args[3]) + "'");
  commands::sentinel_of(c)->settings[name] = c.args[4];
  c.reply.ok();
}

void get_config(Context& c) {
  const auto& said = commands::sentinel_of(c)->settings;
  std::vector<std::pair<std::string_view, std::string_view>> found;
  for (const SentinelSetting& each : kSentinelSettings) {
    if (!glob_match(c.args[3], each.name, /*ignore_case=*/true)) continue;
    const auto own = said.find(std::string{each.name});
    found.emplace_back(each.name, own == said.end() ? each.value : std::string_view{own->second});
  }
  c.reply.map(found.size());
  for (const auto& [name, value] : found) {
    c.reply.bulk(name);
    c.reply.bulk(value);
  }
}

struct Period {
  std::string_view name;
  std::int64_t ms;
};
constexpr Period kPeriods[] = {
    {"INFO-PERIOD", 10'000},
    {"PING-PERIOD", 1000},
    {"ASK-PERIOD", 1000},
    {"PUBLISH-PERIOD", 2000},
    {"DEFAULT-DOWN-AFTER", 30'000},
    {"DEFAULT-FAILOVER-TIMEOUT", 180'000},
    {"TILT-TRIGGER", 2000},
    {"TILT-PERIOD", 30'000},
    {"SLAVE-RECONF-TIMEOUT", 10'000},
    {"MIN-LINK-RECONNECT-PERIOD", 15'000},
    {"ELECTION-TIMEOUT", 10'000},
    {"SCRIPT-MAX-RUNTIME", 60'000},
    {"SCRIPT-RETRY-DELAY", 30'000},
};

constexpr std::string_view kNoSentinel = "ERR this sentinel watches nothing: no server has made it";

}  // namespace

void commands::sentinel_set(Context& c) {
  Sentinel::Master* const master = find_master(c, c.args[2]);
  if (!master) return;
  for (std::size_t at = 3; at < c.args.size();) {
    const std::size_t taken = set_one(c, *master, c.args.subspan(at));
    if (taken == 0) return;
    at += taken;
  }
  c.reply.ok();
}

// Redis 7.0.15 looks names up; here none is, for nothing leaves the process.
void commands::sentinel_monitor(Context& c) {
  Sentinel* const sentinel = sentinel_of(c);
  if (!sentinel) return c.reply.error(kNoSentinel);
  const auto quorum = parse_int64(c.args[5]);
  if (!quorum) return c.reply.error("ERR Invalid quorum");
  const auto port = parse_int64(c.args[4]);
  if (!port) return c.reply.error("ERR Invalid port");
  if (*quorum <= 0) return c.reply.error("ERR Quorum must be 1 or greater.");
  if (sentinel->find(c.args[2])) return c.reply.error("ERR Duplicate master name.");
  if (!is_ip_address(c.args[3]))
    return c.reply.error("ERR Invalid IP address or hostname specified");
  if (*port < 0 || *port > 65'535) return c.reply.error("ERR Invalid port number.");
  Sentinel::Master master;
  master.name = c.args[2];
  master.address = {std::string{c.args[3]}, static_cast<int>(*port)};
  master.quorum = std::min(*quorum, kMostQuorum);
  sentinel->monitor(std::move(master));
  c.reply.ok();
}

void commands::sentinel_config(Context& c) {
  if (!sentinel_of(c)) return c.reply.error(kNoSentinel);
  if (is_word(c.args[2], "set")) return set_config(c);
  if (is_word(c.args[2], "get") && c.args.size() == 4) return get_config(c);
  c.reply.error("ERR Only SENTINEL CONFIG GET <option> / SET <option> <value> are supported.");
}

void commands::sentinel_debug(Context& c) {
  Sentinel* const sentinel = sentinel_of(c);
  if (!sentinel) return c.reply.error(kNoSentinel);
  for (std::size_t at = 2; at < c.args.size(); at += 2) {
    const auto known = std::ranges::find_if(
        kPeriods, [&](const auto& each) { return is_word(c.args[at], each.name); });
    if (known == std::end(kPeriods) || at + 1 == c.args.size())
      return c.reply.error("ERR Unknown option or number of arguments for SENTINEL DEBUG '" +
                           errors::printed(c.args[at]) + "'");
    const auto ms = parse_int64(c.args[at + 1]);
    if (!ms || *ms <= 0)
      return c.reply.error("ERR Invalid argument '" + errors::printed(c.args[at + 1]) +
                           "' for SENTINEL DEBUG '" + errors::printed(c.args[at]) + "'");
    sentinel->periods[std::string{known->name}] = *ms;
  }
  if (c.args.size() > 2) return c.reply.ok();
  c.reply.map(std::size(kPeriods));
  for (const Period& each : kPeriods) {
    const auto said = sentinel->periods.find(std::string{each.name});
    c.reply.bulk(each.name);
    c.reply.bulk(to_text(said == sentinel->periods.end() ? each.ms : said->second));
  }
}

}  // namespace picklock
