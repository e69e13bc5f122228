#include "emulator/server/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <arpa/inet.h>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include <picklock/reply.hpp>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/config.hpp"
#include "emulator/server/files.hpp"

namespace picklock {

namespace {

constexpr std::uint16_t kDefaultPort = 6380;
constexpr int kMostDatabases = 16384;
constexpr int kMostNodes = 64;
constexpr std::int64_t kLatestStart = 253'402'300'799'999;  // The end of the year 9999.
constexpr const char* kFooter =
    "Example: picklock-server --port 0 --clock offset --seed 7\n\n"
    "Every setting of redis.conf that is no option above is one too: --maxclients 100. They may\n"
    "also stand in a configuration file, whose path is then the first argument; options win.\n"
    "The command PICKLOCK HELP, sent by any client, says how to move the clock.\n"
    "Ends cleanly on SIGTERM, SIGINT and SHUTDOWN. Exit codes: 0 fine, 1 cannot listen, 2 bad "
    "usage.";

// What CLI11 fills in besides the result.
struct Flags {
  std::uint16_t port = kDefaultPort;
  std::int64_t start_ms = to_unix_ms(kDefaultStart);
  std::string clock = "simulated";
  std::vector<std::string> words;  // What CLI11 is to read, the last first.
  std::string directives;          // The rest, as lines of a configuration file.
  std::string file;
  std::vector<NodeOptions> nodes;
  std::optional<std::uint16_t> configured_port;  // 0: none, as redis.conf has it.
};

std::string check_address(const std::string& text) {
  in6_addr parsed;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const std::string address = word[0] == '-' ? word.substr(1) : word;
    const bool good = address == "*" || address == "::*" ||
                      ::inet_pton(AF_INET, address.c_str(), &parsed) == 1 ||
                      ::inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
    if (!good) return word + " is not an IP address, such as 127.0.0.1 or 0.0.0.0";
  }
  return word.empty() ? "an IP address is wanted, such as 127.0.0.1 or 0.0.0.0" : "";
}

/// Settings that have an option of their own.
bool is_option(std::string_view name) {
  for (const char* option : {"port", "bind", "unixsocket", "requirepass", "databases"})
    if (name == option) return true;
  return false;
}

/// Whether what stands behind `--` is a directive of redis.conf, and no option of this program.
bool is_directive(std::string_view name) {
  for (const char* other : {"user", "include", "loadmodule", "rename-command"})
    if (name == other) return true;
  if (is_forgotten(name)) return true;
  return find_setting(name) && !is_option(name);
}

std::string check_not_empty(const std::string& text) { return text.empty() ? "is empty" : ""; }

// CLI11 would take "-1" for the largest number, and what is larger than that.
std::string check_whole_number(const std::string& text) {
  const auto zeros = std::min(text.find_first_not_of('0'), text.size());
  const bool good = !text.empty() && (zeros == text.size() || parse_uint64(text.substr(zeros)));
  return good ? "" : "'" + text + "' is no whole number from 0 to 18446744073709551615";
}

// CLI11 would take "010" for 8.
std::string check_decimal(const std::string& text) {
  const bool octal = text.size() > 1 && text[0] == '0';
  return octal ? "'" + text + "' begins with a 0" : "";
}

// As PICKLOCK NODE ADD has it.
std::string check_name(const std::string& name) {
  const bool good =
      !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char letter) {
        return letter > ' ' && letter < '\x7f' && letter != '"' && letter != '\\';
      });
  return good ? "" : "a name has 1 to 64 visible ASCII characters, without quotes";
}

std::string check_node(const std::string& text) {
  const std::string name = text.substr(0, text.rfind('='));
  if (const std::string why = check_name(name); !why.empty()) return why;
  if (name == "default") return "'default' is the first server: choose another name";
  if (name.size() == text.size()) return "";
  const auto port = parse_int64(text.substr(name.size() + 1));
  return port && *port >= 0 && *port <= 65'535 ? "" : "'" + text + "' has no port from 0 to 65535";
}

/// What check_node() has found good.
NodeOptions read_node(const std::string& text, bool is_replica) {
  NodeOptions node{.name = text.substr(0, text.rfind('=')), .port = {}, .is_replica = is_replica};
  if (node.name.size() < text.size())
    node.port = static_cast<std::uint16_t>(std::stoul(text.substr(node.name.size() + 1)));
  return node;
}

