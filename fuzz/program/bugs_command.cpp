#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <ostream>

#include "fuzz/gallery/suite.hpp"
#include "fuzz/program/command_line.hpp"
#include "fuzz/program/outputs.hpp"

namespace picklock::race {
namespace {

void print_head(std::ostream& out) {
  out << std::left << std::setw(5) << "id" << std::setw(12) << "lock" << std::right << std::setw(7)
      << "median" << std::setw(7) << "p90" << std::setw(7) << "max"
      << "  " << std::left << std::setw(14) << "strategy" << std::right << std::setw(9) << "ms"
      << "  " << std::left << std::setw(20) << "oracle" << std::right << std::setw(7) << "shrunk"
      << std::setw(7) << "least"
      << "  " << std::left << std::setw(18) << "twin"
      << "what it does\n";
}

std::string twin_text(const BugResult& result) {
  if (!result.bug->has_twin) return "none";
  return std::string{to_string(result.twin.verdict)};
}

/// In milliseconds, of the searches until they found it.
std::string median_time(const BugResult& result) {
  if (result.spent.empty()) return "-";
  const auto spent = result.spent[result.spent.size() / 2];
  const std::string hundredths =
      std::to_string(spent / std::chrono::microseconds{10} + 100);  // At least three digits.
  const std::string whole = std::to_string(spent / std::chrono::milliseconds{1});
  return whole + "." + hundredths.substr(hundredths.size() - 2);
}

/// Of the certified ones; "-" where none was asked for.
std::string least_steps(const ShrinkTally& tally) {
  return tally.least > 0 ? std::to_string(tally.least) : "-";
}

/// Those of these ids, or all, in the suite's order; none, with a complaint, if an id is of no bug.
std::vector<const Bug*> choose(const std::vector<std::string>& ids, std::ostream& err) {
  for (const std::string& id : ids) {
    if (find_bug(id) != nullptr) continue;
    err << "picklock-fuzz: there is no bug '" << id << "': see picklock-fuzz bugs for their ids\n";
    return {};
  }
  std::vector<const Bug*> bugs;
  for (const Bug& bug : all_bugs())
    if (ids.empty() || std::find(ids.begin(), ids.end(), bug.id) != ids.end()) bugs.push_back(&bug);
  return bugs;
}

void print_row(const BugResult& result, std::ostream& out) {
  const Bug& bug = *result.bug;
  out << std::left << std::setw(5) << bug.id << std::setw(12) << bug.lock << std::right;
  for (const std::uint64_t percent : {50, 90, 100})
    out << std::setw(7) << result.found_for(percent);
  out << "  " << std::left << std::setw(14) << to_string(result.best_strategy()) << std::right
      << std::setw(9) << median_time(result) << "  " << std::left << std::setw(20)
      << to_string(bug.oracle) << std::right << std::setw(7) << result.shrunk << std::setw(7)
      << least_steps(result.tally) << "  " << std::left << std::setw(18) << twin_text(result)
      << bug.summary << "\n";
  if (const ShrinkTally& tally = result.tally; tally.least > 0)
    out << "     least steps " << tally.least << ": " << tally.exact << " shrunk to it, "
        << tally.shortened << " shortened to it, " << tally.open << " not certified\n";
  if (result.missed > 0)
    out << "     MISSED by " << result.missed << " of " << result.found.size() << " seeds; seed "
        << result.first.seed << " gives: " << to_string(result.first.verdict) << " ("
        << to_string(result.first.oracle) << "): " << result.first.message << "\n";
  if (!result.twin_holds())
    out << "     TWIN ACCUSED: " << result.twin.message << "\n     " << result.twin.replay_line
        << "\n";
}

}  // namespace

void declare_bugs(CLI::App& bugs, CommandLine& line) {
  bugs.add_option("ID", line.suite.only,
                  "Some bugs of the suite, each with its shortest schedule (default all)");
  bugs.add_option("--seeds", line.suite.seeds, "How many searches for each bug (default 5)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}));
  bugs.add_option("--seed", line.seed, "The seed of the first of them (default 1)")
      ->check(check_whole_number);
  bugs.add_option("--schedules", line.schedules,
                  "In how many schedules each must be found (default 10000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  bugs.add_option("--twin-schedules", line.suite.twin_schedules,
                  "Under how many schedules each mended twin must hold (default 2000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  declare_certify(bugs, line);
  declare_progress(bugs, line);
}

Exit show_bugs(const CommandLine& line, std::ostream& out, std::ostream& err,
               const Watchers& watchers) {
  SuiteBounds bounds{.first_seed = line.seed,
                     .seeds = line.suite.seeds,
                     .schedules = line.schedules,
                     .twin_schedules = line.suite.twin_schedules,
                     .certify = line.certify,
                     .stop = line.stop,
                     .clock = watchers.clock};
  const std::vector<const Bug*> bugs = choose(line.suite.only, err);
  if (bugs.empty()) return Exit::bad_usage;
  std::vector<std::uint64_t> found;
  ShrinkTally tally;
  std::size_t shown = 0;
  std::size_t wrong = 0;
  std::string title;
  if (watchers.progress) {
    bounds.progress = [&](Progress progress) {
      progress.title = title + (progress.title.empty() ? "" : ", " + progress.title);
      watchers.progress(progress);
    };
  }
  print_head(out);
  for (const Bug* bug : bugs) {
    title = std::string{bug->id} + ", " + std::to_string(shown + 1) + " of " +
            std::to_string(bugs.size());
    const BugResult result = judge(*bug, bounds);
    if (result.interrupted) break;
    print_row(result, out);
    out.flush();
    if (!line.suite.only.empty()) out << "\n" << result.first;
    ++shown;
    wrong += result.is_right() ? 0 : 1;
    tally.add(result.tally);
    found.insert(found.end(), result.found.begin(), result.found.end());
  }
  std::sort(found.begin(), found.end());
  out << "\n" << shown << " bugs, " << wrong << " wrong";
  if (!found.empty())
    out << "; found at schedule (median, p90, max over all): " << found[found.size() / 2] << ", "
        << found[found.size() * 9 / 10] << ", " << found.back();
  const bool interrupted = line.stop != nullptr && *line.stop;
  out << (interrupted ? "; interrupted\n" : "\n");
  if (line.certify > 0)
    out << tally.exact + tally.shortened + tally.open << " failures shrunk: " << tally.exact
        << " to the least steps, " << tally.shortened << " only by their certificates, "
        << tally.open << " not certified\n";
  if (wrong > 0) return Exit::violation;
  return interrupted ? Exit::interrupted : Exit::fine;
}

}  // namespace picklock::race
