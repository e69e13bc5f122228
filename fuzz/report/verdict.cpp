#include <fstream>
#include <ostream>

#include <picklock/race/verdict.hpp>

#include "emulator/base/numbers.hpp"
#include "fuzz/report/page.hpp"

namespace picklock::race {

std::string_view to_string(Class verdict) {
  switch (verdict) {
    case Class::holds:
      return "holds";
    case Class::documented_limit:
      return "documented limit";
    case Class::violation:
      return "violation";
    case Class::unusable:
      return "unusable";
  }
  return "";
}

std::string_view to_string(Oracle oracle) {
  switch (oracle) {
    case Oracle::none:
      return "none";
    case Oracle::mutual_exclusion:
      return "mutual exclusion";
    case Oracle::belief:
      return "belief";
    case Oracle::ownership:
      return "ownership";
    case Oracle::no_ttl:
      return "no key without TTL";
    case Oracle::threw:
      return "worker threw";
    case Oracle::endless:
      return "endless run";
    case Oracle::stuck:
      return "stuck";
    case Oracle::replay:
      return "replay";
    case Oracle::nondeterminism:
      return "not deterministic";
    case Oracle::permits:
      return "permits";
    case Oracle::read_write:
      return "readers and writers";
    case Oracle::fencing:
      return "fencing";
    case Oracle::hold_count:
      return "hold count";
    case Oracle::waiting:
      return "bounded waiting";
    case Oracle::fairness:
      return "fairness";
    case Oracle::leaked:
      return "leaked key";
    case Oracle::quiescence:
      return "quiescence";
    case Oracle::hot_loop:
      return "hot loop";
    case Oracle::property:
      return "property";
    case Oracle::linearizability:
      return "linearizability";
  }
  return "";
}

std::string_view to_string(Strategy strategy) {
  constexpr std::string_view kNames[] = {"portfolio",     "random", "uniform",  "pct",
                                         "partial-order", "delay",  "coverage", "exhaustive"};
  return kNames[static_cast<std::size_t>(strategy)];
}

std::string Verdict::to_string() const {
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  std::string text{race::to_string(verdict)};
  if (oracle != Oracle::none) text += " (" + std::string{race::to_string(oracle)} + "): " + message;
  text += "\n";
  if (schedules > 0) {
    text += number(schedules) + (schedules == 1 ? " schedule" : " schedules") + ", seed " +
            number(seed);
    if (found_at > 0) text += ", found in schedule " + number(found_at);
    if (strategy == Strategy::exhaustive)
      text += ", " + number(states) + " states" + (complete ? ", which are all" : ", not all");
    if (repeated >= schedules) text += ", each run twice";
    if (interrupted) text += ", interrupted";
    if (limits > 0) text += ", documented limits in " + number(limits);
    text += "; " + bound + "\n";
  }
  if (certified)
    text += "no shorter schedule fails: " + number(certified_over) + " states\n";
  else if (certified_over > 0)
    text +=
        "not certified: a shorter schedule may fail beyond " + number(certified_over) + " states\n";
  if (!timeline.empty()) text += "\n" + timeline + "\n";
  if (!decides.empty()) text += "what decides: " + decides + "\n";
  if (!report.empty()) text += "report: " + report + "\n";
  if (!replay_line.empty()) text += replay_line + "\n";
  return text;
}

std::string Verdict::html() const { return draw_page(*this, story ? *story : Story{}); }

bool Verdict::write_report(const std::string& path) const {
  std::ofstream file{path, std::ios::binary};
  file << html();
  file.close();
  return static_cast<bool>(file);
}

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << verdict.to_string();
}

}  // namespace picklock::race
