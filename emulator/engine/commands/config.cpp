// CONFIG.
#include <string>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/config_rewrite.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/settings.hpp"

namespace picklock {
namespace {

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

void config_get(Context& c) {
  // A name that is asked for as it stands is answered in the spelling of the request.
  std::vector<std::pair<std::string_view, const Setting*>> found;
  for (const Setting& setting : settings())
    for (const std::string_view wanted : c.args.subspan(2)) {
      const bool pattern = is_pattern(wanted);
      const bool fits = pattern ? !setting.hidden && glob_match(until_nul(wanted), setting.name,
                                                                /*ignore_case=*/true)
                                : iequals(wanted, setting.name);
      if (!fits) continue;
      found.emplace_back(pattern ? std::string_view{setting.name} : wanted, &setting);
      break;
    }
  c.reply.map(found.size());
  for (const auto& [name, setting] : found) {
    c.reply.bulk(name);
    c.reply.bulk(engine_context(c).engine.config.get(setting->name));
  }
}

std::string failed(std::string_view name, std::string_view why) {
  return "ERR CONFIG SET failed (possibly related to argument '" + std::string{name} + "') - " +
         std::string{why};
}

bool is_secret(std::string_view setting) {
  for (const std::string_view name :
       {"requirepass", "masterauth", "masteruser", "tls-key-file-pass", "tls-client-key-file-pass"})
    if (is_word(setting, name)) return true;
  return false;
}

using Wanted = std::vector<std::pair<const Setting*, std::string>>;

/// Listens where `wanted` says, if that is somewhere else; the error if it cannot. Redis:
/// updatePort, applyBind, in the order of the arguments.
std::optional<std::string> listen_anew(Engine& engine, const Wanted& wanted) {
  std::string port{engine.config.get("port")};
  std::string bind{engine.config.get("bind")};
  std::string_view first;
  for (const auto& [setting, value] : wanted) {
    if (setting->name != "port" && setting->name != "bind") continue;
    std::string& now = setting->name == "port" ? port : bind;
    if (now != value && first.empty()) first = setting->name;
    now = value;
  }
  ControlHost* const host = engine.control->host;
  if (first.empty() || !host) return std::nullopt;
  if (host->listen_on(bind, static_cast<std::uint16_t>(parse_int64(port).value_or(0))))
    return std::nullopt;
  return failed(first, first == "port" ? errors::kCannotListen : errors::kCannotBind);
}

void config_set(Context& c) {
  if (c.args.size() % 2 != 0) return c.reply.error(errors::kSyntax);
  // Even if one of the settings is refused.
  for (std::size_t i = 2; i < c.args.size(); i += 2)
    if (is_secret(c.args[i])) engine_context(c).redacted.push_back(i + 1);
  Wanted wanted;
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const Setting* setting = find_setting(lower(c.args[i]));
    if (!setting)
      return c.reply.error("ERR Unknown option or number of arguments for CONFIG SET - '" +
                           errors::printed(c.args[i]) + "'");
    // Immutable settings are refused, and repeated ones, before any value is looked at.
    if (setting->kind == Setting::Kind::immutable)
      return c.reply.error(failed(c.args[i], "can't set immutable config"));
    if (setting->kind == Setting::Kind::protected_text)
      return c.reply.error(failed(c.args[i], "can't set protected config"));
    for (const auto& [other, value] : wanted)
      if (other == setting) return c.reply.error(failed(c.args[i], "duplicate parameter"));
    wanted.emplace_back(setting, std::string{c.args[i + 1]});
  }
  for (auto& [setting, value] : wanted)
    if (const auto why = Config::normalize(*setting, value))
      return c.reply.error(failed(setting->name, *why));
  if (const auto error = listen_anew(engine_context(c).engine, wanted))
    return c.reply.error(*error);
  apply_settings(engine_context(c).engine, wanted);
  c.reply.ok();
}

void config_resetstat(Context& c) {
  engine_context(c).engine.stats = Stats{};
  c.keyspace.hits = c.keyspace.misses = 0;
  for (Database& database : c.keyspace.used()) database.reset_expired();
  c.reply.ok();
}

void config_rewrite(Context& c) {
  Engine& engine = engine_context(c).engine;
  const std::string& path = engine.control->config_file;
  ControlHost* const host = engine.control->host;
  if (path.empty() || !host) return c.reply.error(errors::kNoConfigFile);
  std::string why;
  const auto old_text = host->read_file(path, why);
  if (old_text && host->write_file(path, rewritten_config(engine, *old_text), why))
    return c.reply.ok();
  c.reply.error(std::string{errors::kRewriteFailed} + why);
}

void config_help(Context& c) { write_help(c, help::config()); }

constexpr Command kConfigSubcommands[] = {
    {"config|help", 2, kLoading | kStale, 0, {}, "server", "5.0.0", config_help},
    {"config|get",
     -3,
     kAdmin | kNoScript | kLoading | kStale,
     0,
     {},
     "server",
     "2.0.0",
     config_get},
    {"config|rewrite",
     2,
     kAdmin | kNoScript | kLoading | kStale,
     0,
     {},
     "server",
     "2.8.0",
     config_rewrite},
    {"config|resetstat",
     2,
     kAdmin | kNoScript | kLoading | kStale,
     0,
     {},
     "server",
     "2.0.0",
     config_resetstat},
    {"config|set",
     -4,
     kAdmin | kNoScript | kLoading | kStale,
     0,
     {},
     "server",
     "2.0.0",
     config_set,
     {},
     "request_policy:all_nodes response_policy:all_succeeded"},
};

constexpr Command kConfigCommands[] = {
    {"config", -2, 0, 0, {}, "server", "2.0.0", nullptr, kConfigSubcommands},
};

}  // namespace

std::span<const Command> commands::config() { return kConfigCommands; }

}  // namespace picklock