void declare_listening(CLI::App& app, CommandLine& line, Flags& flags) {
  app.add_option("--port", flags.port, "TCP port; 0 picks a free one and prints it (default 6380)")
      ->check(CLI::Range(0, 65535));
  app.add_option("--bind", line.server.address,
                 "IP address to listen on, or several within quotes (default 127.0.0.1)")
      ->check(check_address);
  app.add_option(
         "--unixsocket", line.server.unix_socket,
         "Unix socket to listen on (default: none); on nothing else unless --port is given too")
      ->check(check_not_empty);
  app.add_option("--requirepass", line.emulator.password,
                 "Password that clients must AUTH with (default: none)");
}

void declare_nodes(CLI::App& app, CommandLine& line, Flags& flags) {
  const auto add = [&](const char* option, bool is_replica, const char* help) {
    const auto take = [&flags, is_replica](const std::string& text) {
      flags.nodes.push_back(read_node(text, is_replica));
    };
    app.add_option_function<std::string>(option, take, help)
        ->type_name("NAME[=PORT]")
        ->check(check_node)
        ->take_all()
        ->trigger_on_parse();
  };
  add("--node", false,
      "Another server in this process, on the port after the last one unless one is given (a free "
      "one with --port 0; default: none); PICKLOCK NODE steers it; may be given several times");
  add("--replica", true, "The same as a replica of the first server (default: none)");
  app.add_option(
         "--sentinel", line.server.sentinel_port,
         "Port of a sentinel that watches the first server and its replicas; 0 picks a free one "
         "(default: none)")
      ->check(CLI::Range(0, 65535));
  app.add_option("--sentinel-name", line.server.sentinel_name,
                 "What the sentinel calls them (default mymaster)")
      ->check(check_name);
}

void declare_emulator(CLI::App& app, CommandLine& line, Flags& flags) {
  app.add_option("--clock", flags.clock,
                 "simulated: stands still until PICKLOCK ADVANCE (default); offset: real time, and "
                 "PICKLOCK ADVANCE adds to it; system: real time")
      ->check(CLI::IsMember({"simulated", "offset", "system"}));
  app.add_option("--start-time", flags.start_ms,
                 "Where the simulated clock starts, in Unix milliseconds (default 2020-01-01)")
      ->check(CLI::Range(std::int64_t{0}, kLatestStart));
  app.add_flag("--auto-advance", line.server.auto_advance,
               "Jump to the next event whenever every client is blocked (simulated clock)");
  app.add_option("--seed", line.emulator.seed, "Seeds what a server draws by chance (default 0)")
      ->check(check_whole_number);
  app.add_option("--databases", line.emulator.databases, "Number of databases (default 16)")
      ->check(CLI::Range(1, kMostDatabases));
  app.add_option("--script-budget", line.emulator.script_budget,
                 "Instructions before other clients get BUSY instead of waiting for a script "
                 "(default 500000000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  app.add_option("--trace", line.trace_lines,
                 "Requests that PICKLOCK TRACE shows; 0 keeps none (default 1000)")
      ->check(CLI::Range(0, 1'000'000));
  app.add_flag("--cluster", line.emulator.cluster, "Be a cluster of one node that owns every slot");
  app.add_option("--cluster-nodes", line.server.cluster_nodes,
                 "Be a cluster of so many nodes, on --port and those after it, each with its share "
                 "of the slots (default 1)")
      ->check(CLI::Range(1, kMostNodes));
  declare_nodes(app, line, flags);
  app.add_option("--profile", line.emulator.profile, "Server to imitate (default redis-7.0)")
      ->check(CLI::IsMember({"redis-7.0", "redis-8.4", "valkey-9.0", "all"}));
}

CommandLine finish(CommandLine line, std::string message, int exit_code) {
  line.message = std::move(message);
  line.exit_code = exit_code;
  return line;
}

// One line, whatever CLI11 had to say.
CommandLine refuse(CommandLine line, std::string why) {
  std::replace(why.begin(), why.end(), '\n', ' ');
  return finish(std::move(line), "picklock-server: " + why + "; see picklock-server --help", 2);
}

