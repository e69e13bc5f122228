#include "emulator/server/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <arpa/inet.h>

namespace picklock {

namespace {

constexpr std::uint16_t kDefaultPort = 6380;
constexpr std::int64_t kLatestStart = 253'402'300'799'999;  // The end of the year 9999.
constexpr const char* kFooter =
    "The command PICKLOCK HELP, sent by any client, says how to move the clock.\n"
    "Ends cleanly on SIGTERM, SIGINT and SHUTDOWN. Exit codes: 0 fine, 1 cannot listen, 2 bad usage.";

// What CLI11 fills in besides the result.
struct Flags {
  std::uint16_t port = kDefaultPort;
  std::int64_t start_ms = to_unix_ms(kDefaultStart);
  std::string clock = "simulated";
};

std::string check_address(const std::string& text) {
  in6_addr parsed;
  const bool good = ::inet_pton(AF_INET, text.c_str(), &parsed) == 1 ||
                    ::inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
  return good ? "" : text + " is not an IP address, such as 127.0.0.1 or 0.0.0.0";
}

std::string check_not_empty(const std::string& text) { return text.empty() ? "is empty" : ""; }

// CLI11 would take "-1" for the largest number.
std::string check_whole_number(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos && !text.empty();
  return digits ? "" : "'" + text + "' is no whole number from 0 on";
}

void declare_listening(CLI::App& app, CommandLine& line, Flags& flags) {
  app.add_option("--port", flags.port, "TCP port; 0 picks a free one and prints it (default 6380)")
      ->check(CLI::Range(0, 65535));
  app.add_option("--bind", line.server.address, "IP address to listen on (default 127.0.0.1)")
      ->check(check_address);
  app.add_option("--unixsocket", line.server.unix_socket,
                 "Unix socket to listen on; on nothing else unless --port is given too")
      ->check(check_not_empty);
  app.add_option("--requirepass", line.emulator.password, "Password that clients must AUTH with");
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
      ->check(CLI::Range(1, 16384));
  app.add_option("--script-budget", line.emulator.script_budget,
                 "Instructions before other clients get BUSY instead of waiting for a script "
                 "(default 500000000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  app.add_flag("--cluster", line.emulator.cluster,
               "Be a cluster of one node that owns every slot");
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
  line.server.port = flags.port;
  if (!line.server.unix_socket.empty() && app.count("--port") == 0) line.server.port.reset();
  return line;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return finish(line, app.help(), 0);
  } catch (const CLI::CallForVersion& version) {
    return finish(line, version.what(), 0);
  } catch (const CLI::ParseError& error) {
    return refuse(line, error.what());
  }
  return settle(app, std::move(line), flags);
}

}  // namespace picklock
