#include "tests/recorded/recorded.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "fuzz/gallery/gallery.hpp"
#include "fuzz/gallery/suite.hpp"
#include "fuzz/search/portfolio.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race::recorded {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::string_view kBar = " | ";

class Digest {
 public:
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8)
      value_ = (value_ ^ (value & 0xff)) * 0x100000001b3;
  }
  void add(const std::vector<Choice>& choices) {
    add(choices.size());
    for (const Choice& choice : choices) {
      add(static_cast<std::uint64_t>(choice.kind));
      add(choice.id);
    }
  }
  void add(const Simulation::Result& result) {
    add(result.state_hash);
    add(result.steps);
    add(result.faults);
    add(static_cast<std::uint64_t>(result.finding.verdict));
    add(static_cast<std::uint64_t>(result.finding.oracle));
    add(result.finding.subject);
    add(static_cast<std::uint64_t>(result.ended.time_since_epoch().count()));
  }
  std::string text() const {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016" PRIx64, value_);
    return text.data();
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Runs `schedules` schedules, whatever they find, and returns a line for all of them.
std::string digest(const ExploreOptions& options, const Scenario& scenario,
                   std::uint64_t schedules) {
  Simulation simulation{{.faults = options.faults, .max_delay = options.max_delay}};
  Portfolio portfolio{options.faults, options.strategy, kSeed};
  Coverage coverage;
  simulation.cover(&coverage);
  Digest digest;
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    Chooser& chooser = portfolio.begin(number);
    const Simulation::Result result = simulation.run(scenario, chooser);
    portfolio.learn(simulation.choices(), result.new_edges > 0);
    digest.add(simulation.choices());
    digest.add(result);
  }
  simulation.cover(nullptr);
  for (const std::uint64_t word : coverage.words()) digest.add(word);
  return options.scenario + kBar.data() + std::string{to_string(options.strategy)} + kBar.data() +
         std::to_string(schedules) + " schedules" + kBar.data() + digest.text();
}

/// An exhaustive search as a line: how much there is, and what it says.
std::string exhaustive(std::string_view name) {
  const GalleryLock& lock = *find_lock(name);
  ExploreOptions options = make_options(lock, {});
  options.strategy = Strategy::exhaustive;
  options.faults = Faults::none();
  options.faults.pauses = 1;
  options.symmetric = true;
  options.timeless = true;
  options.schedules = 5'000;
  const Verdict verdict = explore(options, make_scenario(lock, {}));
  Digest digest;
  for (const std::uint64_t value : {verdict.states, verdict.limits, verdict.coverage,
                                    static_cast<std::uint64_t>(verdict.complete)})
    digest.add(value);
  for (const char byte : verdict.replay) digest.add(static_cast<unsigned char>(byte));
  return options.scenario + kBar.data() + "exhaustive" + kBar.data() +
         std::to_string(verdict.schedules) + " schedules" + kBar.data() + digest.text();
}

}  // namespace

std::vector<std::string> digests() {
  std::vector<std::string> lines;
  for (const std::string_view name : {"set-nx-px", "reentrant-hash", "get-then-del"}) {
    const GalleryLock& lock = *find_lock(name);
    const LockSettings settings{.workers = 3, .rounds = 2};
    ExploreOptions options = make_options(lock, settings);
    for (const FaultKind& kind : kFaultKinds) options.faults.*kind.budget = 1;
    for (int i = 0; i < static_cast<int>(Strategy::exhaustive); ++i) {
      options.strategy = static_cast<Strategy>(i);
      lines.push_back(digest(options, make_scenario(lock, settings), 512));
    }
    lines.push_back(exhaustive(name));
  }
  for (const GalleryLock& lock : gallery()) {
    ExploreOptions options = make_options(lock, {});
    for (const FaultKind& kind : kFaultKinds) options.faults.*kind.budget = 1;
    lines.push_back(digest(options, make_scenario(lock, {}), 64));
  }
  for (const Bug& bug : all_bugs()) {
    if (bug.furnish == nullptr) continue;
    lines.push_back(digest(make_options(bug, false), make_scenario(bug, false), 64));
  }
  return lines;
}

std::vector<std::string> replays() {
  std::vector<std::string> lines;
  for (const Bug& bug : all_bugs()) {
    if (bug.furnish == nullptr) continue;
    const BugResult result = judge(bug, {.seeds = 1, .twin_schedules = 1});
    const Verdict& verdict = result.first;
    if (result.missed > 0 || verdict.verdict != bug.expected || verdict.oracle != bug.oracle)
      throw std::runtime_error{"bug " + std::string{bug.id} + " is not found as it should be"};
    lines.push_back(std::string{bug.id} + kBar.data() + std::string{to_string(verdict.verdict)} +
                    kBar.data() + std::string{to_string(verdict.oracle)} + kBar.data() +
                    verdict.replay);
  }
  return lines;
}

bool read(std::string_view line, Replay& replay) {
  const std::array<std::string*, 3> fields{&replay.id, &replay.verdict, &replay.property};
  for (std::string* field : fields) {
    const std::size_t end = line.find(kBar);
    if (end == std::string_view::npos) return false;
    *field = line.substr(0, end);
    line.remove_prefix(end + kBar.size());
  }
  replay.text = line;
  return true;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{"there is no " + path};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("#")) lines.push_back(line);
  }
  return lines;
}

}  // namespace picklock::race::recorded
