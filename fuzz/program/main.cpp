// picklock-fuzz: finds the schedule that breaks a lock, and shows it again.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "fuzz/program/commands.hpp"

namespace {

/// About once a second, on standard error: how far the search is. The only place that reads a
/// clock; nothing of it reaches the search.
class Meter {
 public:
  void operator()(const picklock::race::Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::seconds{1}) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::cerr << progress.schedules_done << " of " << progress.schedules << " schedules, "
              << static_cast<std::uint64_t>(static_cast<double>(progress.schedules_done) / seconds)
              << " a second\n";
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = start_;
};

}  // namespace

int main(int argc, char* argv[]) {
  using namespace picklock::race;
  const std::vector<std::string> words{argv + 1, argv + argc};
  const CommandLine line = parse_command_line(words);
  if (line.finished) {
    (line.exit_code == Exit::fine ? std::cout : std::cerr) << line.message;
    return static_cast<int>(line.exit_code);
  }
  try {
    return static_cast<int>(
        execute(line, std::cout, std::cerr,
                [meter = Meter{}](ExploreOptions options, const Scenario& scenario) mutable {
                  options.progress = std::ref(meter);
                  return explore(options, scenario);
                }));
  } catch (const std::invalid_argument& error) {
    std::cerr << "picklock-fuzz: " << error.what() << "\n";
    return static_cast<int>(Exit::bad_usage);
  } catch (const std::exception& error) {
    std::cerr << "picklock-fuzz: " << error.what() << "\n";
    return static_cast<int>(Exit::unusable);
  }
}
