#include "emulator/server/config_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <glob.h>
#include <unistd.h>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/acl_file.hpp"
#include "emulator/engine/settings.hpp"
#include "emulator/resp/inline_words.hpp"
#include "emulator/server/files.hpp"

namespace picklock {

namespace {

constexpr std::string_view kBadDirective = "Bad directive or wrong number of arguments";
constexpr std::string_view kWrongNumber = "wrong number of arguments";
constexpr int kMostIncludes = 16;

// Directives of redis.conf that are no settings, or that must not be taken and then ignored.
constexpr std::pair<std::string_view, std::string_view> kRefused[] = {
    {"loadmodule", "picklock-server has no modules: remove this line"},
    {"rename-command", "picklock-server renames no commands: remove this line, or use ACL rules"},
};

// Directives of older servers, which Redis 7.0 reads and forgets: deprecated_configs.
constexpr std::string_view kForgotten[] = {"list-max-ziplist-entries", "list-max-ziplist-value",
                                           "lua-replicate-commands"};

/// Settings that take more than one word. Redis 7.0: MULTI_ARG_CONFIG.
bool takes_many(std::string_view name) {
  for (const std::string_view many :
       {"bind", "save", "client-output-buffer-limit", "oom-score-adj-values",
        "latency-tracking-info-percentiles", "shutdown-on-sigint", "shutdown-on-sigterm"})
    if (name == many) return true;
  return false;
}

std::optional<std::string> check_number(std::string_view value, std::int64_t min,
                                        std::int64_t max) {
  const auto number = parse_int64(value);
  if (!number) return "argument couldn't be parsed into an integer";
  if (*number < min || *number > max)
    return "argument must be between " + to_text(min) + " and " + to_text(max) + " inclusive";
  return std::nullopt;
}

struct FixedNumber {
  std::string_view name;
  std::int64_t min;
  std::int64_t max;
};
constexpr FixedNumber kFixedNumbers[] = {{"databases", 1, 2147483647},
                                         {"io-threads", 1, 128},
                                         {"cluster-port", 0, 65535},
                                         {"tcp-backlog", 0, 2147483647},
                                         {"socket-mark-id", 0, 4294967295}};

using Choices = std::initializer_list<std::string_view>;

/// Brings `value` to the spelling of the choice that it is.
std::optional<std::string> check_choice(std::string& value, Choices choices) {
  std::string all;
  for (const std::string_view choice : choices) {
    if (iequals(value, choice)) return value = choice, std::nullopt;
    all += (all.empty() ? "" : ", ") + std::string{choice};
  }
  return "argument(s) must be one of the following: " + all;
}

std::optional<std::string> check_octal(std::string& value) {
  const std::string digits = value.substr(value.starts_with('+') ? 1 : 0);
  if (digits.size() > 9 || digits.find_first_not_of("01234567") != std::string::npos)
    return "argument couldn't be parsed as an octal number";
  value = digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  if (value.size() > 3) return "argument must be between 0 and 777 inclusive";
  if (value.empty()) value = "0";
  return std::nullopt;
}

/// As Redis does: where relative paths start from now on, those of files that are included too.
std::optional<std::string> enter_directory(std::string& value) {
  if (::chdir(value.c_str()) != 0) return std::strerror(errno);
  value = std::filesystem::current_path().string();
  return std::nullopt;
}

/// Settings that CONFIG SET does not take, but a file does.
std::optional<std::string> normalize_fixed(const Setting& setting, std::string& value) {
  for (const FixedNumber& row : kFixedNumbers)
    if (row.name == setting.name) return check_number(value, row.min, row.max);
  if (setting.name == "unixsocketperm") return check_octal(value);
  if (setting.name == "dir") return enter_directory(value);
  if (setting.name.starts_with("enable-")) return check_choice(value, {"no", "yes", "local"});
  if (setting.name == "supervised")
    return check_choice(value, {"upstart", "systemd", "auto", "no"});
  if (setting.name == "syslog-facility")
    return check_choice(value, {"user", "local0", "local1", "local2", "local3", "local4", "local5",
                                "local6", "local7"});
  if (setting.name == "daemonize" && iequals(value, "yes"))
    return "picklock-server stays in the foreground: start it with '&', or by a service manager";
  for (const std::string_view name : {"dbfilename", "appendfilename", "appenddirname"})
    if (setting.name == name && value.find('/') != std::string::npos)
      return std::string{name} + " can't be a path, just a " +
             (name == "appenddirname" ? "dirname" : "filename");
  if (setting.name.starts_with("append") && value.empty())
    return std::string{setting.name} + " can't be empty";
  if (setting.value == "yes" || setting.value == "no") {
    for (const std::string_view word : {"yes", "no"})
      if (iequals(value, word)) return value = word, std::nullopt;
    return "argument must be 'yes' or 'no'";
  }
  return std::nullopt;
}

std::optional<std::string> normalize(const Setting& setting, std::string& value) {
  const bool fixed =
      setting.kind == Setting::Kind::immutable || setting.kind == Setting::Kind::protected_text;
  return fixed ? normalize_fixed(setting, value) : Config::normalize(setting, value);
}

/// The files of an include, one after the other in alphabetical order. None need fit a pattern.
std::vector<std::string> files_of(const std::string& path) {
  if (path.find_first_of("*?[") == std::string::npos) return {path};
  std::vector<std::string> files;
  ::glob_t found{};
  if (::glob(path.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return files;
}

std::string joined(const std::vector<std::string>& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text += (i > from ? " " : "") + words[i];
  return text;
}

/// Nullopt if a quote stays open.
std::optional<std::vector<std::string>> words_of(std::string_view line) {
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(line, text, ends)) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t start = 0; const std::size_t end : ends) {
    words.push_back(text.substr(start, end - start));
    start = end;
  }
  return words;
}

class ConfigReader {
 public:
  explicit ConfigReader(StartSettings& settings) : settings_(settings) {}

