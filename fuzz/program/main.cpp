// picklock-fuzz: finds the schedule that breaks a lock, and shows it again.
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "fuzz/program/commands.hpp"
#include "fuzz/program/meter.hpp"

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "A handler of signals sets it.");

/// The first Ctrl-C ends the search with its report; the second one the program.
void end_searches_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

/// How a table comes along, with what each part of it took: nothing of it reaches the table.
class Stopwatch {
 public:
  void operator()(std::string_view text) {
    const auto now = std::chrono::steady_clock::now();
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(now - last_);
    last_ = now;
    std::cerr << text << "; " << spent.count() << " ms\n";
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int argc, char* argv[]) {
  using namespace picklock::race;
  const std::vector<std::string> words{argv + 1, argv + argc};
  CommandLine line = parse_command_line(words);
  if (line.finished) {
    (line.exit_code == Exit::fine ? std::cout : std::cerr) << line.message;
    return static_cast<int>(line.exit_code);
  }
  end_searches_on_signals();
  line.stop = &interrupted;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  Meter meter{std::cerr, terminal};
  std::function<void(const Progress&)> progress;
  if (terminal || line.progress) progress = [&](const Progress& now) { meter.show(now); };
  try {
    const Exit code = execute(line, std::cout, std::cerr,
                              [&](ExploreOptions options, const Scenario& scenario) {
                                options.progress = progress;
                                return explore(options, scenario);
                              },
                              {.note = Stopwatch{}, .progress = progress, .clock = [] {
                                 return std::chrono::steady_clock::now().time_since_epoch();
                               }});
    if (std::cout.flush()) return static_cast<int>(code);
    std::cerr << "picklock-fuzz: cannot write all to standard output: is the disk full?\n";
    return static_cast<int>(Exit::bad_usage);
  } catch (const std::invalid_argument& error) {
    std::cerr << "picklock-fuzz: " << error.what() << "\n";
    return static_cast<int>(Exit::bad_usage);
  } catch (const std::exception& error) {
    std::cerr << "picklock-fuzz: " << error.what() << "\n";
    return static_cast<int>(Exit::unusable);
  }
}
