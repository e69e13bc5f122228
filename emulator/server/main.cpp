// picklock-server: an emulator behind a port, for tests in any language.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <malloc.h>
#include <memory>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/server/command_line.hpp"
#include "emulator/server/listeners.hpp"

namespace picklock {

namespace {

constexpr int kLargeBytes = 1024 * 1024;
constexpr rlim_t kOwnDescriptors = 32;  // What Redis keeps for itself, beside its clients.

// Redis: adjustOpenFilesLimit. Fewer clients are let in where the system has no room for more.
void make_room_for_clients(Config& config) {
  const rlim_t wanted = static_cast<rlim_t>(config.number("maxclients")) + kOwnDescriptors;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min(limit.rlim_max, wanted);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  if (limit.rlim_cur >= wanted || limit.rlim_cur <= kOwnDescriptors) return;
  const std::string fits = std::to_string(limit.rlim_cur - kOwnDescriptors);
  std::fprintf(stderr, "picklock-server: room for %s clients only: raise 'ulimit -n'\n",
               fits.c_str());
  config.put("maxclients", fits);
}

std::unique_ptr<Clock> real_clock(ClockKind kind) {
  if (kind == ClockKind::offset) return std::make_unique<OffsetClock>();
  if (kind == ClockKind::system) return std::make_unique<SystemClock>();
  return nullptr;
}

const char* name_of(ClockKind kind) {
  return kind == ClockKind::offset ? "offset" : kind == ClockKind::system ? "system" : "simulated";
}

std::string nodes_of(const CommandLine& line, const Server& server) {
  const int count = line.server.cluster_nodes;
  if (count < 2) return "";
  return ", " + std::to_string(count) + " nodes up to port " +
         std::to_string(server.port() + count - 1);
}

// SIGTERM and SIGINT wait for sigwait(): blocked before the server's thread exists, so that it
// inherits that.
sigset_t hold_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);  // As Redis: it outlives its terminal.
  return signals;
}

// Redis: sigShutdownHandler. What goes on in the server, a pattern of a script that takes for ever,
// may hold up the end that was asked for: whoever insists has it at once.
void end_at_next_interrupt() {
  signal(SIGINT, [](int) { ::_exit(1); });
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
}

// As Redis logs: process, role, instant, level, text. The instant is the emulator's own, in UTC.
void print_log(const LogLine& line) {
  const std::int64_t ms = to_unix_ms(line.at);
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm date{};
  ::gmtime_r(&seconds, &date);
  char when[32];
  std::strftime(when, sizeof when, "%d %b %Y %H:%M:%S", &date);
  std::printf("%d:M %s.%03d %c %s\n", static_cast<int>(::getpid()), when,
              static_cast<int>(ms % 1000), ".-*#"[static_cast<int>(line.level)], line.text.c_str());
  std::fflush(stdout);
}

int serve(CommandLine line) {
  const sigset_t signals = hold_signals();
  // Fixed, or else the C library keeps the memory of large replies once it has seen one go.
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  const auto clock = real_clock(line.clock);
  const auto emulator = clock ? std::make_unique<Emulator>(line.emulator, *clock)
                              : std::make_unique<Emulator>(line.emulator);
  if (const auto why = apply_start_settings(emulator->engine(), line.settings)) {
    std::fprintf(stderr, "picklock-server: %s\n", why->c_str());
    return 2;
  }
  make_room_for_clients(emulator->engine().config);
  emulator->engine().control->config_file = line.config_file;
  if (line.trace_lines > 0) emulator->keep_trace(line.trace_lines);
  line.server.on_shutdown = [] { ::kill(::getpid(), SIGTERM); };
  line.server.on_script_log = print_log;
  const Server server(*emulator, line.server);
  std::printf("picklock-server ready on %s (%s, %s clock%s%s)\n", server.address().c_str(),
              line.emulator.profile.c_str(), name_of(line.clock), nodes_of(line, server).c_str(),
              server.nodes().c_str());
  std::fflush(stdout);
  int received = 0;
  sigwait(&signals, &received);
  end_at_next_interrupt();
  return 0;
}

}  // namespace

}  // namespace picklock

int main(int argc, char* argv[]) {
  const auto line = picklock::parse_command_line(argc, argv);
  if (!line.message.empty()) {
    std::fprintf(line.exit_code == 0 ? stdout : stderr, "%s\n", line.message.c_str());
    return line.exit_code;
  }
  try {
    return picklock::serve(line);
  } catch (const picklock::PortError& error) {
    std::fprintf(stderr, "picklock-server: %s; choose another --port (0 picks a free one)\n",
                 error.what());
  } catch (const picklock::ListenError& error) {
    std::fprintf(stderr, "picklock-server: %s\n", error.what());
  }
  return 1;
}