  /// Redis 7.0: loadServerConfigFromString.
  std::optional<std::string> read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      ++number;
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const auto start = line.find_first_not_of(" \t\r\n");
      if (start == std::string_view::npos || line[start] == '#') continue;
      line = line.substr(start, line.find_last_not_of(" \t\r\n") - start + 1);
      const auto why = read_line(line);
      if (!why) continue;
      if (nested_error_) return *why;  // It says itself where it is.
      return "\n*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***\nReading the configuration file, at "
             "line " +
             std::to_string(number) + "\n>>> '" + std::string{line} + "'\n" + *why;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> read_line(std::string_view line) {
    auto split = words_of(line);
    if (!split) return "Unbalanced quotes in configuration line";
    std::vector<std::string>& words = *split;
    if (words.empty()) return std::nullopt;
    words[0] = lower(words[0]);
    for (const auto& [name, why] : kRefused)
      if (words[0] == name) return std::string{why};
    if (words[0] == "include" && words.size() == 2) return include(words[1]);
    if (words[0] == "user" && words.size() > 1) return read_user(words);
    if (words.size() == 2 && is_forgotten(words[0])) return std::nullopt;
    const Setting* setting = find_setting(words[0]);
    return setting ? read_setting(*setting, words) : std::string{kBadDirective};
  }

  std::optional<std::string> read_setting(const Setting& named, std::vector<std::string>& words) {
    const Setting& setting =
        named.kind == Setting::Kind::alias ? *find_setting(named.value) : named;
    if (setting.name == "replicaof") return read_primary(setting, words);
    if (words.size() != 2 && !takes_many(setting.name)) return std::string{kWrongNumber};
    if (words.size() == 1 && setting.name == "client-output-buffer-limit") return std::nullopt;
    std::string value = joined(words, 1);
    if (auto why = normalize(setting, value)) return why;
    // The first line replaces the defaults, later ones add to it.
    const std::string* before = setting.name == "save" ? settings_.find("save") : nullptr;
    if (before && !before->empty() && !value.empty()) value = *before + " " + value;
    settings_.values.emplace_back(&setting, std::move(value));
    return std::nullopt;
  }

  /// Redis 7.0: updateReplicaOfConfig.
  std::optional<std::string> read_primary(const Setting& setting, std::vector<std::string>& words) {
    if (words.size() == 2) {  // Both within one pair of quotes.
      const auto parts = words_of(words[1]);
      if (!parts) return std::string{kWrongNumber};
      words.erase(words.begin() + 1);
      words.insert(words.end(), parts->begin(), parts->end());
    }
    if (words.size() != 3) return std::string{kWrongNumber};
    const bool none = iequals(words[1], "no") && iequals(words[2], "one");
    const auto port = parse_int64(words[2]);
    if (!none && (!port || *port < 0 || *port > 65535)) return "Invalid master port";
    settings_.values.emplace_back(&setting, none ? "" : words[1] + " " + words[2]);
    return std::nullopt;
  }