CommandLine settle(const CLI::App& app, CommandLine line, const Flags& flags) {
  if (flags.clock != "simulated") {
    if (app.count("--start-time") > 0) return refuse(line, "--start-time wants --clock simulated");
    if (line.server.auto_advance) return refuse(line, "--auto-advance wants --clock simulated");
  }
  line.clock = flags.clock == "offset"   ? ClockKind::offset
               : flags.clock == "system" ? ClockKind::system
                                         : ClockKind::simulated;
  line.emulator.start = from_unix_ms(flags.start_ms);
  const bool has_socket = !line.server.unix_socket.empty();
  line.server.port = flags.configured_port.value_or(flags.port);
  const bool no_port = flags.configured_port ? *flags.configured_port == 0 : has_socket;
  if (app.count("--port") > 0)
    line.server.port = flags.port;
  else if (no_port)
    line.server.port.reset();
  if (!line.server.port && !has_socket)
    return refuse(line, "there is nothing to listen on: give a port or a unixsocket");
  if (line.server.cluster_nodes > 1) line.emulator.cluster = true;
  if (line.server.cluster_nodes > 1 && !line.server.port)
    return refuse(line, "--cluster-nodes wants a --port");
  line.server.nodes = flags.nodes;
  const bool has_nodes = !flags.nodes.empty() || line.server.sentinel_port;
  if (has_nodes && line.emulator.cluster)
    return refuse(line, "--node, --replica and --sentinel are for servers outside of a cluster");
  for (auto node = flags.nodes.begin(); node != flags.nodes.end(); ++node)
    if (std::any_of(flags.nodes.begin(), node,
                    [&](const NodeOptions& other) { return other.name == node->name; }))
      return refuse(line, "there are two nodes '" + node->name + "'");
  if (line.emulator.databases > kMostDatabases)
    return refuse(line, "there can be " + std::to_string(kMostDatabases) + " databases at most");
  return line;
}

// Redis 7.0: an option is a line of the configuration, its words quoted.
void split_words(int argc, const char* const argv[], Flags& flags) {
  int i = 1;
  if (argc > 1 && argv[1][0] != '-') flags.file = argv[i++];
  bool for_file = false;
  for (; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--")) {
      const std::string name = lower(word.substr(2));
      for_file = is_directive(name);
      if (for_file) {
        flags.directives += "\n" + name;
        // Redis 7.0 takes it for "save nothing", as its users are used to.
        const bool alone = i + 1 == argc || std::string_view{argv[i + 1]}.starts_with("--");
        if (name == "save" && alone) flags.directives += " \"\"";
        continue;
      }
      if (is_option(name)) {
        flags.words.push_back("--" + name);
        continue;
      }
    }
    if (for_file)
      flags.directives += " " + replies::bulk(word).to_string();
    else
      flags.words.emplace_back(word);
  }
  std::reverse(flags.words.begin(), flags.words.end());
}

/// Takes from the configuration what the options have not said.
void take_settings(const CLI::App& app, CommandLine& line, Flags& flags) {
  const auto take = [&](const char* name, auto&& use) {
    const std::string* value = line.settings.find(name);
    if (value && app.count(std::string{"--"} + name) == 0) use(*value);
  };
  take("port", [&](const std::string& value) {
    flags.configured_port = static_cast<std::uint16_t>(std::stoul(value));
  });
  take("bind", [&](const std::string& value) { line.server.address = value; });
  take("unixsocket", [&](const std::string& value) { line.server.unix_socket = value; });
  take("requirepass", [&](const std::string& value) { line.emulator.password = value; });
  take("databases", [&](const std::string& value) {
    line.emulator.databases = static_cast<int>(std::stoll(value));
  });
  const std::string* cluster = line.settings.find("cluster-enabled");
  if (cluster && *cluster == "yes") line.emulator.cluster = true;
  // They have their places now, and the engine knows them from there.
  std::erase_if(line.settings.values, [](const auto& entry) {
    return is_option(entry.first->name) || entry.first->name == "cluster-enabled";
  });
}

std::optional<std::string> read_settings(CommandLine& line, const Flags& flags) {
  std::string text;
  if (!flags.file.empty()) {
    std::string why;
    auto read = read_whole_file(flags.file, why);
    if (!read) return "can't open config file '" + flags.file + "': " + why;
    text = *std::move(read);
    line.config_file = std::filesystem::absolute(flags.file).string();
  }
  return read_config(text + flags.directives, line.settings);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const argv[]) {
  CommandLine line;
  Flags flags;
  CLI::App app{"Serves an in-process Redis whose clock and randomness the test controls.",
               "picklock-server"};
  app.footer(kFooter);
  app.set_version_flag("--version", "picklock-server " PICKLOCK_VERSION, "Print the version");
  declare_listening(app, line, flags);
  declare_emulator(app, line, flags);
  for (CLI::Option* const option : app.get_options())
    if (option->get_type_name().find("INT") != std::string::npos) option->check(check_decimal);
  split_words(argc, argv, flags);
  try {
    app.parse(flags.words);
  } catch (const CLI::CallForHelp&) {
    return finish(line, app.help(), 0);
  } catch (const CLI::CallForVersion& version) {
    return finish(line, version.what(), 0);
  } catch (const CLI::ParseError& error) {
    return refuse(line, error.what());
  }
  if (const auto why = read_settings(line, flags))
    return why->starts_with('\n') ? finish(line, *why, 2) : refuse(line, *why);
  take_settings(app, line, flags);
  return settle(app, std::move(line), flags);
}

}  // namespace picklock
