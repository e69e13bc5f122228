#include "fuzz/program/merge_command.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fuzz/program/command_line.hpp"
#include "fuzz/program/commands.hpp"
#include "fuzz/program/outputs.hpp"
#include "fuzz/program/part_file.hpp"

namespace picklock::race {
namespace {

struct Campaign {
  std::vector<std::string> words;
  std::vector<Part> parts;
};

/// Returns a complaint, or nothing.
std::string read_report(const std::string& path, Campaign& campaign) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return "cannot read " + path;
  const nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  Part part;
  std::vector<std::string> words;
  if (report.is_discarded() || !read_part(report, part, words))
    return path +
           " is no report of a whole shard: make it by run or check with --shard i/n --json FILE";
  if (!campaign.parts.empty() && words != campaign.words)
    return path + " is of another command line than the reports before it";
  campaign.words = std::move(words);
  campaign.parts.push_back(std::move(part));
  return "";
}

Exit complain(const std::string& problem, std::ostream& err) {
  err << "picklock-fuzz: " << problem << "\n";
  return Exit::bad_usage;
}

}  // namespace

void declare_merge(CLI::App& merge, CommandLine& line) {
  merge.add_option("REPORT", line.reports, "What --json has written, of every shard")->required();
  declare_outputs(merge, line);
}

Exit merge_parts(const CommandLine& line, std::ostream& out, std::ostream& err) {
  Campaign campaign;
  for (const std::string& path : line.reports) {
    const std::string problem = read_report(path, campaign);
    if (!problem.empty()) return complain(problem, err);
  }
  Findings findings;
  std::string problem;
  if (!join(campaign.parts, findings, problem)) return complain(problem, err);
  CommandLine whole = parse_command_line(campaign.words);
  const bool is_of_a_search =
      whole.command == CommandLine::Command::run || whole.command == CommandLine::Command::check;
  if (whole.finished || !is_of_a_search)
    return complain("a report's command line is not understood here", err);
  whole.json = line.json;
  whole.html = line.html;
  whole.perfetto = line.perfetto;
  whole.stop = line.stop;
  const Part& first = campaign.parts.front();
  whole.seed = first.seed;
  whole.schedules = first.schedules;
  return execute(whole, out, err, [&](const ExploreOptions& options, const Scenario& scenario) {
    if (program_of(options) == first.program) return conclude(options, scenario, findings);
    Verdict verdict;
    verdict.verdict = Class::unusable;
    verdict.message =
        "the lock, its scripts or its settings have changed since the shards were run: run them "
        "again";
    return verdict;
  });
}

}  // namespace picklock::race