  std::optional<std::string> read_user(const std::vector<std::string>& words) {
    const std::string where = "Error in user declaration '" + words[1] + "': ";
    if (words[1].find_first_of(std::string_view{" \t\n\v\f\r\0", 7}) != std::string::npos)
      return "Spaces not allowed in ACL usernames";
    for (const auto& user : settings_.users)
      if (user.name == words[1])
        return where + "Duplicate user found. A user can only be defined once in config files";
    User user{NumberedCommands::of(kDefaultProfile), false};
    const std::vector<std::string_view> rest(words.begin() + 2, words.end());
    std::string_view open;
    auto rules = merge_selectors(rest, open);
    if (!rules)
      return where + "Unmatched parenthesis in acl selector starting at '" + std::string{open} +
             "'.";
    for (const std::string_view rule : *rules) {
      const ChangedUser changed = change_user(user, Args{&rule, 1}, false);
      if (changed.user) continue;
      const auto end = changed.error.rfind("': ");
      return where +
             (end == std::string::npos ? changed.error.substr(4) : changed.error.substr(end + 3));
    }
    settings_.users.push_back({words[1], *std::move(rules)});
    return std::nullopt;
  }

  std::optional<std::string> include(const std::string& path) {
    for (const std::string& file : files_of(path))
      if (auto error = include_file(file)) return error;
    return std::nullopt;
  }

  std::optional<std::string> include_file(const std::string& path) {
    std::error_code none;
    const auto status = std::filesystem::status(path, none);
    if (std::filesystem::is_directory(status) || std::filesystem::is_character_file(status))
      return std::nullopt;  // To Redis it is an empty file.
    std::string why;
    const auto text = read_whole_file(path, why);
    std::optional<std::string> error;
    if (!text)
      error = "Fatal error, can't open config file '" + path + "': " + why;
    else if (depth_ == kMostIncludes)
      error = "Fatal error, '" + path + "' includes itself";
    else
      ++depth_, error = read(*text), --depth_;
    nested_error_ = error.has_value();
    return error;
  }

  StartSettings& settings_;
  bool nested_error_ = false;
  int depth_ = 0;  // Of files within files.
};

}  // namespace

bool is_forgotten(std::string_view directive) {
  return std::ranges::find(kForgotten, directive) != std::end(kForgotten);
}

const std::string* StartSettings::find(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [setting, value] : values)
    if (setting->name == name) found = &value;
  return found;
}

std::optional<std::string> read_config(std::string_view text, StartSettings& settings) {
  return ConfigReader{settings}.read(text);
}

std::optional<std::string> apply_start_settings(Engine& engine, const StartSettings& settings) {
  apply_settings(engine, settings.values);
  const bool all_channels = engine.config.get("acl-pubsub-default") == "allchannels";
  for (const StartSettings::UserLine& line : settings.users) {
    // The default user, too, has only what its line says. Redis 7.0: ACLLoadConfiguredUsers.
    User fresh{NumberedCommands::of(*engine.profile), all_channels};
    if (line.name == Acl::kDefault) (void)fresh.apply("reset", all_channels);
    const std::vector<std::string_view> rules(line.rules.begin(), line.rules.end());
    ChangedUser changed = change_user(fresh, rules, all_channels);
    if (!changed.user) return "user " + line.name + ": " + changed.error;
    engine.acl.put(line.name, *std::move(changed.user));
  }
  const std::string* primary = settings.find("replicaof");
  if (primary && !primary->empty()) {
    if (engine.cluster.enabled) return "replicaof directive not allowed in cluster mode";
    const auto end = primary->rfind(' ');
    const auto port = parse_int64(std::string_view{*primary}.substr(end + 1));
    engine.follow({primary->substr(0, end), static_cast<int>(port.value_or(0))},
                  /*over_network=*/true);
  }
  const std::string path{engine.config.get("aclfile")};
  if (path.empty()) return std::nullopt;
  if (!settings.users.empty())
    return "users stand in the configuration and in an ACL file: keep one of them";
  std::string why;
  const auto text = read_whole_file(path, why);
  if (!text) return "Error loading ACLs, opening file '" + path + "': " + why;
  const AclFile file = read_acl_file(engine, path, *text);
  if (!file.error.empty()) return file.error;
  replace_users(engine, file);
  return std::nullopt;
}

}  // namespace picklock
