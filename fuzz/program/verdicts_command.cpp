#include <CLI/CLI.hpp>
#include <atomic>
#include <fstream>
#include <ostream>

#include "fuzz/program/command_line.hpp"
#include "fuzz/program/matrix_pages.hpp"
#include "fuzz/program/outputs.hpp"
#include "fuzz/program/suite_commands.hpp"

namespace picklock::race {
namespace {

template <class One>
std::string names_of(std::span<const One> all) {
  std::string names;
  for (const One& one : all) names += (names.empty() ? "" : ", ") + std::string{one.name};
  return names;
}

/// The locks and conditions that are wanted, in the gallery's order. Returns a complaint, or
/// nothing.
std::string choose(const SuiteWords& words, std::vector<const GalleryLock*>& locks,
                   std::vector<const Condition*>& columns) {
  const auto wanted = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  for (const std::string& name : words.locks) {
    if (find_lock(name) == nullptr)
      return "--locks: there is no lock '" + name + "': take some of " + names_of(gallery());
  }
  for (const std::string& name : words.faults) {
    if (find_condition(name) == nullptr)
      return "--faults: there is no fault '" + name + "': take some of " + names_of(conditions());
  }
  for (const GalleryLock& lock : gallery()) {
    if (wanted(words.locks, lock.name)) locks.push_back(&lock);
  }
  for (const Condition& condition : conditions()) {
    if (wanted(words.faults, condition.name)) columns.push_back(&condition);
  }
  return "";
}

/// One line for those who wait. The states of an exhaustive search that did not end say where it
/// stood.
std::string tell(const Cell& cell) {
  const Verdict& verdict = cell.verdict;
  std::string text = std::string{cell.lock->name} + ", " + std::string{cell.condition->name} +
                     ": " + phrase_cell(cell);
  if (!cell.applies) return text;
  text += "; " + std::to_string(verdict.schedules) + " schedules";
  if (verdict.states > 0) text += ", " + std::to_string(verdict.states) + " states";
  if (cell.is_proved()) text += ", which are all";
  if (cell.gave_up) text += "; the exhaustive search did not end";
  return text;
}

}  // namespace

void declare_verdicts(CLI::App& verdicts, CommandLine& line) {
  SuiteWords& words = line.suite;
  verdicts
      .add_option("--locks", words.locks, "Some locks of the gallery, with commas (default all)")
      ->delimiter(',');
  verdicts
      .add_option("--faults", words.faults,
                  "Some of " + names_of(conditions()) + ", with commas (default all)")
      ->delimiter(',');
  verdicts
      .add_option("--schedules", words.cell_schedules,
                  "How many schedules each cell is searched for (default 1000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  verdicts.add_option("--seed", line.seed, "Where the randomness starts (default 1)")
      ->check(check_whole_number);
  verdicts
      .add_option("--exhaustive", words.exhaustive,
                  "First try to prove the cells of the founding protocols, each in at most so many "
                  "runs (default 0: not)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}));
  declare_twice(verdicts, words.twice);
  declare_progress(verdicts, line);
  verdicts.add_option("--markdown", words.markdown,
                      "Write the matrix to this file, as Markdown (default: none)");
  verdicts.add_option("--html", words.html,
                      "Write the matrix to this file, as a page (default: none)");
}

Exit show_verdicts(const CommandLine& line, std::ostream& out, std::ostream& err,
                   const Watchers& watchers) {
  Matrix matrix;
  std::string title;
  matrix.bounds = {.seed = line.seed,
                   .schedules = line.suite.cell_schedules,
                   .exhaustive = line.suite.exhaustive,
                   .twice = line.suite.twice,
                   .stop = line.stop};
  if (watchers.progress) {
    matrix.bounds.progress = [&](Progress progress) {
      progress.title = title;
      watchers.progress(progress);
    };
  }
  std::vector<const GalleryLock*> locks;
  if (const std::string problem = choose(line.suite, locks, matrix.columns); !problem.empty()) {
    err << "picklock-fuzz: " << problem << "\n";
    return Exit::bad_usage;
  }
  std::ofstream markdown;
  std::ofstream html;
  if (!open_file(markdown, line.suite.markdown, "--markdown", err) ||
      !open_file(html, line.suite.html, "--html", err))
    return Exit::bad_usage;
  const auto stopped = [&] { return line.stop != nullptr && *line.stop; };
  bool interrupted = false;
  for (const GalleryLock* lock : locks) {
    std::vector<Cell> row;
    for (const Condition* column : matrix.columns) {
      title = std::string{lock->name} + ", " + std::string{column->name};
      row.push_back(judge(*lock, *column, matrix.bounds));
      if (stopped()) break;
      row.back().verdict.story = nullptr;  // Hundreds of recorded runs would fill the memory.
      if (watchers.note) watchers.note(tell(row.back()));
    }
    interrupted = stopped();
    if (interrupted) break;  // What is done is shown; a row that is not whole would mislead.
    matrix.rows.push_back(std::move(row));
    out << matrix_text(matrix.rows.back());
    out.flush();
  }
  out << "\n" << matrix_summary(matrix);
  if (interrupted) out << "interrupted: only the locks that were searched to the end are here\n";
  if (!fill_file(markdown, line.suite.markdown, matrix_markdown(matrix), err) ||
      !fill_file(html, line.suite.html, matrix_html(matrix), err))
    return Exit::bad_usage;
  return interrupted ? Exit::interrupted : Exit::fine;
}

}  // namespace picklock::race
